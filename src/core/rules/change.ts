// What commands make of a timer that is there: its next version. Whether they may is judged in decide.ts.

import { withSecretsOf } from '../targets/secrets.ts'
import { lastIterationUntil, repeats } from '../time/firings.ts'
import type { RetryPolicy } from '../timer/retry-policy.ts'
import { isFinished, NEVER, Status } from '../timer/timer.ts'
import type { Millis, Timer } from '../timer/timer.ts'
import type { CancelCommand, PauseCommand, TimerChanges, UpdateCommand } from './command.ts'
import { keepExtraFiring, withExtraFiring, withoutExtraFiring } from './extra-firing.ts'
import { changedRetry } from './retry.ts'
import { placeOf } from './sent-commands.ts'
import { dueAgainAt, dueFrom, finished, newFiring } from './steps.ts'
import type { RuleContext, Timing } from './steps.ts'

/** An updated timer is a new firing: an attempt of the old version, should it arrive late, has another delivery id. */
export function updated(before: Timer, command: UpdateCommand, context: RuleContext): Timer {
  const { now, arrivedAt = now, calendars } = context
  const { changes } = command
  const timer = withoutExtraFiring(before)
  const timing =
    changes.schedule === undefined
      ? waitedFor(timer, now)
      : dueFrom(changes.schedule, command.minLeadMs, { arrivedAt, calendars }, timer.uuid)
  const revived = isFinished(timer) ? ({ status: Status.pending, finishedAt: null } as const) : null
  const isLoad = changes.schedule !== undefined || changes.callback !== undefined || revived !== null
  const tenant = isLoad ? (command.tenant ?? null) : timer.tenant
  const { running } = timer
  // With a new schedule there is something to follow.
  const isNew = running !== null && changes.schedule !== undefined
  const kept = isNew ? { wakeAt: running.wakeAt, firings: running.firings } : running
  const next = newFiring({ ...timer, ...timing, ...changed(timer, changes), ...revived, tenant, running: kept }, now)
  return keepExtraFiring(before, timer.status === Status.paused ? { ...next, wakeAt: timer.wakeAt } : next, {
    isNew: true,
  })
}

function changed(timer: Timer, changes: TimerChanges): Partial<Timer> {
  return {
    catchUp: changes.catchUp ?? timer.catchUp,
    maxLatenessMs: changes.maxLatenessMs === undefined ? timer.maxLatenessMs : changes.maxLatenessMs,
    overlap: changes.overlap === undefined ? timer.overlap : changes.overlap,
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
  return timer.attempts > 0 && timer.status !== Status.paused ? dueAgainAt(timer, timer.wakeAt) : {}
}

export function canceled(timer: Timer, command: CancelCommand, context: RuleContext): Timer {
  return { ...finished(timer, Status.canceled, context), lastCommand: placeOf(command) ?? timer.lastCommand }
}

/** A cycle fires once more and goes on as it was; a one-shot fires now instead of later. */
export function triggered(timer: Timer, { now }: RuleContext): Timer {
  if (repeats(timer) || timer.extra !== null) return withExtraFiring(timer, now)
  return { ...newFiring({ ...timer, ...dueAgainAt(timer, now) }, now), status: Status.pending }
}

/** One that was put off is not: a trigger fires now. */
export function isAboutToFireExtra({ extra, wakeAt }: Timer, now: Millis): boolean {
  return extra !== null && wakeAt <= now
}

/** Until somebody resumes it, or until it ends by itself. */
export function paused(before: Timer, { until = NEVER }: PauseCommand, { now }: RuleContext): Timer {
  const timer = withoutExtraFiring(before)
  const asleep = { ...timer, version: timer.version + 1, status: Status.paused, wakeAt: until, updatedAt: now }
  return keepExtraFiring(before, asleep, { isNew: false })
}

/** What came due during the pause fires at once; of a cycle's missed iterations only the last one does. */
export function resumed(before: Timer, { now, calendars }: RuleContext): Timer {
  const timer = withoutExtraFiring(before)
  const awake = { ...timer, version: timer.version + 1, status: Status.pending, wakeAt: timer.dueAt, updatedAt: now }
  const missed = timer.dueAt > now ? null : lastIterationUntil(timer, now, calendars)
  const skipped = timer.skipped + (missed === null ? 0 : missed.iteration - timer.iteration)
  const next = missed === null ? awake : { ...newFiring({ ...timer, ...missed, skipped }, now), status: Status.pending }
  return keepExtraFiring(before, next, { isNew: false })
}

/** More attempts of the firing that failed, with a fresh budget: its delivery id stays, so receivers can still deduplicate. */
export function retried(timer: Timer, { now }: RuleContext): Timer {
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
