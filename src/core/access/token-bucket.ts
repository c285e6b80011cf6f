// A rate limit as arithmetic: a bucket that fills at a steady rate up to its size, from which each request takes one.

import type { RateLimit } from './access.ts'

export type Bucket = { readonly tokens: number; readonly at: number }

export type Taken = {
  readonly bucket: Bucket
  readonly allowed: boolean
  /** How many more may come right now. */
  readonly remaining: number
  /** Until one more may come; 0 when it may now. */
  readonly retryAfterMs: number
  /** Until the bucket is full again. */
  readonly fullAfterMs: number
}

export function fullBucket({ burst }: RateLimit, now: number): Bucket {
  return { tokens: burst, at: now }
}

/** `now` is of a clock that never steps back. A request that is refused takes nothing. */
export function take(bucket: Bucket, { perSecond, burst }: RateLimit, now: number): Taken {
  const perMs = perSecond / 1_000
  const filled = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) * perMs)
  const allowed = filled >= 1 - ROUNDING
  const tokens = allowed ? Math.max(0, filled - 1) : filled
  return {
    bucket: { tokens, at: now },
    allowed,
    remaining: Math.floor(tokens + ROUNDING),
    retryAfterMs: Math.max(0, (1 - tokens) / perMs),
    fullAfterMs: (burst - tokens) / perMs,
  }
}

const ROUNDING = 1e-9 // a third of a token three times is a token
