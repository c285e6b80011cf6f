// Who owns which shard, and which nodes live. A claim changes the fence in the shard's document, so that entries with the old
// one are refused, and then does the last commit again.
//
// A claim of a node's shard that depends on its silence concerns two documents. It is announced in the shard's document first,
// then the node's beat is looked at, then the claim is made if the announcement is still there. A beat is written before the
// shards are read, and takes back what is announced for its own ones. So either the claim sees the beat, or the beat sees the
// claim, and in the second case one of the two changes the shard's document first.

import { randomUUID } from 'node:crypto'
import type { Epoch } from '../../core/timer/timer.ts'
import { clusterState, NODE_KEPT_S, nodeFields, NODES_AND_SHARDS, nodeSort, shardSort } from '../keyed/cluster-items.ts'
import { claimedEpoch } from '../store.ts'
import type { ClusterState, NodeBeat, OwnedShard, ShardClaim } from '../store.ts'
import type { Commits } from './commits.ts'
import { keysIn } from './documents.ts'
import type { Doc, Documents } from './documents.ts'

const CLUSTER_FIELDS = { epoch: 1, who: 1, announced: 1, address: 1, leaving: 1, labels: 1, beat: 1, now: 1, at: 1 }

export async function claim(documents: Documents, commits: Commits, wanted: ShardClaim): Promise<Epoch | null> {
  const { shard, expected, from, owner, ifBeat } = wanted
  const epoch = claimedEpoch(wanted)
  const name = randomUUID()
  const key = { _id: shardSort(shard) }
  if (expected === 0 && from === null) {
    const first = {
      q: { ...key, epoch: 0 },
      u: { $set: { epoch, who: owner, claimed: name, number: 0 } },
      upsert: true,
    }
    await documents.update([first])
  } else {
    const fence = { ...key, epoch: expected, who: from }
    if (ifBeat !== undefined && from !== null) {
      await documents.update([{ q: fence, u: { $set: { announced: name } } }])
      const [node] = await documents.find({ _id: nodeSort(from) }, { projection: { beat: 1 } })
      if ((node?.['beat'] ?? null) !== ifBeat) return null
      Object.assign(fence, { announced: name })
    }
    const u = { $set: { epoch, who: owner, claimed: name }, $unset: { announced: 1 } }
    await documents.update([{ q: fence, u }])
  }
  const [doc] = await documents.find(key)
  if (doc?.['claimed'] !== name) return null
  await commits.redo(shard, doc)
  return epoch
}

export async function release(documents: Documents, { shard, epoch, owner }: OwnedShard): Promise<void> {
  await documents.update([{ q: { _id: shardSort(shard), epoch, who: owner }, u: { $set: { who: null } } }])
}

export async function beat(documents: Documents, { node, now, ...said }: NodeBeat): Promise<ClusterState> {
  const gone = new Date(now + NODE_KEPT_S * 1_000)
  const u = { $set: { address: null, ...nodeFields(said), now, gone }, $currentDate: { at: true } }
  await documents.update([{ q: { _id: nodeSort(node) }, u, upsert: true }])
  const docs = await clusterDocs(documents)
  const taken = docs.filter(({ who, announced }) => who === node && announced !== undefined)
  if (taken.length === 0) return stateOf(docs)
  await documents.update(
    taken.map(({ _id, announced }) => ({ q: { _id, who: node, announced }, u: { $unset: { announced: 1 } } })),
  )
  return readCluster(documents)
}

export async function readCluster(documents: Documents): Promise<ClusterState> {
  return stateOf(await clusterDocs(documents))
}

function clusterDocs(documents: Documents): Promise<Doc[]> {
  return documents.find(keysIn(NODES_AND_SHARDS), { projection: CLUSTER_FIELDS, sort: { _id: 1 } })
}

/** The server wrote its own time beside that of the node. */
function stateOf(docs: readonly Doc[]): ClusterState {
  return clusterState(
    docs.map(({ _id, now, at, ...fields }) => {
      return { sort: _id, fields: { ...fields, ...(at !== undefined && { skew: now - (at as Date).getTime() }) } }
    }),
  )
}
