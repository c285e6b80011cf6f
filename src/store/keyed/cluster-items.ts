// Nodes and shards as items of one partition, which a beat reads whole: who lives, and who owns what.
//
//   node/<node>      its last beat, and what else it says of itself
//   shard/<shard>    epoch and owner

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { labelsIn, labelsText } from '../layout/node-labels.ts'
import type { ClusterState, NodeBeat } from '../store.ts'
import { AFTER_ALL, digits } from './sort-keys.ts'
import type { Range } from './sort-keys.ts'
import type { Item } from './timer-fields.ts'

export type ClusterItem = { readonly sort: string; readonly fields: Item }

export const NODE_KEPT_S = 86_400 // by then nobody waits for it any more
export const NODES_AND_SHARDS: Range = { from: 'node/', to: `shard/${AFTER_ALL}` }

export function nodeSort(node: string): string {
  return `node/${node}`
}

export function shardSort(shard: ShardId): string {
  return `shard/${digits(shard)}`
}

export function nodeFields({ address, leaving, labels = [], beat }: Omit<NodeBeat, 'node' | 'now'>): Item {
  return { leaving, labels: labelsText(labels), beat, ...(address !== null && { address }) }
}

/** `skew`, of nodes: how far their clocks were ahead. `who`, of shards: the owner; without one it is released. */
export function clusterState(items: readonly ClusterItem[]): ClusterState {
  const [nodes, shards] = ['node/', 'shard/'].map((kind) =>
    items
      .filter(({ sort }) => sort.startsWith(kind))
      .map(({ sort, fields }) => ({ name: sort.slice(kind.length), fields })),
  )
  return {
    nodes: nodes!.map(({ name, fields: { address, leaving, labels, beat, skew } }) => ({
      node: name,
      address: (address as string | undefined) ?? null,
      leaving: leaving as boolean,
      labels: labelsIn((labels as string | undefined) ?? ''),
      beat: beat as number,
      clockSkewMs: skew as number,
    })),
    shards: shards!.map(({ name, fields: { epoch, who } }) => ({
      shard: Number(name) as ShardId,
      epoch: epoch as Epoch,
      owner: (who as string | undefined) ?? null,
    })),
  }
}
