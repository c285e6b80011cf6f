// How far this node's clock is from the database's, by its last beat. Nothing that keeps the cluster safe depends on it:
// nobody is taken for dead by it, and what a node believes goes by a clock that cannot be set. But timers fire by the
// clock of the node that owns them, so people are told, once, when it is off by more than a beat's way explains.

import type { Millis } from '../../core/timer/timer.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'

const TOLD_FROM_MS = 500 // a slow round trip looks like skew, too
const TOLD_AGAIN_BELOW_MS = 250

export class SkewWatch {
  readonly #logger: Logger
  #isTold = false

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Positive when this node is ahead. */
  look(clockSkewMs: Millis): void {
    const off = Math.abs(clockSkewMs)
    if (this.#isTold && off < TOLD_AGAIN_BELOW_MS) {
      this.#isTold = false
      this.#logger.info({ clockSkewMs }, 'the clock of this node agrees with that of the database again')
    }
    if (this.#isTold || off < TOLD_FROM_MS) return
    this.#isTold = true
    const effect = clockSkewMs > 0 ? 'its timers fire early' : 'its timers fire late'
    this.#logger.warn(
      { clockSkewMs },
      `the clock of this node is off by the clock of the database, so ${effect}: check NTP on both`,
    )
  }
}
