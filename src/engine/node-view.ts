// What a node tells of itself: for metrics and health, and for people who look at the cluster.

import type { Layout, ShardGroup } from '../core/cluster/layout.ts'
import { reshardProgress } from '../core/cluster/split.ts'
import type { ReshardProgress } from '../core/cluster/split.ts'
import type { Millis, Namespace, ShardId } from '../core/timer/timer.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { ShardRow } from '../store/store.ts'
import type { SeenNode } from './cluster/beat-watch.ts'
import type { CommitQueue } from './commit/commit-queue.ts'
import type { Dispatcher } from './delivery/dispatcher.ts'
import type { OpenShards } from './open-shards.ts'
import type { Ownership } from './cluster/ownership.ts'
import type { ShardStatus } from './shard.ts'

/** What the engine is busy with. */
export type EngineGauges = {
  readonly ownedShards: number
  /** Shards that the store says are this node's and that are not open here. */
  readonly unopenedShards: number
  /** Of the layout, whoever owns them. */
  readonly layoutShards: number
  /** Shards that no living node may have, by the rules of the layout. */
  readonly waitingShards: number
  /** Shards that a reshard has not dealt with yet. */
  readonly unsplitShards: number
  /** Claims that the database has forgotten. */
  readonly forgottenClaims: number
  readonly windowTimers: number
  readonly windowBytes: number
  readonly commitQueueLength: number
  readonly inFlight: number
  readonly readyDeliveries: number
  /** Of these, missed iterations. */
  readonly waitingToCatchUp: number
  readonly clockSkewMs: Millis
}

export type ShardGauges = ShardStatus & { readonly shard: ShardId }

/** Who lives and who owns what, by this node's last look, with what only this node knows of its own shards. */
export type ClusterView = {
  readonly node: string
  /** False while this node cannot be sure that its shards are still its own: it starts no deliveries then. */
  readonly isCertain: boolean
  readonly nodes: readonly SeenNode[]
  readonly shards: readonly (ShardRow & { readonly own: ShardStatus | null })[]
  /** Timers are being moved between shards. */
  readonly resharding: boolean
  /** How far that is; null when they are not. */
  readonly reshard: ReshardProgress | null
  /** Which shards a namespace has, or those that share (null), and which nodes may own them. */
  readonly groups: readonly ({ readonly namespace: Namespace | null } & ShardGroup)[]
}

export type NodeParts = {
  readonly node: string
  readonly clock: Clock
  readonly shards: OpenShards
  readonly ownership: Ownership
  readonly commits: CommitQueue
  readonly dispatcher: Dispatcher
}

export class NodeView {
  readonly #parts: NodeParts

  constructor(parts: NodeParts) {
    this.#parts = parts
  }

  gauges(): EngineGauges {
    const { ownership, commits, dispatcher } = this.#parts
    const shards = [...this.#parts.shards]
    return {
      ownedShards: shards.length,
      unopenedShards: ownership.unopenedShards,
      layoutShards: ownership.layout.shards.length,
      waitingShards: ownership.layout.waiting,
      unsplitShards: unsplit(ownership.layout.current),
      forgottenClaims: ownership.forgottenClaims,
      windowTimers: shards.reduce((sum, { windowTimers }) => sum + windowTimers, 0),
      windowBytes: shards.reduce((sum, { windowBytes }) => sum + windowBytes, 0),
      commitQueueLength: commits.length,
      inFlight: dispatcher.inFlight,
      readyDeliveries: dispatcher.waiting,
      waitingToCatchUp: dispatcher.waitingToCatchUp,
      clockSkewMs: ownership.clockSkewMs,
    }
  }

  shardGauges(): ShardGauges[] {
    const now = this.#parts.clock.now()
    return Array.from(this.#parts.shards, (shard) => ({ shard: shard.id, ...shard.status(now) }))
  }

  cluster(): ClusterView {
    const { node, clock, shards, ownership } = this.#parts
    const now = clock.now()
    const { nodes, shards: rows } = ownership.state
    const layout = ownership.layout.current
    const own = Array.from(layout.own, ([namespace, group]) => ({ namespace, ...group }))
    return {
      node,
      isCertain: ownership.isCertain,
      nodes,
      shards: rows.map((row) => ({ ...row, own: shards.get(row.shard)?.status(now) ?? null })),
      resharding: layout.next !== null,
      reshard: reshardProgress(layout),
      groups: [{ namespace: null, ...layout.shared }, ...own],
    }
  }
}

function unsplit(layout: Layout): number {
  const { done, total } = reshardProgress(layout) ?? { done: 0, total: 0 }
  return total - done
}
