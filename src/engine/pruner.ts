// Removes finished timers once their retention is over, in small batches with pauses, so that neither the store's
// writer nor its log is busy with it for long. Each node prunes the shards that it owns, by commits like any other.

import { SLOT_MS, SLOTS_KEPT_MS } from '../core/statistics/tallies.ts'
import type { Millis } from '../core/timer/timer.ts'
import { sleep } from '../runtime/clock/clock.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import { deletingPart, partsWithin } from '../store/commit-sheet.ts'
import type { OwnedShard, TimerStore } from '../store/store.ts'

const BATCH = 500
const BETWEEN_BATCHES_MS = 50
const BETWEEN_ROUNDS_MS = 10_000
const BETWEEN_IDLE_ROUNDS_MAX_MS = 60_000 // where nothing is over, there are ever fewer looks, down to one a minute

export type PrunerOptions = {
  readonly store: TimerStore
  readonly clock: Clock
  readonly logger: Logger
  readonly owned: () => readonly OwnedShard[]
}

export class Pruner {
  readonly #options: PrunerOptions
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null
  #slotsForgottenBefore: Millis = 0

  constructor(options: PrunerOptions) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#options
    const { signal } = this.#stopping
    let waitMs = BETWEEN_ROUNDS_MS
    while (!signal.aborted) {
      try {
        await sleep(clock, waitMs, signal)
        const hasMoreSlots = await this.#forgetSlots(clock.now())
        const deleted = await this.#prune(clock.now())
        if (deleted === BATCH || hasMoreSlots) waitMs = BETWEEN_BATCHES_MS
        else if (deleted > 0) waitMs = BETWEEN_ROUNDS_MS
        else waitMs = Math.min(Math.max(waitMs * 2, BETWEEN_ROUNDS_MS), BETWEEN_IDLE_ROUNDS_MAX_MS)
      } catch (error) {
        if (signal.aborted) return
        waitMs = BETWEEN_ROUNDS_MS
        logger.warn({ err: error }, 'could not prune finished timers; trying again later')
      }
    }
  }

  /** A row that has changed meanwhile stands in the way of its part: it is not expired any more, and the others go next time. */
  async #prune(now: Millis): Promise<number> {
    const { store, owned } = this.#options
    const fences = new Map(owned().map((fence) => [fence.shard, fence]))
    if (fences.size === 0) return 0
    const rows = await store.expired({ shards: [...fences.keys()], before: now, limit: BATCH })
    const { partMax } = store.capabilities
    const parts = [...Map.groupBy(rows, ({ shard }) => shard)].flatMap(([shard, expired]) =>
      partsWithin(partMax, expired, (some) => deletingPart(fences.get(shard)!, some)),
    )
    if (rows.length > 0) await store.commit(parts.map(({ part }) => part))
    return rows.length
  }

  /** Until nothing is left, and then not before the next slot of time. True when there may be more. */
  async #forgetSlots(now: Millis): Promise<boolean> {
    const before = Math.floor((now - SLOTS_KEPT_MS) / SLOT_MS) * SLOT_MS
    if (before <= this.#slotsForgottenBefore) return false
    if (await this.#options.store.forgetCounters(before)) return true
    this.#slotsForgottenBefore = before
    return false
  }
}
