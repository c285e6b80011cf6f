// What a row that stands in the way of an outcome says about it.

import { deliveryId } from '../../core/timer/ids.ts'
import { isFinished, Overlap } from '../../core/timer/timer.ts'
import type { Millis, Timer } from '../../core/timer/timer.ts'

export type AttemptIdentity = {
  readonly deliveryId: string
  readonly attempt: number
  /** The start of the attempt before this one. A firing that a `retry` has begun anew counts its attempts from 1 again. */
  readonly lastAttemptAt: Millis | null
}

/** The attempt that comes next. */
export function attemptIdentity(timer: Timer): AttemptIdentity {
  return { deliveryId: deliveryId(timer), attempt: timer.attempts + 1, lastAttemptAt: timer.executedAt }
}

/** The row is still at this attempt, whatever else has changed. Where firings run beside each other, attempts of the others are in the row as well. */
export function isAtAttempt(row: Timer, attempt: AttemptIdentity): boolean {
  return (
    !isFinished(row) &&
    deliveryId(row) === attempt.deliveryId &&
    row.attempts + 1 === attempt.attempt &&
    (row.executedAt === attempt.lastAttemptAt || row.overlap === Overlap.allow)
  )
}

/**
 * The row is what was written, so a write whose answer was lost has happened. Firings that run beside each other may begin and end
 * in the same milliseconds, so the times alone do not tell.
 */
export function isSameWrite(row: Timer | null, written: Timer): boolean {
  return row !== null && row.version === written.version && SAME.every((field) => row[field] === written[field])
}

const SAME = ['updatedAt', 'executedAt', 'status', 'firing', 'attempts', 'wakeAt'] as const
