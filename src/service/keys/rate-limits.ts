// How fast each key may ask, on this node. A key keeps its bucket when the keys file is read again, so that touching
// the file is no way around a limit.

import type { Principal } from '../../core/access/access.ts'
import { fullBucket, take } from '../../core/access/token-bucket.ts'
import type { Bucket, Taken } from '../../core/access/token-bucket.ts'
import type { Clock } from '../../runtime/clock/clock.ts'

const BUCKETS_SWEPT_AT = 20_000 // twice the most keys a file has: names that left it are forgotten then

export class RateLimits {
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Null for a principal without a limit. */
  take({ name, rateLimit }: Principal): Taken | null {
    if (rateLimit === null) return null
    const now = this.#clock.monotonic()
    if (this.#buckets.size >= BUCKETS_SWEPT_AT) this.#buckets.clear()
    const taken = take(this.#buckets.get(name) ?? fullBucket(rateLimit, now), rateLimit, now)
    this.#buckets.set(name, taken.bucket)
    return taken
  }
}
