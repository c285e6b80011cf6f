// How often and how long a failed delivery is tried again, as each timer has it.

import type { Millis } from '../time/millis.ts'

export type RetryPolicy = {
  /** Attempts in all, the first one included. */
  readonly maxAttempts: number
  readonly initialIntervalMs: Millis
  readonly multiplier: number
  readonly maxIntervalMs: Millis
  /** No attempt starts later than this after the first one. */
  readonly maxDurationMs: Millis
}
