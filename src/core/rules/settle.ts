// What becomes of a timer once an attempt to deliver it has ended: done, tried again, moved by the receiver,
// on to its next iteration, or failed. Pure, like `decide`.

import type { RuleContext } from './steps.ts'
import { dueAgainAt, finished, newFiring } from './steps.ts'
import type { DeliveryOutcome } from '../timer/delivery.ts'
import { endExtraFiring, moveExtraFiring } from './extra-firing.ts'
import { spreadOf } from '../timer/ids.ts'
import { formatInterval } from '../time/interval.ts'
import { ATTEMPTS_KEPT, ERROR_CHARS_KEPT, RESCHEDULE_MIN_DEFAULT_MS } from '../limits.ts'
import { nextAttemptAt } from './retry.ts'
import { lastIterationUntil, nextIteration as iterationAfter } from '../time/firings.ts'
import type { Iteration } from '../time/firings.ts'
import { madeStorable } from '../json/storable-text.ts'
import { isRunningOne, withoutRunning, withRunning } from '../timer/running-firings.ts'
import { CatchUp, firingDueAt, isFinished, Overlap, Status } from '../timer/timer.ts'
import type { Attempt, Millis, Timer } from '../timer/timer.ts'

type FailedDelivery = Extract<DeliveryOutcome, { type: 'failed' }>

export type EndedAttempt = {
  readonly startedAt: Millis
  readonly durationMs: number
  readonly outcome: DeliveryOutcome
}

export function settle(row: Timer, ended: EndedAttempt, context: RuleContext): Timer {
  const timer = withoutRunning(row)
  const after = settled(timer, ended, context)
  const isFinal = ended.outcome.type === 'failed' && ended.outcome.final
  if (isFinished(after) && !isFinal && row.running !== null) return endingWithRunning(timer, after)
  // An outcome that comes late may meet a timer that somebody has paused since: it counts, and the pause holds.
  const isHeld = timer.status === Status.paused && timer.extra === null && !isFinished(after)
  return withRunning(isHeld ? { ...after, status: Status.paused, wakeAt: timer.wakeAt } : after)
}

/** Nothing follows, and others still run: the timer ends with the last of them. */
export function endingWithRunning({ status, wakeAt, running }: Timer, after: Timer): Timer {
  const live = { ...after, status: status === Status.paused ? status : Status.pending, finishedAt: null, wakeAt }
  return withRunning({ ...live, running: { ...running!, isEnding: true } })
}

function settled(timer: Timer, ended: EndedAttempt, context: RuleContext): Timer {
  const { outcome } = ended
  const tried = withAttempt(timer, ended)
  switch (outcome.type) {
    case 'delivered':
      return following(tried, context) ?? finished(tried, Status.completed, context)
    case 'rescheduled':
      return rescheduled(tried, outcome.nextAt, context)
    case 'failed':
      return afterFailure(tried, outcome, context) ?? finished(tried, Status.failed, context)
  }
}

/** What comes after this firing; null when it was the last. */
function following(timer: Timer, context: RuleContext): Timer | null {
  return timer.extra === null ? nextIteration(timer, context) : endExtraFiring(timer, context.now)
}

/** Null when the timer has failed. A final failure ends a regular firing and its timer; of an extra firing it ends that one, and the cycle goes on as it was. */
function afterFailure(tried: Timer, { final, retryAfterMs }: FailedDelivery, context: RuleContext): Timer | null {
  if (final) return tried.extra === null ? null : endExtraFiring(tried, context.now)
  return retryOf(tried, retryAfterMs, context) ?? following(tried, context)
}

/** The delivery has been under way for a while: let the store know, for those who look there. It stays due as it is. */
export function markExecuting(timer: Timer, now: Millis): Timer {
  return { ...timer, version: timer.version + 1, status: Status.executing, updatedAt: now }
}

export function withAttempt(timer: Timer, { startedAt, durationMs, outcome }: EndedAttempt): Timer {
  const error = outcome.type === 'failed' ? madeStorable(outcome.error.slice(0, ERROR_CHARS_KEPT)) : null
  let attempt: Attempt = { at: startedAt, durationMs, outcome: outcome.type, statusCode: outcome.statusCode, error }
  if (outcome.type === 'delivered' && outcome.note !== undefined)
    attempt = { ...attempt, note: madeStorable(outcome.note.slice(0, ERROR_CHARS_KEPT)) }
  if (isRunningOne(timer)) attempt = { ...attempt, of: { firing: timer.firing, iteration: timer.iteration } }
  const { attemptLog } = timer
  return {
    ...timer,
    status: Status.pending,
    executedAt: startedAt,
    attempts: timer.attempts + 1,
    firstAttemptAt: timer.firstAttemptAt ?? startedAt,
    lastError: error,
    attemptLog: attemptLog.length === 0 ? [attempt] : [...attemptLog.slice(1 - ATTEMPTS_KEPT), attempt],
  }
}

function rescheduled(
  timer: Timer,
  nextAt: Millis,
  { now, arrivedAt = now, rescheduleMinMs = RESCHEDULE_MIN_DEFAULT_MS }: RuleContext,
): Timer {
  const { tried, at } = askedFor(timer, nextAt, { arrivedAt, rescheduleMinMs })
  return movedTo(tried, at, now)
}

/** When the receiver is called again, not sooner than the service allows; the attempt tells if that is later than it asked for. */
export function askedFor(
  timer: Timer,
  nextAt: Millis,
  { arrivedAt, rescheduleMinMs }: { readonly arrivedAt: Millis; readonly rescheduleMinMs: Millis },
): { readonly tried: Timer; readonly at: Millis } {
  const earliestAt = arrivedAt + rescheduleMinMs
  if (nextAt >= earliestAt) return { tried: timer, at: nextAt }
  const asked = `asked to be called again in ${formatInterval(Math.max(0, nextAt - arrivedAt))}; ${formatInterval(rescheduleMinMs)} is the least`
  return { tried: withNote(timer, asked), at: earliestAt }
}

function movedTo(timer: Timer, at: Millis, now: Millis): Timer {
  if (timer.extra !== null) return moveExtraFiring(timer, timer.extra, at, now) ?? endExtraFiring(timer, now)
  return newFiring({ ...timer, ...dueAgainAt(timer, at) }, now)
}

/** Of the last attempt. */
export function withNote(timer: Timer, note: string): Timer {
  return { ...timer, attemptLog: [...timer.attemptLog.slice(0, -1), { ...timer.attemptLog.at(-1)!, note }] }
}

/** Null when the policy is used up, or when the wait would last into the next regular firing, which then takes over unless they run beside each other. */
export function retryOf(
  timer: Timer,
  retryAfterMs: Millis | null,
  { now, arrivedAt = now, rescheduleMinMs: waitMinMs = RESCHEDULE_MIN_DEFAULT_MS, calendars }: RuleContext,
): Timer | null {
  const failed = {
    attempts: timer.attempts,
    firstAttemptAt: timer.firstAttemptAt!,
    retryAfterMs,
    waitMinMs,
    spread: spreadOf(timer),
  }
  const earliestAt = nextAttemptAt(timer.retry, failed, arrivedAt)
  if (earliestAt === null) return null
  const at = Math.max(earliestAt, firingDueAt(timer)) // the clock may have been set back during the delivery
  const untilAt =
    timer.extra !== null
      ? timer.extra.regular.wakeAt
      : isRunningOne(timer)
        ? undefined
        : iterationAfter(timer, now, calendars)?.dueAt
  if (untilAt !== undefined && at >= untilAt) return null
  const isCut = retryAfterMs !== null && arrivedAt + retryAfterMs > at
  const noted = isCut
    ? withNote(
        timer,
        `Retry-After asks for ${formatInterval(retryAfterMs)}; the next attempt is at the end of the retry policy instead`,
      )
    : timer
  return {
    ...noted,
    version: timer.version + 1,
    status: timer.extra?.regular.status ?? Status.pending,
    wakeAt: at,
    updatedAt: now,
  }
}

export function nextIteration(timer: Timer, context: RuleContext): Timer | null {
  const { now, calendars } = context
  // With `catchUp: one`, the first that is not missed yet.
  const next = iterationAfter(timer, timer.catchUp === CatchUp.one ? now : null, calendars)
  const chosen = timer.overlap === null || next === null ? next : notOverlapping(timer, next, context)
  if (chosen === null) return null
  // In an hour that clocks show twice, two firings may have the same number.
  const skipped = timer.skipped + Math.max(0, chosen.iteration - timer.iteration - 1)
  return newFiring({ ...timer, ...chosen, skipped }, now)
}

/** Of the iterations that came due while this one was delivered, none fires, or the last one does. What was missed before is not theirs. */
function notOverlapping(timer: Timer, next: Iteration, { now, calendars }: RuleContext): Iteration | null {
  if (timer.overlap === Overlap.allow || next.dueAt > now || next.dueAt < timer.firstAttemptAt!) return next
  return timer.overlap === Overlap.skip
    ? iterationAfter(timer, now + 1, calendars)
    : (lastIterationUntil(timer, now, calendars) ?? next)
}
