// After the zone data of the runtime have changed: looks once through the timers of this node's shards, in the background, and has
// the time of those computed again that follow the clocks of a zone. Whether there are any is a count that stores keep, so a start
// with the same data costs one question.

import type { OrderKey } from '../core/timer/order.ts'
import { keyOf } from '../core/timer/order.ts'
import { NEVER } from '../core/timer/timer.ts'
import type { Millis, ShardId } from '../core/timer/timer.ts'
import { sleep } from '../runtime/clock/clock.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import type { TimerStore } from '../store/store.ts'
import type { OpenShards } from './open-shards.ts'

export type ZonePassParts = {
  readonly store: Pick<TimerStore, 'due'>
  readonly clock: Clock
  readonly logger: Logger
  readonly shards: OpenShards
  readonly hasOtherZoneData: () => Promise<boolean>
}

const PAGE = 200
const BETWEEN_PAGES_MS = 20 // ten thousand timers a second, beside everything else
const AGAIN_FIRST_MS = 60_000 // shards may have come meanwhile, or a node with other data
const AGAIN_MAX_MS = 3_600_000

export class ZonePass {
  readonly #parts: ZonePassParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null

  constructor(parts: ZonePassParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock, logger, shards, hasOtherZoneData } = this.#parts
    const { signal } = this.#stopping
    for (let waitMs: Millis = AGAIN_FIRST_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, AGAIN_MAX_MS)) {
      try {
        if (!(await hasOtherZoneData())) return
        let computed = 0
        for (const { id } of shards) computed += await this.#pass(id)
        logger.info({ computed }, 'computed the times of timers again that were computed with other zone data')
      } catch (error) {
        if (signal.aborted) return
        logger.warn({ err: error }, 'could not look for timers that were computed with other zone data; trying again')
      }
      await sleep(clock, waitMs, signal).catch(() => {})
    }
  }

  /** How many it computed again. */
  async #pass(id: ShardId): Promise<number> {
    const { store, clock, shards } = this.#parts
    const { signal } = this.#stopping
    let computed = 0
    for (let after: OrderKey | null = null; ;) {
      const scan = { after, until: NEVER, limit: PAGE }
      const rows = await (shards.splitOf(id)?.due(scan) ?? store.due({ ...scan, shard: id }))
      for (const row of rows) {
        if (row.zoned !== null && (await shards.get(id)?.followZone(row)) === true) computed++
      }
      if (rows.length < PAGE || !shards.isOpen(id)) return computed
      after = keyOf(rows.at(-1)!)
      await sleep(clock, BETWEEN_PAGES_MS, signal)
    }
  }
}
