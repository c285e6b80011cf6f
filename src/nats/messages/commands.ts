// From messages to commands. The timer that a ScheduleTimer makes is like any other; its target is the subject for
// events, and its retry policy goes on for a year: an event that is due is not given up because the broker was down.

import { OnConflict } from '../../core/rules/command.ts'
import type { Command, CreateCommand } from '../../core/rules/command.ts'
import { DuetimeError } from '../../core/errors.ts'
import { parseNamespace, parseTimerId, timerIdentity } from '../../core/timer/ids.ts'
import type { TimerIdentity } from '../../core/timer/ids.ts'
import { RETRIES_UNLIMITED, RETRY_DURATION_MAX_MS } from '../../core/limits.ts'
import type { RetryPolicy } from '../../core/timer/retry-policy.ts'
import { firstFiring } from '../../core/time/firings.ts'
import { parseIsoSchedule } from '../../core/time/schedule.ts'
import type { Schedule } from '../../core/time/schedule.ts'
import { CatchUp } from '../../core/timer/timer.ts'
import type { Millis, Namespace, StreamPlace } from '../../core/timer/timer.ts'
import type { Subjects } from '../subjects.ts'
import { MESSAGES_PROTOCOL } from './due-time-reached.ts'
import type { Envelope } from './envelope.ts'
import { MalformedMessage, text } from './envelope.ts'

const SECOND = 1_000

/**
 * Tried again within half a minute of the broker's return, until a year after the first attempt. No number of attempts
 * ends it sooner, which is why it is above what clients may ask for.
 */
export const EVENT_RETRY: RetryPolicy = Object.freeze({
  maxAttempts: RETRIES_UNLIMITED + 1,
  initialIntervalMs: 1 * SECOND,
  multiplier: 2,
  maxIntervalMs: 30 * SECOND,
  maxDurationMs: RETRY_DURATION_MAX_MS,
})

const EVENT_TIMEOUT_MS = 10 * SECOND // a stream that does not acknowledge within that is asked again

export type CommandContext = {
  readonly subjects: Subjects
  readonly eventsSubject: string
  readonly now: Millis
  /** What the subject binds the message to; null when subjects bind nothing. */
  readonly namespace: Namespace | null
  readonly traceparent: string | null
  readonly place: StreamPlace
}

/** Null when the type is none that this service knows. Throws a MalformedMessage when the message makes no sense. */
export function toCommand(envelope: Envelope, context: CommandContext): Command | null {
  try {
    switch (envelope.type) {
      case 'ScheduleTimer':
        return scheduleTimer(envelope, context)
      case 'CancelTimer':
        return { type: 'cancel', ...nameOf(envelope, context), ifVersion: null, place: context.place }
      default:
        return null
    }
  } catch (error) {
    if (error instanceof DuetimeError) throw new MalformedMessage(error.message, { cause: error })
    throw error
  }
}

function scheduleTimer(envelope: Envelope, context: CommandContext): CreateCommand {
  const name = nameOf(envelope, context)
  return {
    type: 'create',
    ...name,
    spec: {
      schedule: dueAtOf(envelope, context.now),
      catchUp: CatchUp.all,
      target: {
        type: 'nats',
        topic: context.subjects.of(name.namespace, context.eventsSubject),
        key: null,
        headers: null,
      },
      protocol: MESSAGES_PROTOCOL,
      payload: null,
      metadata: null,
      retry: EVENT_RETRY,
      timeoutMs: EVENT_TIMEOUT_MS,
      traceparent: context.traceparent,
      correlationId: envelope.correlationId ?? null,
    },
    onConflict: OnConflict.replaceLive,
    minLeadMs: null,
    place: context.place,
  }
}

function nameOf({ tenantId, payload }: Envelope, { namespace: bound }: CommandContext): TimerIdentity {
  const namespace = parseNamespace(text(payload, 'tenantId', 'payload.tenantId'), 'payload.tenantId')
  if (namespace !== tenantId) {
    throw new MalformedMessage(`tenantId is '${tenantId}' and payload.tenantId '${namespace}': they must be the same`)
  }
  if (bound !== null && namespace !== bound) {
    throw new MalformedMessage(`the subject is that of namespace '${bound}', and the message is for '${namespace}'`)
  }
  return timerIdentity(
    namespace,
    parseTimerId(text(payload, 'serviceCallId', 'payload.serviceCallId'), 'payload.serviceCallId'),
  )
}

/** Any instant that can be stored, past ones included. */
function dueAtOf({ payload }: Envelope, now: Millis): Schedule {
  const written = text(payload, 'dueAt', 'payload.dueAt')
  const schedule = parseIsoSchedule(written)
  if (schedule.kind !== 'instant') {
    throw new MalformedMessage('payload.dueAt must be an ISO 8601 instant with an offset, such as 2030-01-31T09:00:00Z')
  }
  firstFiring(schedule, now)
  return schedule
}
