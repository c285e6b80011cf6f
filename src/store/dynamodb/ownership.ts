// Who owns which shard, and which nodes live. A shard's fence is in its own partition, beside what it guards; a copy of every
// fence is with the rows of the nodes, so that a beat reads them all at once. Both are only ever written together.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { labelsIn, labelsText } from '../layout/node-labels.ts'
import { claimedEpoch } from '../store.ts'
import type { ClusterState, NodeBeat, NodeRow, OwnedShard, ShardClaim, ShardRow } from '../store.ts'
import { fenceKey } from './commits.ts'
import { Refusal } from './failures.ts'
import { IF_NONE } from './items.ts'
import type { Item } from '../keyed/timer-fields.ts'
import type { Expression, Write } from './items.ts'
import { CLUSTER, keyOf, NODES_AND_SHARDS, nodeSort, SHARDS, shardSort } from './keys.ts'
import type { Table } from './table.ts'

const NODE_KEPT_S = 86_400 // by then nobody waits for it any more

export async function claim(table: Table, wanted: ShardClaim): Promise<Epoch | null> {
  const { shard, expected, from, owner, ifBeat } = wanted
  const epoch = claimedEpoch(wanted)
  const claims: Write = {
    update: fenceKey(shard),
    by: {
      text: 'SET epoch = :epoch, who = :owner, seq = if_not_exists(seq, :zero)',
      values: { epoch, owner, zero: 0 },
    },
    condition: {
      text: `${expected === 0 ? 'attribute_not_exists(epoch)' : 'epoch = :expected'} AND ${from === null ? 'attribute_not_exists(who)' : 'who = :from'}`,
      values: { ...(expected !== 0 && { expected }), ...(from !== null && { from }) },
    },
  }
  const silence = ifBeat === undefined || from === null ? [] : [stillSilent(from, ifBeat)]
  try {
    await table.transact([claims, copy({ shard, epoch, owner }), ...silence])
    return epoch
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // An owner's name is that of one run: with this epoch nobody else can have put it there.
    const fence = error.mayBeDone ? await table.get(fenceKey(shard)) : null
    return fence?.['who'] === owner && fence['epoch'] === epoch ? epoch : null
  }
}

export async function release(table: Table, { shard, epoch, owner }: OwnedShard): Promise<void> {
  const condition: Expression = { text: 'epoch = :epoch AND who = :owner', values: { epoch, owner } }
  const releases: Write = { update: fenceKey(shard), by: { text: 'REMOVE who' }, condition }
  await table.transact([releases, copy({ shard, epoch, owner: null })]).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
  })
}

export async function shardRows(table: Table): Promise<ShardRow[]> {
  return (await table.range(CLUSTER, SHARDS)).map(shardRow)
}

/** The node's own row first, so that a claim which saw the beat before is refused, or is seen here. */
export async function beat(
  table: Table,
  { node, now, labels = [], ...row }: NodeBeat,
  signal: AbortSignal,
): Promise<ClusterState> {
  const expires = Math.floor(now / 1_000) + NODE_KEPT_S
  const said = { ...row, labels: labelsText(labels), skew: table.skewMs, expires }
  await table.put({ ...keyOf(CLUSTER, nodeSort(node)), ...said }, undefined, signal)
  const items = await table.range(CLUSTER, NODES_AND_SHARDS)
  const isNode = ({ sk }: Item) => (sk as string).startsWith(nodeSort(''))
  return { nodes: items.filter(isNode).map(nodeRow), shards: items.filter((item) => !isNode(item)).map(shardRow) }
}

function copy({ shard, epoch, owner }: ShardRow): Write {
  return { put: { ...keyOf(CLUSTER, shardSort(shard)), epoch, ...(owner !== null && { who: owner }) } }
}

function stillSilent(node: string, last: number | null): Write {
  const condition = last === null ? IF_NONE : { text: 'beat = :beat', values: { beat: last } }
  return { check: keyOf(CLUSTER, nodeSort(node)), condition }
}

function shardRow({ sk, epoch, who = null }: Item & { readonly who?: string | null }): ShardRow {
  return { shard: Number((sk as string).slice('shard/'.length)) as ShardId, epoch: epoch as Epoch, owner: who }
}

function nodeRow({ sk, address, leaving, labels, beat: last, skew }: Item): NodeRow {
  return {
    node: (sk as string).slice(nodeSort('').length),
    address: (address as string | undefined) ?? null,
    leaving: leaving as boolean,
    labels: labelsIn((labels as string | undefined) ?? ''),
    beat: last as number,
    clockSkewMs: skew as number,
  }
}
