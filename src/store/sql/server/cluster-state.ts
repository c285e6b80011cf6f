// A beat as the fields of a node's row, and the answer to it, from the rows of nodes and shards.

import type { Epoch, ShardId } from '../../../core/timer/timer.ts'
import { labelsIn, labelsText } from '../../layout/node-labels.ts'
import type { ClusterState, NodeBeat, NodeRow } from '../../store.ts'

export const SILENT_NODES_KEPT_MS = 3_600_000
/** The beat of a node that has no row. */
export const NO_BEAT = -1

type SaidFields = readonly [node: string, address: string | null, leaving: number, labels: string, beat: number]
export type NodeFields = readonly [...SaidFields, clockSkewMs: number]
export type ShardFields = readonly [shard: ShardId, epoch: Epoch, owner: string | null]

/** `others` has all nodes but the one that beats. */
export type BeatAnswer = {
  readonly skewMs: number
  readonly others: readonly NodeFields[]
  readonly shards: readonly ShardFields[]
}

/** What a node says of itself. The database adds how far its clock is off. */
export function beatFields({ node, address, leaving, labels = [], beat }: NodeBeat): SaidFields {
  return [node, address, leaving ? 1 : 0, labelsText(labels), beat]
}

export function clusterState(own: NodeBeat, { skewMs, others, shards }: BeatAnswer): ClusterState {
  const { node, address, leaving, labels = [], beat } = own
  const nodes = others.map(([name, at, isLeaving, labelled, lastBeat, clockSkewMs]): NodeRow => {
    const leavingNow = isLeaving === 1
    return { node: name, address: at, leaving: leavingNow, labels: labelsIn(labelled), beat: lastBeat, clockSkewMs }
  })
  nodes.push({ node, address, leaving, labels, beat, clockSkewMs: skewMs })
  return {
    nodes: nodes.toSorted((a, b) => (a.node < b.node ? -1 : 1)),
    shards: shards.map(([shard, epoch, owner]) => ({ shard, epoch, owner })),
  }
}
