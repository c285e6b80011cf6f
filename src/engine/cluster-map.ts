// What this node knows of the others and of who owns which shard: by its last beat, and by what other nodes have said about
// shards that moved since. A beat may have been on its way while a shard moved, so the higher epoch is the truth, whoever
// tells it.

import type { Epoch, Millis, ShardId } from '../core/timer.ts'
import type { ClusterState, NodeRow, ShardRow } from '../store/store.ts'

export class ClusterMap {
  readonly #node: string
  readonly #leaseMs: Millis
  #nodes: readonly NodeRow[] = []
  readonly #rows = new Map<ShardId, ShardRow>()

  /** `node` is this one: it lives, whatever the rows say. */
  constructor({ node, leaseMs }: { readonly node: string; readonly leaseMs: Millis }) {
    this.#node = node
    this.#leaseMs = leaseMs
  }

  get nodes(): readonly NodeRow[] {
    return this.#nodes
  }

  get state(): ClusterState {
    return { nodes: this.#nodes, shards: [...this.#rows.values()].toSorted((a, b) => a.shard - b.shard) }
  }

  /** Those that have beaten within the lease. */
  living(): NodeRow[] {
    return this.#nodes.filter(({ node, silentMs }) => node === this.#node || silentMs <= this.#leaseMs)
  }

  others(): NodeRow[] {
    return this.living().filter(({ node }) => node !== this.#node)
  }

  /** How far this node's clock was ahead of the store's at its last beat. */
  get clockSkewMs(): Millis {
    return this.#nodes.find(({ node }) => node === this.#node)?.clockSkewMs ?? 0
  }

  /** 0 for a shard that nobody ever owned. */
  epochOf(shard: ShardId): Epoch {
    return this.#rows.get(shard)?.epoch ?? (0 as Epoch)
  }

  ownerOf(shard: ShardId): string | null {
    return this.#rows.get(shard)?.owner ?? null
  }

  /** Where a shard's owner can be reached; null when it has none, or when it is this node. */
  addressOf(shard: ShardId): string | null {
    const owner = this.ownerOf(shard)
    if (owner === null || owner === this.#node) return null
    return this.#nodes.find(({ node }) => node === owner)?.address ?? null
  }

  /** What a beat was answered. With the same epoch it is newer: the owner may have let go. */
  take({ nodes, shards }: ClusterState): void {
    this.#nodes = nodes
    for (const row of shards) if (row.epoch >= this.epochOf(row.shard)) this.#rows.set(row.shard, row)
  }

  note(moved: readonly ShardRow[]): void {
    for (const { shard, epoch, owner } of moved) if (epoch > this.epochOf(shard)) this.#rows.set(shard, { shard, epoch, owner })
  }
}
