// When to add up what commits have counted. A commit only leaves its sums in a log, the cheapest write there is; now and then
// a node takes what has gathered there and adds it to the counters, where a thousand commits share a few dozen rows.

import { systemClock } from '../../../runtime/clock/clock.ts'
import type { Logger } from '../../../runtime/telemetry/logger.ts'

const FOLD_AFTER_COMMITS = 128
const ENTRIES_MAX = 20_000 // with one fold: about a tenth of a second
const ENTRIES_MIN = 1_000
const FOLDS_AT_ONCE = 8 // one after the other, while there is more than one can take
const REST_FACTOR = 20 // a fold that is slow, over rows that a long transaction keeps from being swept, is made less often

export class Folding {
  /** Takes about so many entries from the log. True when there may be more. */
  readonly #foldSome: (entriesMax: number) => Promise<boolean>
  readonly #logger: Logger | null
  #commits = 0
  #folding: Promise<void> | null = null
  #restUntil = 0
  #entriesMax = ENTRIES_MAX

  constructor(foldSome: (entriesMax: number) => Promise<boolean>, logger: Logger | null) {
    this.#foldSome = foldSome
    this.#logger = logger
  }

  /** After a commit. True when there may be enough to fold. */
  added(): boolean {
    return ++this.#commits >= FOLD_AFTER_COMMITS && this.#folding === null && this.#isRested
  }

  /** Unless it is too early for it. Never rejects: what is not folded is counted all the same, and taken the next time. */
  async fold(): Promise<void> {
    if (this.#folding === null && this.#isRested) this.#folding = this.#foldAll().finally(() => (this.#folding = null))
    await this.#folding
  }

  /** What is being folded ends; nothing more is begun. */
  stop(): void {
    this.#restUntil = Infinity
  }

  get #isRested(): boolean {
    return systemClock.monotonic() >= this.#restUntil
  }

  async #foldAll(): Promise<void> {
    this.#commits = 0
    let tookMs = 0
    for (let folds = 0, isFull = true; isFull && folds < FOLDS_AT_ONCE && this.#isRested; folds++) {
      const startedAt = systemClock.monotonic()
      isFull = await this.#foldOnce()
      tookMs = systemClock.monotonic() - startedAt
    }
    if (this.#isRested) this.#restUntil = systemClock.monotonic() + tookMs * REST_FACTOR
  }

  /** Whether there may be more. */
  async #foldOnce(): Promise<boolean> {
    try {
      const isFull = await this.#foldSome(this.#entriesMax)
      this.#entriesMax = Math.min(this.#entriesMax * 2, ENTRIES_MAX)
      return isFull
    } catch (error) {
      // It may have taken too long.
      this.#entriesMax = Math.max(Math.floor(this.#entriesMax / 2), ENTRIES_MIN)
      this.#logger?.warn({ err: error }, 'could not add up what commits have counted; trying again later')
      return false
    }
  }
}
