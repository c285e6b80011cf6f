// What clients can make happen as often as they like, in the log: the first time at once, then one line for all that
// came since. Whoever tries keys all day fills no disk, and still shows.

import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'

const QUIET_MS = 10_000

export type QuietLogOptions = {
  readonly clock: Clock
  readonly logger: Logger
  readonly message: string
  /** The field that says how many there were. */
  readonly countAs: string
}

export class QuietLog {
  readonly #options: QuietLogOptions
  #count = 0
  #quietUntil = 0

  constructor(options: QuietLogOptions) {
    this.#options = options
  }

  /** `fields` are those of the one that is logged. */
  note(fields: Readonly<Record<string, unknown>>): void {
    const { clock, logger, message, countAs } = this.#options
    this.#count++
    const now = clock.monotonic()
    if (now < this.#quietUntil) return
    logger.warn({ [countAs]: this.#count, ...fields }, message)
    this.#count = 0
    this.#quietUntil = now + QUIET_MS
  }
}
