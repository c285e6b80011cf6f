// What becomes of a timer once an attempt of one of its running firings has ended: that firing is over, or tried again beside
// the others, or moved by the receiver. The iterations that follow are not touched. Pure, like `settle`.

import { RESCHEDULE_MIN_DEFAULT_MS } from '../../limits.ts'
import { runningAs, withoutRunning, withRunning } from '../../timer/running-firings.ts'
import { Status } from '../../timer/timer.ts'
import type { Millis, RunningFiring, Timer } from '../../timer/timer.ts'
import { askedFor, retryOf, withAttempt } from '../settle.ts'
import type { EndedAttempt } from '../settle.ts'
import { finished } from '../steps.ts'
import type { RuleContext } from '../steps.ts'

/** Null when the row does not know this firing any more: it is over. */
export function settleRunning(row: Timer, firing: number, ended: EndedAttempt, context: RuleContext): Timer | null {
  const delivered = runningAs(row, firing)
  if (delivered === null) return null
  const { outcome } = ended
  const tried = withAttempt(delivered, ended)
  if (outcome.type === 'rescheduled') return moved(row, firing, tried, outcome.nextAt, context)
  if (outcome.type === 'delivered') return over(row, firing, tried, Status.completed, context)
  // A final failure ends the timer, as it does where iterations follow each other.
  if (outcome.final) return endedAs(row, tried, Status.failed, context)
  const retried = retryOf(tried, outcome.retryAfterMs, context)
  if (retried === null) return over(row, firing, tried, Status.failed, context)
  return written(row, retried, replaced(row, firing, retried), context)
}

/** The timer ends with the last of them when no iteration follows, as that one did. */
function over(row: Timer, firing: number, tried: Timer, status: Status, context: RuleContext): Timer {
  const others = row.running!.firings.filter((one) => one.firing !== firing)
  const isLast = others.length === 0 && row.running!.isEnding === true
  return isLast ? endedAs(row, tried, status, context) : written(row, tried, others, context)
}

function endedAs(row: Timer, tried: Timer, status: Status, context: RuleContext): Timer {
  return withRunning(finished(recorded(row, tried, []), status, context))
}

/** Called again as a new firing. It takes the number of the one that waits, which nobody has seen yet and which takes the next. */
function moved(row: Timer, firing: number, tried: Timer, nextAt: Millis, context: RuleContext): Timer {
  const { now, arrivedAt = now, rescheduleMinMs = RESCHEDULE_MIN_DEFAULT_MS } = context
  const asked = askedFor(tried, nextAt, { arrivedAt, rescheduleMinMs })
  const { at } = asked
  const again = { ...asked.tried, firing: row.firing, dueAt: at, wakeAt: at, attempts: 0, firstAttemptAt: null }
  return { ...written(row, again, replaced(row, firing, again), context), firing: row.firing + 1 }
}

function replaced(row: Timer, firing: number, by: RunningFiring): RunningFiring[] {
  const { iteration, nominalAt, dueAt, wakeAt, attempts, firstAttemptAt } = by
  const next = { firing: by.firing, iteration, nominalAt, dueAt, wakeAt, attempts, firstAttemptAt }
  return row.running!.firings.map((one) => (one.firing === firing ? next : one))
}

/** What the attempt leaves in the history of the timer. */
function recorded(row: Timer, { executedAt, lastError, attemptLog }: Timer, firings: readonly RunningFiring[]): Timer {
  return { ...row, executedAt, lastError, attemptLog, running: { ...row.running!, firings } }
}

function written(row: Timer, tried: Timer, firings: readonly RunningFiring[], { now }: RuleContext): Timer {
  const after = withoutRunning(recorded(row, tried, firings))
  return withRunning({ ...after, version: row.version + 1, updatedAt: now })
}
