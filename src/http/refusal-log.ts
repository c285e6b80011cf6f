// Requests without a valid key, in the log: the first at once, then one line for all that came since. Whoever tries
// keys all day fills no disk, and still shows.

import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'

const QUIET_MS = 10_000

export class RefusalLog {
  readonly #clock: Clock
  readonly #logger: Logger
  #refused = 0
  #quietUntil = 0

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#logger = logger
  }

  note(remoteAddress: string): void {
    this.#refused++
    const now = this.#clock.monotonic()
    if (now < this.#quietUntil) return
    this.#logger.warn({ refused: this.#refused, remoteAddress }, 'requests refused: no valid API key')
    this.#refused = 0
    this.#quietUntil = now + QUIET_MS
  }
}
