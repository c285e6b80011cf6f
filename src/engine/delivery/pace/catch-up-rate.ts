// How fast missed iterations are made up for, by namespace. After an outage there may be millions of them, and the receivers have
// just come back, too. They wait in queues of their own, so that what is on time does not wait behind them. Nothing of this is
// stored: what has not been delivered is in the rows.

import { fullBucket, take } from '../../../core/access/token-bucket.ts'
import type { Bucket } from '../../../core/access/token-bucket.ts'
import type { Namespace } from '../../../core/timer/timer.ts'
import type { Clock } from '../../../runtime/clock/clock.ts'

export type CatchUpRateParts = {
  readonly clock: Clock
  /** Of this node; Infinity for no limit. It changes with the shards that the node has. */
  readonly perSecond: () => number
  /** Something that waited may start. */
  readonly onRefill: () => void
}

const NAMESPACES_KEPT = 1_000 // beyond that, those that may start all they like are forgotten

export class CatchUpRate {
  readonly #parts: CatchUpRateParts
  readonly #buckets = new Map<Namespace, Bucket>()
  #isWaiting = false

  constructor(parts: CatchUpRateParts) {
    this.#parts = parts
  }

  isOpen(namespace: Namespace): boolean {
    if (this.#parts.perSecond() === Infinity) return true
    const { allowed, retryAfterMs } = this.#take(namespace)
    if (!allowed) this.#waitFor(retryAfterMs)
    return allowed
  }

  /** One has started. */
  started(namespace: Namespace): void {
    if (this.#parts.perSecond() === Infinity) return
    this.#buckets.set(namespace, this.#take(namespace).bucket)
    if (this.#buckets.size > NAMESPACES_KEPT) this.#forgetFull()
  }

  #take(namespace: Namespace) {
    const limit = this.#limit
    const now = this.#parts.clock.monotonic()
    return take(this.#buckets.get(namespace) ?? fullBucket(limit, now), limit, now)
  }

  /** A tenth of a second's worth may start at once. */
  get #limit() {
    const perSecond = this.#parts.perSecond()
    return { perSecond, burst: Math.max(1, perSecond / 10) }
  }

  #waitFor(ms: number): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#parts.clock.after(Math.max(1, Math.ceil(ms)), () => {
      this.#isWaiting = false
      this.#parts.onRefill()
    })
  }

  #forgetFull(): void {
    const now = this.#parts.clock.monotonic()
    for (const [namespace, bucket] of this.#buckets)
      if (take(bucket, this.#limit, now).fullAfterMs <= 1_000 / this.#limit.perSecond) this.#buckets.delete(namespace)
  }
}
