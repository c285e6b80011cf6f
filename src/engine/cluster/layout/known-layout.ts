// The layout as the last beat told it, and which node should own which shard by it.

import { initialLayout } from '../../../core/cluster/layout.ts'
import { desiredOwners, servedShards } from '../../../core/cluster/split.ts'
import type { LabelledNode } from '../../../core/cluster/shard-assignment.ts'
import type { ShardId } from '../../../core/timer/timer.ts'
import type { Logger } from '../../../runtime/telemetry/logger.ts'
import type { StoredLayout } from '../../../store/layout/layout-row.ts'
import type { ShardRow } from '../../../store/store.ts'

export class KnownLayout {
  readonly #logger: Logger
  #current: StoredLayout
  #shards: readonly ShardId[]
  #waiting = 0

  constructor(initialShards: number, logger: Logger) {
    this.#logger = logger
    this.#current = { ...initialLayout(initialShards), text: null }
    this.#shards = servedShards(this.#current)
  }

  get current(): StoredLayout {
    return this.#current
  }

  get shards(): readonly ShardId[] {
    return this.#shards
  }

  /** How many shards no living node may have, by the rules. */
  get waiting(): number {
    return this.#waiting
  }

  /** Of these, the rows of shards that can have an owner. */
  served(rows: readonly ShardRow[]): ShardRow[] {
    const served = new Set(this.#shards)
    return rows.filter(({ shard }) => served.has(shard))
  }

  take(layout: StoredLayout): void {
    // A fail-over may make the database forget a version, which another layout has then.
    if (layout.version === this.#current.version && layout.text === this.#current.text) return
    const { version, next } = layout
    this.#logger.info({ version, reshard: next?.phase ?? null }, 'the layout of the shards has changed')
    this.#current = layout
    this.#shards = servedShards(layout)
  }

  desired(nodes: readonly LabelledNode[]): ReadonlyMap<ShardId, string> {
    const desired = desiredOwners(this.#current, nodes)
    this.#waiting = nodes.length === 0 ? 0 : this.#shards.length - desired.size
    return desired
  }

  /** Throws while timers are moved from shard to shard and nobody has any of them. */
  assertServed(): void {
    if (this.#current.next?.phase === 'offline')
      throw new Error(
        'a reshard of this database was begun and is not finished, so nothing fires: run `duetime reshard` to finish it',
      )
  }
}
