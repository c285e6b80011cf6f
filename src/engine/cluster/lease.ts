// What the beats of this node allow it to believe. While it has reached the database within most of the lease, no other node
// can have claimed its shards. After it could not, others may have been silent only because they could not either. All of it
// by a clock that cannot be set back and that counts the time in which the machine was suspended.

import type { Millis } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'

const BEATS_PER_LEASE = 5 // four lost in a row are forgiven
const RETRIES_PER_BEAT = 4 // a beat that failed is made again sooner: every moment counts then
const CERTAIN_SHARE = 0.8 // of the lease: the rest is for what a delivery's start takes, and for clocks that run unevenly

export class Lease {
  readonly #clock: Clock
  readonly #leaseMs: Millis
  #lastBeatAt = -Infinity
  #lastBeatFailed = false
  #doubtUntil = -Infinity

  constructor(clock: Clock, leaseMs: Millis) {
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  /** To be taken before a beat is sent. */
  now(): number {
    return this.#clock.elapsed()
  }

  /** Whether others may have claimed our shards before a beat that was sent at this time of `now`. */
  wasAway(sentAt: number): boolean {
    // A node that has just been started was not away.
    return this.hasBeaten && sentAt - this.#lastBeatAt > this.#leaseMs * CERTAIN_SHARE
  }

  /** The store has answered a beat that was sent at this time of `now`. */
  renewed(sentAt: number): void {
    if (this.wasAway(sentAt)) this.#doubtUntil = sentAt + this.#leaseMs
    this.#lastBeatAt = sentAt
    this.#lastBeatFailed = false
  }

  beatFailed(): void {
    this.#lastBeatFailed = true
  }

  get hasBeaten(): boolean {
    return this.#lastBeatAt !== -Infinity
  }

  get lastBeatFailed(): boolean {
    return this.#lastBeatFailed
  }

  get nextBeatMs(): Millis {
    const beatMs = this.#leaseMs / BEATS_PER_LEASE
    return this.#lastBeatFailed ? beatMs / RETRIES_PER_BEAT : beatMs
  }

  /** No other node can have claimed our shards yet. */
  get isCertain(): boolean {
    return this.now() - this.#lastBeatAt < this.#leaseMs * CERTAIN_SHARE
  }

  /** After a trouble of the database everybody has been silent: nothing changes hands until those that live can have beaten. */
  get isInDoubt(): boolean {
    return this.now() < this.#doubtUntil
  }
}
