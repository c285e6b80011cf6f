// The rules: what a command does to the timer that is there. Pure; the owner of the shard calls it and
// commits what comes out, expecting the version that was judged. If that misses, it judges again.

import type { CancelCommand, Command, CreateCommand, TimerChanges, UpdateCommand } from './command.ts'
import { OnConflict } from './command.ts'
import { DuetimeError, ErrorCode, invalidSchedule } from '../errors.ts'
import { keepExtraFiring, withExtraFiring, withoutExtraFiring } from './extra-firing.ts'
import { hasParameters } from './parameters.ts'
import { changedRetry } from './retry.ts'
import type { RetryPolicy } from './retry.ts'
import { firstFiring, firingOf, iterationAtOrAfter, parseSchedule } from '../time/schedule.ts'
import type { Schedule } from '../time/schedule.ts'
import { isOutdated, mustBeRemembered, placeBefore, placeOf, remembering, unseenTimer } from './sent-commands.ts'
import { withSecretsOf } from '../targets/secrets.ts'
import { NEVER, NO_ATTEMPTS, Status, isFinished } from '../timer/timer.ts'
import type { Millis, Timer } from '../timer/timer.ts'
import { ALLOWED_IN } from './transitions.ts'

export type RuleContext = {
  readonly now: Millis
  /** When the command arrived at the service, if that was before now: what was in the future then is in time, and durations count from then. */
  readonly arrivedAt?: Millis
  /** How long a finished timer of this namespace is kept. */
  readonly retentionMs: Millis
  /** How soon a timer is delivered again at the earliest, because its receiver asks for it or because it failed. */
  readonly rescheduleMinMs?: Millis
}

/**
 * `write` is what to store in place of `existing`; `keep` means that all is as the command wants it already. `refuse` is to
 * be stored, too, since it remembers the command, and then the command is refused.
 */
export type Decision =
  | { readonly type: 'write' | 'keep'; readonly timer: Timer }
  | { readonly type: 'refuse'; readonly timer: Timer; readonly error: DuetimeError }

/** Throws a DuetimeError when the command is refused. */
export function decide(existing: Timer | null, command: Command, context: RuleContext): Decision {
  if (existing !== null && isOutdated(existing, command)) return keep(existing)
  if (command.type === 'create') return remembered(decideCreate(existing, command, context), command)
  if (command.type === 'cancel' && mustBeRemembered(existing, command)) {
    return write(canceled(existing ?? unseenTimer(command, context.now), command, context))
  }
  if (existing === null) throw timerNotFound(command)
  if ('ifVersion' in command && command.ifVersion !== null && command.ifVersion !== existing.version) {
    throw versionConflict(existing, command.ifVersion)
  }
  if (!ALLOWED_IN[command.type].includes(existing.status) && !isRetriedBy(command, existing))
    return refused(existing, command)
  switch (command.type) {
    case 'update':
      return write(updated(existing, command, context))
    case 'cancel':
      return write(canceled(existing, command, context))
    case 'trigger':
      return isAboutToFireExtra(existing, context.now) ? keep(existing) : write(triggered(existing, context))
    case 'pause':
      return existing.status === Status.paused ? keep(existing) : write(paused(existing, context))
    case 'resume':
      return existing.status === Status.pending ? keep(existing) : write(resumed(existing, context))
    case 'retry':
      return write(retried(existing, context))
  }
}

/** A create that leaves what is there as it is: those that were sent before it are outdated all the same. */
function remembered(decision: Decision, command: CreateCommand): Decision {
  const place = placeOf(command)
  return decision.type === 'keep' && place !== null ? write(remembering(decision.timer, place)) : decision
}

function refused(existing: Timer, command: Command): Decision {
  const error = tooLate(existing, command)
  const sent = placeOf(command)
  const place = sent === null ? null : placeBefore(existing, sent)
  if (place === null) throw error
  return { type: 'refuse', timer: remembering(existing, place), error }
}

/**
 * Whether a command can be judged as if its id were free, without looking first; if it is not, the put says so. A create
 * whose due time would be refused cannot: it may be an old one that comes again, and the timer it made is the answer.
 */
export function standsAlone(command: Command, arrivedAt: Millis): boolean {
  if (command.type !== 'create') return false
  if (command.onConflict === OnConflict.replace && command.fingerprint === undefined) return true
  try {
    dueFrom(command.spec.schedule, command.minLeadMs, arrivedAt)
    return true
  } catch {
    return false
  }
}

function decideCreate(existing: Timer | null, command: CreateCommand, context: RuleContext): Decision {
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

function created(existing: Timer | null, command: CreateCommand, { now, arrivedAt = now }: RuleContext): Timer {
  const { spec } = command
  const first = dueFrom(spec.schedule, command.minLeadMs, arrivedAt)
  return {
    namespace: command.namespace,
    id: command.id,
    uuid: command.uuid,
    version: (existing?.version ?? 0) + 1,
    status: Status.pending,
    ...first,
    catchUp: spec.catchUp,
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
    lastError: null,
    attemptLog: NO_ATTEMPTS,
    traceparent: spec.traceparent,
    correlationId: spec.correlationId,
    fingerprint: command.fingerprint ?? null,
    lastCommand: placeOf(command) ?? existing?.lastCommand ?? null,
    tenant: command.tenant ?? null,
  }
}

type Timing = Pick<Timer, 'schedule' | 'timeZone' | 'anchorAt' | 'iteration' | 'dueAt' | 'wakeAt'>

function dueFrom(schedule: Schedule, minLeadMs: Millis | null, arrivedAt: Millis): Timing {
  const { dueAt, anchorAt, iteration } = firstFiring(schedule, arrivedAt)
  if (minLeadMs !== null && isTooSoon(dueAt - arrivedAt, minLeadMs)) {
    const wanted = minLeadMs === 0 ? 'in the future' : `more than ${minLeadMs / 1_000} s in the future`
    throw invalidSchedule(
      'past',
      `the due time must be ${wanted}; it is ${new Date(arrivedAt).toISOString()} here`,
      schedule.text,
    )
  }
  return {
    schedule: schedule.kind === 'instant' ? null : schedule.text,
    timeZone: schedule.timeZone,
    anchorAt,
    iteration,
    dueAt,
    wakeAt: dueAt,
  }
}

/** Now is not the past yet; but a lead that is asked for must be exceeded. */
function isTooSoon(leadMs: Millis, minLeadMs: Millis): boolean {
  return minLeadMs === 0 ? leadMs < 0 : leadMs <= minLeadMs
}

function isRetriedBy(command: Command, { status }: Timer): boolean {
  return command.type === 'update' && command.retry === true && status === Status.failed
}

/** An updated timer is a new firing: an attempt of the old version, should it arrive late, has another delivery id. */
function updated(before: Timer, command: UpdateCommand, { now, arrivedAt = now }: RuleContext): Timer {
  const { changes } = command
  const timer = withoutExtraFiring(before)
  const timing =
    changes.schedule === undefined ? waitedFor(timer, now) : dueFrom(changes.schedule, command.minLeadMs, arrivedAt)
  const revived = isFinished(timer) ? ({ status: Status.pending, finishedAt: null } as const) : null
  const isLoad = changes.schedule !== undefined || changes.callback !== undefined || revived !== null
  const tenant = isLoad ? (command.tenant ?? null) : timer.tenant
  const next = newFiring({ ...timer, ...timing, ...changed(timer, changes), ...revived, tenant }, now)
  return keepExtraFiring(before, timer.status === Status.paused ? { ...next, wakeAt: NEVER } : next, { isNew: true })
}

function changed(timer: Timer, changes: TimerChanges): Partial<Timer> {
  return {
    catchUp: changes.catchUp ?? timer.catchUp,
    target: changes.callback === undefined ? timer.target : withSecretsOf(timer.target, changes.callback.target),
    protocol: changes.callback?.protocol ?? timer.protocol,
    payload: changes.payload === undefined ? timer.payload : changes.payload,
    metadata: changes.metadata === undefined ? timer.metadata : changes.metadata,
    retry: retryAfter(timer, changes),
    timeoutMs: changes.timeoutMs ?? timer.timeoutMs,
  }
}

/** Retries belong to the way of delivering, so they change with it; within one way they are the timer's own. */
function retryAfter(timer: Timer, { callback, retry }: TimerChanges): RetryPolicy {
  const ofProtocol = callback?.protocol === timer.protocol ? undefined : callback?.retryOfProtocol
  const policy = ofProtocol ?? timer.retry
  return retry === undefined ? policy : changedRetry(policy, retry)
}

/** Without a new schedule a timer that waits for a retry goes on waiting: its new firing is due when the retry was. One that failed waits no longer. */
function waitedFor(timer: Timer, now: Millis): Partial<Timing> {
  if (isFinished(timer)) return dueAgainAt(timer, Math.max(now, timer.dueAt))
  return timer.attempts > 0 && timer.wakeAt !== NEVER ? dueAgainAt(timer, timer.wakeAt) : {}
}

function canceled(timer: Timer, command: CancelCommand, context: RuleContext): Timer {
  return { ...finished(timer, Status.canceled, context), lastCommand: placeOf(command) ?? timer.lastCommand }
}

/** A cycle fires once more and goes on as it was; a one-shot fires now instead of later. */
function triggered(timer: Timer, { now }: RuleContext): Timer {
  if (timer.anchorAt !== null || timer.extra !== null) return withExtraFiring(timer, now)
  return { ...newFiring({ ...timer, ...dueAgainAt(timer, now) }, now), status: Status.pending }
}

/** One that was put off is not: a trigger fires now. */
function isAboutToFireExtra({ extra, wakeAt }: Timer, now: Millis): boolean {
  return extra !== null && wakeAt <= now
}

function paused(before: Timer, { now }: RuleContext): Timer {
  const timer = withoutExtraFiring(before)
  const asleep = { ...timer, version: timer.version + 1, status: Status.paused, wakeAt: NEVER, updatedAt: now }
  return keepExtraFiring(before, asleep, { isNew: false })
}

/** What came due during the pause fires at once; of a cycle's missed iterations only the last one does. */
function resumed(before: Timer, { now }: RuleContext): Timer {
  const timer = withoutExtraFiring(before)
  const awake = { ...timer, version: timer.version + 1, status: Status.pending, wakeAt: timer.dueAt, updatedAt: now }
  const missed = lastMissedIteration(timer, now)
  const next = missed === null ? awake : { ...newFiring({ ...timer, ...missed }, now), status: Status.pending }
  return keepExtraFiring(before, next, { isNew: false })
}

function lastMissedIteration(timer: Timer, now: Millis): Pick<Timer, 'iteration' | 'dueAt' | 'wakeAt'> | null {
  if (timer.anchorAt === null || timer.schedule === null || timer.dueAt > now) return null
  const schedule = parseSchedule(timer.schedule, timer.timeZone)
  if (schedule.kind !== 'cycle') return null
  const upcoming = iterationAtOrAfter(schedule, timer.anchorAt, now + 1) ?? (schedule.repetitions ?? 0) + 1
  const iteration = upcoming - 1
  const dueAt = firingOf(schedule, timer.anchorAt, iteration)
  if (dueAt === null || iteration <= timer.iteration) return null
  return { iteration, dueAt, wakeAt: dueAt }
}

/** More attempts of the firing that failed, with a fresh budget: its delivery id stays, so receivers can still deduplicate. */
function retried(timer: Timer, { now }: RuleContext): Timer {
  return {
    ...timer,
    version: timer.version + 1,
    status: Status.pending,
    wakeAt: Math.max(now, timer.dueAt), // the clock may have been set back since
    updatedAt: now,
    finishedAt: null,
    attempts: 0,
    firstAttemptAt: null,
  }
}

/** The timing of a one-shot that moves away from the instant it was created with keeps that instant as its schedule. */
export function dueAgainAt(timer: Timer, at: Millis): Pick<Timer, 'schedule' | 'dueAt' | 'wakeAt'> {
  return { schedule: timer.schedule ?? new Date(timer.dueAt).toISOString(), dueAt: at, wakeAt: at }
}

export function newFiring(timer: Timer, now: Millis): Timer {
  return {
    ...timer,
    version: timer.version + 1,
    wakeAt: timer.dueAt,
    updatedAt: now,
    firing: timer.firing + 1,
    attempts: 0,
    firstAttemptAt: null,
  }
}

export function finished(timer: Timer, status: Status, { now, retentionMs }: RuleContext): Timer {
  return {
    ...timer,
    version: timer.version + 1,
    status,
    wakeAt: now + retentionMs,
    updatedAt: now,
    finishedAt: now,
    extra: null,
  }
}

function write(timer: Timer): Decision {
  return { type: 'write', timer }
}

function keep(timer: Timer): Decision {
  return { type: 'keep', timer }
}

export function timerNotFound(key: Pick<Timer, 'namespace' | 'id'>): DuetimeError {
  return new DuetimeError(ErrorCode.timerNotFound, `no timer '${key.id}' in namespace '${key.namespace}'`, {
    namespace: key.namespace,
    id: key.id,
  })
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

function versionConflict(timer: Timer, ifVersion: number): DuetimeError {
  return new DuetimeError(
    ErrorCode.versionConflict,
    `the timer is at version ${timer.version}, not ${ifVersion}: read it again`,
    {
      ifVersion,
      version: timer.version,
    },
  )
}

function tooLate(timer: Timer, command: Command): DuetimeError {
  const reason =
    timer.status === Status.executing
      ? 'it is being delivered now'
      : `its status is '${timer.status}'${wayBack(timer, command)}`
  return new DuetimeError(ErrorCode.timerNotPending, `cannot ${command.type} timer '${timer.id}': ${reason}`, {
    status: timer.status,
  })
}

function wayBack({ status }: Timer, command: Command): string {
  if (command.type !== 'update') return ''
  if (status === Status.failed) return '; with retry: true an update brings a failed timer back'
  return command.retry === true ? '; only a failed timer can be retried; a create on its id makes it anew' : ''
}
