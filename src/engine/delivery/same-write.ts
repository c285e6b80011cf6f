// What a row that stands in the way of an outcome says about it.

import { deliveryId } from '../../core/timer/ids.ts'
import { isFinished } from '../../core/timer/timer.ts'
import type { Timer } from '../../core/timer/timer.ts'

/** The row is about the attempt that was delivered, whatever else has changed. */
export function isSameAttempt(row: Timer, delivered: Timer): boolean {
  return !isFinished(row) && row.attempts === delivered.attempts && deliveryId(row) === deliveryId(delivered)
}

/**
 * The row is what was written, so a write whose answer was lost has happened. Firings that run beside each other may begin and end
 * in the same milliseconds, so the times alone do not tell.
 */
export function isSameWrite(row: Timer | null, written: Timer): boolean {
  return row !== null && row.version === written.version && SAME.every((field) => row[field] === written[field])
}

const SAME = ['updatedAt', 'executedAt', 'status', 'firing', 'attempts', 'wakeAt'] as const
