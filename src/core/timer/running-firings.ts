// Firings that go on beside the current one: with `overlap: allow` a timer goes on to its next iteration when one begins, and
// the one that has begun stays in this list of its row until it is over. So one row, with one version, says everything about a
// timer: a cancel ends them all, and whoever owns the shard next finds what is left to do.

import { isFinished, NEVER, Status } from './timer.ts'
import type { Attempt, Millis, RunningFiring, Timer } from './timer.ts'

/** So many run at once; what comes due beyond that waits. Each takes about 150 bytes of the row. */
export const RUNNING_MAX = 100

/** The timer by itself: its `wakeAt` is its own. What the rules for all timers are applied to. */
export function withoutRunning(timer: Timer): Timer {
  return timer.running === null ? timer : { ...timer, wakeAt: timer.running.wakeAt }
}

/** The row of a timer whose `wakeAt` is its own. They are over with a timer that has finished; while it is paused they wait. */
export function withRunning(timer: Timer): Timer {
  if (timer.running === null) return timer
  const { running, status, extra } = timer
  if (isFinished(timer) || (running.firings.length === 0 && running.isEnding !== true))
    return { ...timer, running: null }
  const wakeAt = running.isEnding === true && status !== Status.paused && extra === null ? NEVER : timer.wakeAt
  return { ...timer, wakeAt: firstWakeAt(timer, wakeAt), running: { ...running, wakeAt } }
}

function firstWakeAt({ status, extra, running }: Timer, ownWakeAt: Millis): Millis {
  if (status === Status.paused && extra === null) return ownWakeAt
  return running!.firings.reduce((first, { wakeAt }) => Math.min(first, wakeAt), ownWakeAt)
}

/** Those whose next attempt is due. */
export function dueRunning({ status, running }: Timer, now: Millis): readonly RunningFiring[] {
  if (running === null || status === Status.paused) return []
  return running.firings.filter(({ wakeAt }) => wakeAt <= now)
}

/** The timer as if the running firing were its current one: what is delivered, and what an attempt is about. Null when it is over. */
export function runningAs(timer: Timer, firing: number): Timer | null {
  const running = timer.running?.firings.find((one) => one.firing === firing)
  return running === undefined ? null : { ...timer, ...running, status: Status.pending, extra: null }
}

/** A row is never about one of its running firings itself, so a timer that is was made by `runningAs`. */
export function isRunningOne({ firing, running }: Timer): boolean {
  return running !== null && running.firings.some((one) => one.firing === firing)
}

/** What was delivered by an attempt that has been added to the row since. */
export function deliveredIn(before: Timer, { of }: Attempt): Timer {
  return of === undefined ? before : (runningAs(before, of.firing) ?? before)
}
