// From what a program says to commands, as the contract v1 does with the bodies of requests.

import { OnConflict } from '../core/rules/command.ts'
import type { CreateCommand, TimerChanges, UpdateCommand } from '../core/rules/command.ts'
import { DuetimeError, ErrorCode, invalidInput } from '../core/errors.ts'
import { parseTimerId, timerIdentity } from '../core/timer/ids.ts'
import { TIMEOUT_DEFAULT_MS } from '../core/limits.ts'
import { DEFAULT_RETRY } from '../core/rules/retry.ts'
import type { Schedule } from '../core/time/schedule.ts'
import { CatchUp } from '../core/timer/timer.ts'
import type { Target } from '../core/targets/target.ts'
import type { JsonText } from '../core/timer/timer.ts'
import { readCatchUp, readMaxLateness } from '../language/firing-rules.ts'
import { readSchedule, requiredSchedule } from '../language/timing.ts'
import { NATIVE_PROTOCOL, readTarget } from '../language/callback.ts'
import { readTimeout } from '../language/intervals.ts'
import { metadataText } from '../language/metadata.ts'
import { readRetryChanges, readRetryPolicy } from '../language/retry-policy.ts'
import { payloadWithin } from '../language/payload-text.ts'
import type { Timers } from '../service/timers.ts'
import { checkCreate, checkUpdate } from './input/fields.ts'
import type { CreateFields, TimerRef, UpdateFields } from './input/fields.ts'
import { identityOf, namespaceOf } from './input/names.ts'
import { plainInstant, timingOf } from './input/when.ts'
import type { MaybeWhen } from './input/when.ts'

/** The handler of the timer's namespace. */
const HANDLER: Target = Object.freeze({ type: 'function' })

type CreateContext = { readonly timers: Pick<Timers, 'newIdentity'>; readonly payloadMaxBytes: number }

export function createCommand(given: CreateFields, { timers, payloadMaxBytes }: CreateContext): CreateCommand {
  const fields = checkCreate(given)
  const namespace = namespaceOf(fields.namespace)
  const { id, uuid } =
    fields.id === undefined ? timers.newIdentity(namespace) : timerIdentity(namespace, parseTimerId(fields.id))
  return {
    type: 'create',
    namespace,
    id,
    uuid,
    onConflict: fields.onConflict ?? OnConflict.replace,
    minLeadMs: 0,
    spec: {
      schedule: scheduleOf(fields),
      catchUp: fields.catchUp === undefined ? CatchUp.all : readCatchUp(fields.catchUp),
      maxLatenessMs: fields.maxLateness === undefined ? null : readMaxLateness(fields.maxLateness),
      overlap: fields.overlap ?? null,
      target: fields.callback === undefined ? HANDLER : readTarget({ callback: fields.callback })!,
      protocol: NATIVE_PROTOCOL,
      payload: payloadOf(fields, payloadMaxBytes),
      metadata: metadataText(fields.metadata),
      retry: fields.retryPolicy === undefined ? DEFAULT_RETRY : readRetryPolicy(fields.retryPolicy),
      timeoutMs: timeoutOf(fields) ?? TIMEOUT_DEFAULT_MS,
      traceparent: null,
      correlationId: null,
    },
  }
}

export function updateCommand(ref: TimerRef, given: UpdateFields, payloadMaxBytes: number): UpdateCommand {
  const { ifVersion, retry = false, ...fields } = checkUpdate(given)
  const changes = changesOf(fields, payloadMaxBytes)
  if (!retry && Object.keys(changes).length === 0)
    throw invalidInput('id', 'nothing to change: give the fields that shall have new values')
  return { type: 'update', ...identityOf(ref), changes, ifVersion: ifVersion ?? null, minLeadMs: 0, retry }
}

function changesOf(fields: UpdateFields, payloadMaxBytes: number): TimerChanges {
  const schedule = plainInstant(fields) ?? readSchedule(timingOf(fields))
  const { callback, catchUp, metadata, retryPolicy } = fields
  const target = callback === 'handler' ? HANDLER : callback && readTarget({ callback })
  const timeoutMs = timeoutOf(fields)
  return {
    ...(schedule === undefined ? {} : { schedule }),
    ...(catchUp === undefined ? {} : { catchUp: readCatchUp(catchUp) }),
    ...(fields.maxLateness === undefined ? {} : { maxLatenessMs: readMaxLateness(fields.maxLateness) }),
    ...(fields.overlap === undefined ? {} : { overlap: fields.overlap }),
    ...(target === undefined
      ? {}
      : { callback: { target, protocol: NATIVE_PROTOCOL, retryOfProtocol: DEFAULT_RETRY } }),
    ...(fields.payload === undefined ? {} : { payload: payloadOf(fields, payloadMaxBytes) }),
    ...(metadata === undefined ? {} : { metadata: metadataText(metadata) }),
    ...(retryPolicy === undefined ? {} : { retry: readRetryChanges(retryPolicy) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

export function scheduleOf(when: MaybeWhen): Schedule {
  const instant = plainInstant(when)
  if (instant !== null) return instant
  const timing = timingOf(when)
  if (timing.executeAt === undefined && timing.schedule === undefined)
    throw invalidInput('at', 'say when: at, after, every or schedule')
  return requiredSchedule(timing)
}

function timeoutOf({ callbackTimeout }: { readonly callbackTimeout?: string | undefined }): number | undefined {
  return callbackTimeout === undefined ? undefined : readTimeout({ callbackTimeout })
}

/** What JSON cannot say is refused now, rather than found missing when the timer fires. */
function payloadOf({ payload }: { readonly payload?: unknown }, maxBytes: number): JsonText | null {
  if (payload === undefined || payload === null) return null
  return payloadWithin(jsonOf(payload), maxBytes)
}

function jsonOf(payload: unknown): JsonText {
  try {
    const text = JSON.stringify(payload) as JsonText | undefined
    if (text === undefined) throw new TypeError(`it is a ${typeof payload}`)
    return text
  } catch (error) {
    const message = `payload cannot be written as JSON: ${(error as Error).message}`
    throw new DuetimeError(ErrorCode.invalidInput, message, { field: 'payload' }, { cause: error })
  }
}
