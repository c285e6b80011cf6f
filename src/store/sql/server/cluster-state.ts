// The answer to a beat, from the rows of nodes and shards.

import type { Epoch, ShardId } from '../../../core/timer/timer.ts'
import { labelsIn } from '../../layout/node-labels.ts'
import type { ClusterState, NodeBeat, NodeRow } from '../../store.ts'

export const SILENT_NODES_KEPT_MS = 3_600_000

export type NodeFields = readonly [
  node: string,
  address: string | null,
  leaving: boolean | number,
  labels: string,
  beat: number,
  clockSkewMs: number,
]
export type ShardFields = readonly [shard: ShardId, epoch: Epoch, owner: string | null]

/** `others` has all nodes but the one that beats. */
export type BeatAnswer = {
  readonly skewMs: number
  readonly others: readonly NodeFields[]
  readonly shards: readonly ShardFields[]
}

export function clusterState(own: NodeBeat, { skewMs, others, shards }: BeatAnswer): ClusterState {
  const { node, address, leaving, labels = [], beat } = own
  const nodes = others.map(([name, at, isLeaving, labelled, lastBeat, clockSkewMs]): NodeRow => {
    const leavingNow = Boolean(isLeaving)
    return { node: name, address: at, leaving: leavingNow, labels: labelsIn(labelled), beat: lastBeat, clockSkewMs }
  })
  nodes.push({ node, address, leaving, labels, beat, clockSkewMs: skewMs })
  return {
    nodes: nodes.toSorted((a, b) => (a.node < b.node ? -1 : 1)),
    shards: shards.map(([shard, epoch, owner]) => ({ shard, epoch, owner })),
  }
}
