// Calls over a network that are tried again until they are done or have failed for good. Stores do this themselves where a
// driver would hide which attempt was lost: only who sees each of them knows whether one may have been done.

import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { StoreError } from '../store.ts'

/**
 * `busy`, `away`: not done, try again. `lost`: perhaps done, try again. The others are final. `wrong`: somebody may mend it, such
 * as rights. `malformed`: it can never work. `refused`: a condition was not met, and the caller gets the error as it is.
 */
export type FailureKind = 'busy' | 'away' | 'lost' | 'full' | 'wrong' | 'malformed' | 'refused'

/** What the errors of a driver mean. */
export type Failures = {
  readonly database: string
  /** For people. It names no credential. */
  readonly place: string
  readonly kindOf: (error: unknown) => FailureKind
  /** Where a driver needs a while until it is connected again. */
  readonly attemptsMax?: number
  /** Where the message of the error does not say it. */
  readonly messageOf?: (error: Error) => string
}

const ATTEMPTS_MAX = 7
const WAIT_FIRST_MS = 40 // doubled with every attempt, and a random part of it waited: about two seconds in all
const WAIT_MAX_MS = 1_000
const NO_MORE_AFTER_MS = 6_000 // whoever asks waits for the answer; a request that gets none takes five seconds already
const ANSWER_WITHIN_MS = 8_000 // drivers give up earlier, nearly always; a call that never ends would hold up all that comes after it
const AGAIN: readonly FailureKind[] = ['busy', 'away', 'lost']

export class Attempts {
  readonly #clock: Clock
  readonly #failures: Failures

  constructor(clock: Clock, failures: Failures) {
    this.#clock = clock
    this.#failures = failures
  }

  /** A StoreError that the call itself rejects with is final. What the call is given aborts when nobody waits for its answer any more. */
  async make<T>(call: (over: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { kindOf, attemptsMax = ATTEMPTS_MAX } = this.#failures
    let mayBeDone = false
    const startedAt = this.#clock.monotonic()
    for (let attempt = 1, waitMs = WAIT_FIRST_MS; ; attempt++, waitMs = Math.min(waitMs * 2, WAIT_MAX_MS)) {
      try {
        return await this.#answered(call)
      } catch (error) {
        const kind = error instanceof StoreError ? 'refused' : kindOf(error)
        if (kind === 'refused') throw error
        mayBeDone ||= kind === 'lost'
        const isOver = this.#clock.monotonic() - startedAt > NO_MORE_AFTER_MS || signal?.aborted === true
        if (!AGAIN.includes(kind) || attempt >= attemptsMax || isOver)
          throw storeError(this.#failures, error, mayBeDone)
        await sleep(this.#clock, waitMs * Math.random())
      }
    }
  }

  /** What the call answers, or that it does not: then nobody knows whether it is done, or will be. */
  #answered<T>(call: (over: AbortSignal) => Promise<T>): Promise<T> {
    const { database, place } = this.#failures
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const over = new AbortController()
    const answer = call(over.signal)
    const cancel = this.#clock.after(ANSWER_WITHIN_MS, () => {
      const message = `${database} (${place}): no answer for ${ANSWER_WITHIN_MS / 1_000} s`
      reject(new StoreError(message, { retryable: true, outcomeUnknown: true }))
      over.abort()
    })
    answer.then(resolve, reject).finally(cancel)
    return promise
  }
}

/** `mayBeDone`: this attempt or an earlier one was lost. */
export function storeError(failures: Failures, error: unknown, mayBeDone: boolean): StoreError {
  const { database, place, kindOf, messageOf = ({ message }) => message } = failures
  const { name } = error as Error
  const kind = kindOf(error)
  return new StoreError(`${database} (${place}): ${name === 'Error' ? '' : `${name}: `}${messageOf(error as Error)}`, {
    retryable: kind !== 'malformed',
    outcomeUnknown: mayBeDone || kind === 'lost',
    isFull: kind === 'full',
    cause: error,
  })
}
