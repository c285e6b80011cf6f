// Calls over a network that are tried again until they are done or have failed for good. Stores do this themselves where a
// driver would hide which attempt was lost: only who sees each of them knows whether one may have been done.

import { sleep } from '../runtime/clock/clock.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import { StoreError } from './store.ts'

/** `busy`, `away`: not done, try again. `lost`: perhaps done, try again. The others are final. */
export type FailureKind = 'busy' | 'away' | 'lost' | 'full' | 'wrong'

export type Failures = {
  readonly kindOf: (error: unknown) => FailureKind
  /** What the caller gets. `mayBeDone`: this attempt or an earlier one was lost. */
  readonly errorOf: (error: unknown, mayBeDone: boolean) => Error
}

const ATTEMPTS_MAX = 7
const WAIT_FIRST_MS = 40 // doubled with every attempt, and a random part of it waited: about two seconds in all
const WAIT_MAX_MS = 1_000
const NO_MORE_AFTER_MS = 6_000 // whoever asks waits for the answer; a request that gets none takes five seconds already

export class Attempts {
  readonly #clock: Clock
  readonly #failures: Failures

  constructor(clock: Clock, failures: Failures) {
    this.#clock = clock
    this.#failures = failures
  }

  /** A StoreError that the call itself rejects with is final. */
  async make<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let mayBeDone = false
    const startedAt = this.#clock.monotonic()
    for (let attempt = 1, waitMs = WAIT_FIRST_MS; ; attempt++, waitMs = Math.min(waitMs * 2, WAIT_MAX_MS)) {
      try {
        return await call()
      } catch (error) {
        if (error instanceof StoreError) throw error
        const kind = this.#failures.kindOf(error)
        mayBeDone ||= kind === 'lost'
        const isOver = this.#clock.monotonic() - startedAt > NO_MORE_AFTER_MS || signal?.aborted === true
        const isFinal = kind === 'wrong' || kind === 'full' || attempt >= ATTEMPTS_MAX || isOver
        if (isFinal) throw this.#failures.errorOf(error, mayBeDone)
        await sleep(this.#clock, waitMs * Math.random())
      }
    }
  }
}
