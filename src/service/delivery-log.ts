// What came of deliveries, in the log: one line for each attempt that failed, and at debug level for the others, too. A
// target that is down fails thousands of attempts, so there are only so many lines for one target and in all; how many
// were left out is said afterwards. Payloads, headers and the paths of URLs, which carry secrets, are never logged.

import type { DeliveryOutcome } from '../core/timer/delivery.ts'
import { isFinished, NEVER } from '../core/timer/timer.ts'
import { targetTypeOf } from '../core/targets/target.ts'
import type { Timer } from '../core/timer/timer.ts'
import type { EngineObserver } from '../engine/engine.ts'
import type { Cancel, Clock } from '../runtime/clock/clock.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import type { ServiceObserver } from './observers.ts'

const PERIOD_MS = 10_000
const LINES_PER_TARGET = 10 // in a period: enough to see what is wrong with it
const LINES_MAX = 100 // in a period: a megabyte in about ten minutes

export class DeliveryLog {
  readonly #logger: Logger
  readonly #clock: Clock
  /** Lines of this period; null between periods. */
  #period: {
    readonly byTarget: Map<string, number>
    readonly cancelEnd: Cancel
    lines: number
    leftOut: number
  } | null = null

  constructor({ logger, clock }: { logger: Logger; clock: Clock }) {
    this.#logger = logger
    this.#clock = clock
  }

  observer(): EngineObserver & ServiceObserver {
    return {
      fired: () => {},
      committed: () => {},
      executed: () => {},
      settled: (before, after, outcome, durationMs) => {
        if (outcome.type === 'failed') this.#failed(before, after, outcome, durationMs)
        else if (this.#logger.isLevelEnabled('debug')) {
          this.#logger.debug({ ...facts(before, outcome, durationMs), outcome: outcome.type }, 'delivery ended')
        }
      },
    }
  }

  /** Says what was left out so far. */
  stop(): void {
    if (this.#period === null) return
    const { leftOut, cancelEnd } = this.#period
    cancelEnd()
    this.#period = null
    if (leftOut > 0) this.#logger.warn({ leftOut }, 'more deliveries failed than are logged one by one')
  }

  #failed(before: Timer, after: Timer, outcome: DeliveryOutcome & { type: 'failed' }, durationMs: number): void {
    const fields = facts(before, outcome, durationMs)
    if (!this.#hasRoomFor(fields.target)) return
    const isOver = isFinished(after) || after.wakeAt === NEVER
    const nextAttemptAt = isOver ? null : new Date(after.wakeAt).toISOString()
    // With a status the words may be the receiver's own, which belong to its timers.
    this.#logger.warn(
      { ...fields, ...(outcome.statusCode === null && { error: outcome.error }), nextAttemptAt },
      'delivery failed',
    )
  }

  #hasRoomFor(target: string): boolean {
    const period = (this.#period ??= this.#newPeriod())
    const lines = period.byTarget.get(target) ?? 0
    if (lines >= LINES_PER_TARGET || period.lines >= LINES_MAX) {
      period.leftOut++
      return false
    }
    period.byTarget.set(target, lines + 1)
    period.lines++
    return true
  }

  #newPeriod() {
    return {
      byTarget: new Map<string, number>(),
      cancelEnd: this.#clock.after(PERIOD_MS, () => this.stop()),
      lines: 0,
      leftOut: 0,
    }
  }
}

function facts(
  { namespace, id, target, attempts }: Timer,
  { statusCode: status }: DeliveryOutcome,
  durationMs: number,
) {
  return { namespace, id, target: targetTypeOf(target.type).placeOf(target), status, attempt: attempts + 1, durationMs }
}
