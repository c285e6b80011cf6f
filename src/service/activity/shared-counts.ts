// How many timers there are, asked of the store at most every two seconds, however many look: a dashboard that is open on
// fifty screens costs the database what it costs on one.

import type { Millis } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Store, TimerCount } from '../../store/store.ts'

export type Counted = { readonly at: Millis; readonly counts: readonly TimerCount[] }

const FRESH_MS = 2_000

export class SharedCounts {
  readonly #store: Pick<Store, 'stats'>
  readonly #clock: Clock
  #latest: Counted | null = null
  #latestMonoMs = -Infinity
  #asking: Promise<Counted> | null = null

  constructor(store: Pick<Store, 'stats'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Rejects when the store does. */
  async read(): Promise<Counted> {
    if (this.#latest !== null && this.#isFresh()) return this.#latest
    return (this.#asking ??= this.#ask())
  }

  /** What is known, and a look for something newer when it is old; null before the first answer. */
  latest(): Counted | null {
    // The store says itself in the log and in /readyz that it fails; whoever watches sees an old `at`.
    if (!this.#isFresh()) this.read().catch(() => {})
    return this.#latest
  }

  #isFresh(): boolean {
    return this.#clock.monotonic() - this.#latestMonoMs < FRESH_MS
  }

  async #ask(): Promise<Counted> {
    try {
      const { counts } = await this.#store.stats()
      this.#latest = { at: this.#clock.now(), counts }
      this.#latestMonoMs = this.#clock.monotonic()
      return this.#latest
    } finally {
      this.#asking = null
    }
  }
}
