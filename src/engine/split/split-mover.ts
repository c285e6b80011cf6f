// Empties a shard that is being split: moves its timers to its parts page by page, waits until its events are published, and says
// when nothing is left. It only goes on where it finds something, so whoever owns the shard next begins anew.

import type { OrderKey } from '../../core/timer/order.ts'
import type { ShardId, Timer } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { isEmptyShard } from '../../store/layout/empty-shard.ts'
import { moveEvents } from '../../store/layout/move-events.ts'
import type { TimerStore } from '../../store/store.ts'
import type { SplitShard } from './split-shard.ts'

export type SplitMoverParts = {
  readonly store: TimerStore
  readonly clock: Clock
  readonly logger: Logger
  /** Absent where nobody wants events. */
  readonly outbox?: { opened(shard: ShardId): void }
  /** Of the windows. */
  readonly limits: { readonly pageSize: number }
  /** Nothing is left in the shard. Called again until it has been split. */
  readonly onEmpty: (shard: ShardId) => void
}

const PAGE_ROWS_MAX = 100 // one statement of some milliseconds: who writes to one of them waits for it
const AGAIN_MS = 200 // after a failure, or while events wait to be published
const EMPTY_AGAIN_MS = 1_000

/** Until the split shard is stopped. */
export async function emptyShard(split: SplitShard, parts: SplitMoverParts): Promise<void> {
  const mover = new SplitMover(split, parts)
  while (!split.stopped.aborted) {
    const waitMs = await mover.step().catch((error: unknown) => {
      if (!split.stopped.aborted)
        parts.logger.warn({ shard: split.id, err: error }, 'could not move timers to another shard; trying again')
      return AGAIN_MS
    })
    if (waitMs > 0) await sleep(parts.clock, waitMs, split.stopped).catch(() => {})
  }
}

class SplitMover {
  readonly #split: SplitShard
  readonly #parts: SplitMoverParts
  /** Where to go on, for live timers and then for finished ones; nothing comes to the shard any more. */
  #cursors: { readonly finished: boolean; after: OrderKey | null }[] = everything()
  #arePartsPublished = false

  constructor(split: SplitShard, parts: SplitMoverParts) {
    this.#split = split
    this.#parts = parts
  }

  /** How long to wait before the next one. */
  async step(): Promise<number> {
    await this.#split.fences()
    if (!this.#arePartsPublished) await this.#publishParts()
    const [cursor] = this.#cursors
    if (cursor !== undefined) {
      await this.#movePage(cursor)
      return 0
    }
    const isEmpty = await isEmptyShard(this.#parts.store, this.#split.id)
    this.#split.isFinishing = isEmpty && this.#arePartsPublished
    if (this.#split.isFinishing) {
      this.#parts.onEmpty(this.#split.id)
      return EMPTY_AGAIN_MS
    }
    if (!isEmpty) this.#beginAnew()
    return AGAIN_MS
  }

  /** Events wait to be published, or a fail-over of the database has undone moves. */
  #beginAnew(): void {
    this.#cursors = everything()
    if (this.#parts.outbox === undefined) this.#arePartsPublished = false
  }

  async #movePage(cursor: { readonly finished: boolean; after: OrderKey | null }): Promise<void> {
    const { store, limits } = this.#parts
    const limit = Math.min(PAGE_ROWS_MAX, limits.pageSize)
    let page: readonly Timer[] = []
    await this.#split.move(async () => {
      page = await store.scan({ ...cursor, shard: this.#split.id, limit })
      return page
    })
    if (page.length < limit) this.#cursors.shift()
    else cursor.after = page.at(-1)!
  }

  /** What is written to the parts is published after what was written to the shard. */
  async #publishParts(): Promise<void> {
    const { store, outbox } = this.#parts
    const { id } = this.#split
    const fences = await this.#split.fences()
    if (outbox === undefined)
      await moveEvents(id, { store, fenceFor: (event) => fences.get(this.#split.partOf(event))! })
    else if ((await store.readEvents({ shard: id, after: 0, limit: 1 })).length > 0) return
    if (this.#split.stopped.aborted) return
    this.#arePartsPublished = true
    for (const part of this.#split.parts) outbox?.opened(part)
  }
}

function everything(): { readonly finished: boolean; after: OrderKey | null }[] {
  return [
    { finished: false, after: null },
    { finished: true, after: null },
  ]
}
