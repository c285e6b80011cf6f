// When a failed delivery is tried again. Pure: the jitter comes from the delivery itself, so that the
// same failure at the same moment always gives the same next attempt.

import { invalidInput } from '../errors.ts'
import { RETRIES_MAX } from '../limits.ts'
import type { RetryPolicy } from '../timer/retry-policy.ts'
import type { Millis } from '../timer/timer.ts'

/** Only what is given changes. */
export type RetryChanges = Partial<RetryPolicy>

const SECOND = 1_000

/** For timers that ask for nothing else. Stored timers keep what they were made with: see store/row/document.ts. */
export const DEFAULT_RETRY: RetryPolicy = Object.freeze({
  maxAttempts: 4,
  initialIntervalMs: 30 * SECOND,
  multiplier: 2,
  maxIntervalMs: 600 * SECOND,
  maxDurationMs: 24 * 3_600 * SECOND,
})

export const SINGLE_ATTEMPT: RetryPolicy = Object.freeze({ ...DEFAULT_RETRY, maxAttempts: 1 })

/** Added to a retry's delay, never taken from it: a fraction of up to a tenth, so that a herd that failed together does not return together. */
const JITTER = 0.1

export type FailedAttempt = {
  /** How many attempts of this firing have been made, the one that just failed included. */
  readonly attempts: number
  readonly firstAttemptAt: Millis
  /** What the receiver asked for, if anything. It can only make the wait longer, and not longer than the policy lasts. */
  readonly retryAfterMs: Millis | null
  /** The least wait that the service allows, whatever the policy says. */
  readonly waitMinMs: Millis
  /** 0 ≤ spread < 1, the same for the same attempt of the same firing. */
  readonly spread: number
}

/** When to try again, or null when the policy says that this was the last attempt. */
export function nextAttemptAt(policy: RetryPolicy, failed: FailedAttempt, now: Millis): Millis | null {
  if (failed.attempts >= policy.maxAttempts) return null
  const endsAt = failed.firstAttemptAt + policy.maxDurationMs
  const at =
    now + Math.ceil(Math.max(backoffMs(policy, failed.attempts), failed.waitMinMs) * (1 + JITTER * failed.spread))
  if (at > endsAt) return null
  // A receiver that asks for more time than is left gets what is left: it is alive, and attempts are left, too.
  return Math.min(Math.max(at, now + (failed.retryAfterMs ?? 0)), endsAt)
}

/** The wait after the n-th attempt, before jitter: it grows by the multiplier and stops at the maximum. */
export function backoffMs(policy: RetryPolicy, attempts: number): Millis {
  return Math.min(policy.initialIntervalMs * policy.multiplier ** (attempts - 1), policy.maxIntervalMs)
}

/** One text for whatever is wrong with the number, by whichever of its names it was given. */
export const RETRIES_BOUNDS = `retryPolicy.maxRetries must be 0 to ${RETRIES_MAX}, or retryPolicy.maxAttempts, which counts the first one, 1 to ${RETRIES_MAX + 1}`

/** More attempts than clients may ask for are taken when the timer has as many: what an answer shows can be sent back. */
export function changedRetry(policy: RetryPolicy, changes: RetryChanges): RetryPolicy {
  const { maxAttempts = policy.maxAttempts } = changes
  if (maxAttempts > RETRIES_MAX + 1 && maxAttempts !== policy.maxAttempts) {
    throw invalidInput('retryPolicy.maxRetries', RETRIES_BOUNDS)
  }
  const changed = { ...policy, ...changes }
  return sameRetryPolicy(changed, DEFAULT_RETRY) ? DEFAULT_RETRY : changed
}

export function sameRetryPolicy(a: RetryPolicy, b: RetryPolicy): boolean {
  return (
    a === b ||
    (a.maxAttempts === b.maxAttempts &&
      a.initialIntervalMs === b.initialIntervalMs &&
      a.multiplier === b.multiplier &&
      a.maxIntervalMs === b.maxIntervalMs &&
      a.maxDurationMs === b.maxDurationMs)
  )
}
