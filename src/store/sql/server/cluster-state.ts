// The answer to a beat, from the rows of nodes and shards. Databases give them as two JSON lists: thousands of shards are
// parsed in a fraction of the time that as many rows would take.

import type { Epoch, ShardId } from '../../../core/timer/timer.ts'
import type { ClusterState, NodeBeat, NodeRow } from '../../store.ts'

export const SILENT_NODES_KEPT_MS = 3_600_000

type NodeFields = readonly [
  node: string,
  address: string | null,
  leaving: boolean | number,
  beat: number,
  clockSkewMs: number,
]
type ShardFields = readonly [shard: ShardId, epoch: Epoch, owner: string | null]

/** `others` has all nodes but the one that beats. */
export type BeatAnswer = {
  readonly skewMs: number
  readonly others: string | null
  readonly shards: string | null
}

export function clusterState(own: NodeBeat, { skewMs, others, shards }: BeatAnswer): ClusterState {
  const { node, address, leaving, beat } = own
  const nodes = listOf<NodeFields>(others).map(([name, at, isLeaving, lastBeat, clockSkewMs]): NodeRow => {
    return { node: name, address: at, leaving: Boolean(isLeaving), beat: lastBeat, clockSkewMs }
  })
  nodes.push({ node, address, leaving, beat, clockSkewMs: skewMs })
  return {
    nodes: nodes.toSorted((a, b) => (a.node < b.node ? -1 : 1)),
    shards: listOf<ShardFields>(shards).map(([shard, epoch, owner]) => ({ shard, epoch, owner })),
  }
}

function listOf<T>(json: string | null): T[] {
  return json === null ? [] : (JSON.parse(json) as T[])
}
