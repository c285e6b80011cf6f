// Who owns which shard, and which nodes live. A claim changes the fence in the shard's document, so that entries with the old
// one are refused, and then does the last commit again.
//
// A claim of a node's shard that depends on its silence concerns two documents. It is announced in the shard's document first,
// then the node's beat is looked at, then the claim is made if the announcement is still there. A beat is written before the
// shards are read, and takes back what is announced for its own ones. So either the claim sees the beat, or the beat sees the
// claim, and in the second case one of the two changes the shard's document first.

import { randomUUID } from 'node:crypto'
import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { claimedEpoch } from '../store.ts'
import type { ClusterState, NodeBeat, NodeRow, OwnedShard, ShardClaim, ShardRow } from '../store.ts'
import type { Commits } from './commits.ts'
import { keysFrom, shardKey } from './documents.ts'
import type { Doc, Documents } from './documents.ts'

const NODE_KEPT_MS = 86_400_000 // by then nobody waits for it any more
const FENCE_FIELDS = { epoch: 1, owner: 1, announced: 1, address: 1, leaving: 1, labels: 1, beat: 1, now: 1, at: 1 }

export async function claim(documents: Documents, commits: Commits, wanted: ShardClaim): Promise<Epoch | null> {
  const { shard, expected, from, owner, ifBeat } = wanted
  const epoch = claimedEpoch(wanted)
  const name = randomUUID()
  const key = { _id: shardKey(shard) }
  if (expected === 0 && from === null) {
    const first = { q: { ...key, epoch: 0 }, u: { $set: { epoch, owner, claimed: name, number: 0 } }, upsert: true }
    await documents.update([first])
  } else {
    const fence = { ...key, epoch: expected, owner: from }
    if (ifBeat !== undefined && from !== null) {
      await documents.update([{ q: fence, u: { $set: { announced: name } } }])
      const [node] = await documents.find({ _id: nodeKey(from) }, { projection: FENCE_FIELDS })
      if ((node?.['beat'] ?? null) !== ifBeat) return null
      Object.assign(fence, { announced: name })
    }
    const u = { $set: { epoch, owner, claimed: name }, $unset: { announced: 1 } }
    await documents.update([{ q: fence, u }])
  }
  const [doc] = await documents.find(key)
  if (doc?.['claimed'] !== name) return null
  await commits.redo(shard, doc)
  return epoch
}

export async function release(documents: Documents, { shard, epoch, owner }: OwnedShard): Promise<void> {
  await documents.update([{ q: { _id: shardKey(shard), epoch, owner }, u: { $set: { owner: null } } }])
}

export async function shardRows(documents: Documents): Promise<ShardRow[]> {
  return (await documents.find(keysFrom('shard', 'shard'), { projection: FENCE_FIELDS, sort: { _id: 1 } })).map(
    shardRow,
  )
}

export async function beat(documents: Documents, { node, now, labels = [], ...row }: NodeBeat): Promise<ClusterState> {
  const gone = new Date(now + NODE_KEPT_MS)
  const u = { $set: { ...row, labels, now, gone }, $currentDate: { at: true } }
  await documents.update([{ q: { _id: nodeKey(node) }, u, upsert: true }])
  let docs = await fences(documents)
  const taken = docs.filter(({ owner, announced }) => owner === node && announced !== undefined)
  if (taken.length > 0) {
    await documents.update(
      taken.map(({ _id, announced }) => ({ q: { _id, owner: node, announced }, u: { $unset: { announced: 1 } } })),
    )
    docs = await fences(documents)
  }
  const isNode = ({ _id }: Doc) => _id.startsWith(nodeKey(''))
  return { nodes: docs.filter(isNode).map(nodeRow), shards: docs.filter((doc) => !isNode(doc)).map(shardRow) }
}

/** Nodes and shards, in the order of their keys. */
function fences(documents: Documents): Promise<Doc[]> {
  return documents.find(keysFrom('node', 'shard'), { projection: FENCE_FIELDS, sort: { _id: 1 } })
}

function nodeKey(node: string): string {
  return `node/${node}`
}

function shardRow({ _id, epoch, owner }: Doc): ShardRow {
  return { shard: Number(_id.slice('shard/'.length)) as ShardId, epoch: epoch as Epoch, owner: owner as string | null }
}

/** The server wrote its own time beside that of the node. */
function nodeRow({ _id, address, leaving, labels, beat: last, now, at }: Doc): NodeRow {
  return {
    node: _id.slice(nodeKey('').length),
    address: address as string | null,
    leaving: leaving as boolean,
    labels: labels as string[],
    beat: last as number,
    clockSkewMs: (now as number) - (at as Date).getTime(),
  }
}
