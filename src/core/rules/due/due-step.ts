// What happens to a timer that has come due, instead of its delivery: a pause that ends by itself, a firing that its calendar
// excludes by now, or one that is too late to be made. Asked at every delivery, so nearly all timers are answered by the first comparison. Pure, like `settle`.

import { insteadOf, lastIterationUntil, nextIteration, repeats } from '../../time/firings.ts'
import type { Iteration } from '../../time/firings.ts'
import { formatInterval } from '../../time/interval.ts'
import { withoutRunning, withRunning } from '../../timer/running-firings.ts'
import { CatchUp, isFinished, Overlap, Status } from '../../timer/timer.ts'
import type { Millis, Timer } from '../../timer/timer.ts'
import { resumed } from '../change.ts'
import { endingWithRunning, nextIteration as iterationAfterThis } from '../settle.ts'
import { rezoned } from './rezone.ts'
import { finished, newFiring } from '../steps.ts'
import type { RuleContext } from '../steps.ts'

/** Without a maxLateness, `catchUp: none` makes what is later than this missed: no restart takes so long, and every outage does. */
const MISSED_AFTER_MS = 60_000

const LATE_MS = 1_000 // no schedule is denser

/** The next version of the timer; null when it is to be delivered. */
export function stepAtDue(row: Timer, context: RuleContext): Timer | null {
  const timer = withoutRunning(row)
  const step = stepOf(timer, context) ?? begun(timer, context)
  if (step === null || (step.running === null && row.running === null)) return step
  return isFinished(step) ? endingWithRunning(timer, step) : withRunning(step)
}

/** With `overlap: allow` the iteration that begins runs beside what follows, so the timer goes on at once. */
function begun(timer: Timer, context: RuleContext): Timer | null {
  if (timer.overlap !== Overlap.allow || !repeats(timer) || timer.extra !== null || timer.attempts > 0) return null
  const next = iterationAfterThis(timer, context)
  // The last one, alone, is delivered as every other timer is.
  if (next === null && timer.running === null) return null
  const { firing, iteration, nominalAt, dueAt, attempts, firstAttemptAt } = timer
  const begins = { firing, iteration, nominalAt, dueAt, wakeAt: dueAt, attempts, firstAttemptAt }
  const firings = [...(timer.running?.firings ?? []), begins]
  const status = Status.pending
  if (next !== null) return { ...next, status, running: { wakeAt: next.wakeAt, firings } }
  return { ...newFiring(timer, context.now), status, running: { wakeAt: timer.wakeAt, firings, isEnding: true } }
}

function stepOf(timer: Timer, context: RuleContext): Timer | null {
  if (timer.status === Status.paused && timer.extra === null) return resumed(timer, context)
  const moved = rezoned(timer, context)
  if (moved !== null && moved.dueAt > context.now) return moved
  const { now, calendars } = context
  if (timer.rules?.calendar !== undefined && timer.extra === null && timer.attempts === 0) {
    const instead = insteadOf(timer, now, calendars)
    if (instead !== undefined)
      return instead === null ? excludedLast(timer, context) : passedOver(timer, instead, context)
  }
  if (timer.maxLatenessMs === null && (timer.catchUp === CatchUp.all || timer.catchUp === CatchUp.one)) return null
  // What has been tried is not missed, and what somebody asked for is wanted now.
  if (timer.extra !== null || timer.attempts > 0) return null
  const limitMs = timer.maxLatenessMs ?? (timer.catchUp === CatchUp.none ? MISSED_AFTER_MS : Infinity)
  if (now - timer.dueAt > limitMs) return passedOver(timer, nextIteration(timer, now - limitMs, calendars), context)
  const first = typeof timer.catchUp === 'number' ? firstOfLast(timer, timer.catchUp, context) : null
  return first === null ? null : passedOver(timer, first, context)
}

/** On to `next`, which fires; or to the end. A one-shot that was missed has failed: nobody has heard of it. */
function passedOver(timer: Timer, next: Iteration | null, context: RuleContext): Timer {
  const { now } = context
  if (next !== null)
    return newFiring({ ...timer, ...next, skipped: timer.skipped + next.iteration - timer.iteration }, now)
  const lastError = `missed: it was ${formatInterval(now - timer.dueAt)} late`
  const missed = { ...timer, skipped: timer.skipped + 1, lastError }
  return finished(missed, repeats(timer) ? Status.completed : Status.failed, context)
}

/** No iteration is left. */
function excludedLast(timer: Timer, context: RuleContext): Timer {
  return finished({ ...timer, skipped: timer.skipped + 1 }, Status.completed, context)
}

/** Of more missed iterations than `most`, the last so many fire: the first of these. Null when there are no more than that. */
function firstOfLast(timer: Timer, most: number, { now, calendars }: RuleContext): Iteration | null {
  const isMore = (from: Iteration | null): boolean => {
    let next = from
    for (let counted = 0; counted < most && next !== null && next.dueAt <= now; counted++)
      next = nextIteration({ ...timer, ...next }, null, calendars)
    return next !== null && next.dueAt <= now
  }
  if (lastIterationUntil(timer, now, calendars) === null || !isMore({ ...timer })) return null
  // More than `most` are due at `low` or later, and no more than that at `high` or later.
  let [low, high] = [timer.dueAt, now]
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    if (isMore(nextIteration(timer, middle, calendars))) low = middle
    else high = middle
  }
  return nextIteration(timer, high, calendars)
}

/** The iteration after it is due, too. One that is only a little late is not looked at closer: every delivery asks. */
export function isMissedIteration(timer: Timer, now: Millis): boolean {
  if (!repeats(timer) || now - timer.dueAt < LATE_MS || timer.attempts > 0 || timer.extra !== null) return false
  const next = nextIteration(timer, null)
  return next !== null && next.dueAt <= now
}
