// What a create does, also where its id is taken.

import { DuetimeError, ErrorCode } from '../errors.ts'
import { withSecretsOf } from '../targets/secrets.ts'
import type { Calendars } from '../time/recurring/on-calendar.ts'
import { isFinished, NO_ATTEMPTS, Status } from '../timer/timer.ts'
import type { Millis, Timer } from '../timer/timer.ts'
import { OnConflict } from './command.ts'
import type { CreateCommand, ShardCommand } from './command.ts'
import { hasParameters } from './parameters.ts'
import { placeOf } from './sent-commands.ts'
import { dueFrom, keep, write } from './steps.ts'
import type { Decision, RuleContext } from './steps.ts'

/**
 * Whether a command can be judged as if its id were free, without looking first; if it is not, the put says so. A create
 * whose due time would be refused cannot: it may be an old one that comes again, and the timer it made is the answer.
 */
export function standsAlone(command: ShardCommand, arrivedAt: Millis, calendars?: Calendars): boolean {
  if (command.type !== 'create') return false
  if (command.onConflict === OnConflict.replace && command.fingerprint === undefined) return true
  try {
    dueFrom(command.spec.schedule, command.minLeadMs, { arrivedAt, calendars })
    return true
  } catch {
    return false
  }
}

export function decideCreate(existing: Timer | null, command: CreateCommand, context: RuleContext): Decision {
  if (existing !== null && command.fingerprint !== undefined) return madeOnce(existing, command.fingerprint)
  if (existing !== null && existing.status !== Status.canceled) {
    if (command.onConflict === OnConflict.keep) return keep(existing)
    if (command.onConflict === OnConflict.reject) throw timerAlreadyExists(existing)
    if (command.onConflict === OnConflict.match) return matched(existing, command)
    if (command.onConflict === OnConflict.replaceLive && !isReplaceable(existing, command)) return keep(existing)
  }
  return write(created(existing, command, context))
}

/** Judged by what was asked for when it was made: an update since does not turn the same create into another one. */
function madeOnce(existing: Timer, fingerprint: string): Decision {
  if (existing.fingerprint === fingerprint) return keep(existing)
  throw idempotencyKeyReused(existing)
}

/** Judged before the due time is: of a timer that has fired it lies in the past, and asking again is no mistake. */
function matched(existing: Timer, { spec }: CreateCommand): Decision {
  if (hasParameters(existing, spec)) return keep(existing)
  throw timerAlreadyExists(existing)
}

/** Of one that failed nobody has heard, so it counts as waiting still; and whoever asks for it again wants it to be tried again. */
function isReplaceable(existing: Timer, command: CreateCommand): boolean {
  return existing.status === Status.failed || !(isFinished(existing) || isRepeated(existing, command))
}

/** It asks for what is there: an old command that was delivered again, which must not make two firings of one. */
function isRepeated(existing: Timer, { spec }: CreateCommand): boolean {
  return hasParameters(existing, spec) && existing.correlationId === spec.correlationId
}

function created(existing: Timer | null, command: CreateCommand, context: RuleContext): Timer {
  const { now, arrivedAt = now, calendars } = context
  const { spec } = command
  const first = dueFrom(spec.schedule, command.minLeadMs, { arrivedAt, calendars }, command.uuid)
  // Field by field: every create comes here, and an object that is spread into a literal costs more than all the rest.
  return {
    namespace: command.namespace,
    id: command.id,
    uuid: command.uuid,
    version: (existing?.version ?? 0) + 1,
    status: Status.pending,
    schedule: first.schedule,
    timeZone: first.timeZone,
    rules: first.rules,
    anchorAt: first.anchorAt,
    iteration: first.iteration,
    nominalAt: first.nominalAt,
    zoned: first.zoned,
    dueAt: first.dueAt,
    wakeAt: first.wakeAt,
    catchUp: spec.catchUp,
    maxLatenessMs: spec.maxLatenessMs ?? null,
    overlap: spec.overlap ?? null,
    skipped: 0,
    target: withSecretsOf(null, spec.target),
    protocol: spec.protocol,
    payload: spec.payload,
    metadata: spec.metadata,
    retry: spec.retry,
    timeoutMs: spec.timeoutMs,
    createdAt: now,
    updatedAt: now,
    executedAt: null,
    finishedAt: null,
    firing: (existing?.firing ?? 0) + 1,
    attempts: 0,
    firstAttemptAt: null,
    extra: null,
    running: null,
    lastError: null,
    attemptLog: NO_ATTEMPTS,
    traceparent: spec.traceparent,
    correlationId: spec.correlationId,
    fingerprint: command.fingerprint ?? null,
    lastCommand: placeOf(command) ?? existing?.lastCommand ?? null,
    tenant: command.tenant ?? null,
  }
}

function timerAlreadyExists(timer: Timer): DuetimeError {
  return new DuetimeError(
    ErrorCode.timerAlreadyExists,
    `timer '${timer.id}' exists already in namespace '${timer.namespace}'`,
    { timer },
  )
}

function idempotencyKeyReused(timer: Timer): DuetimeError {
  const message = `the idempotency key stands for timer '${timer.id}', which was made with other parameters: use a new key for another timer`
  return new DuetimeError(ErrorCode.idempotencyKeyReused, message, { timer })
}
