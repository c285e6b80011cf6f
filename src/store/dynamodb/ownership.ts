// Who owns which shard, and which nodes live. A shard's fence is in its own partition, beside what it guards; a copy of every
// fence is with the rows of the nodes, so that a beat reads them all at once. Both are only ever written together.

import { randomUUID } from 'node:crypto'
import type { Epoch } from '../../core/timer/timer.ts'
import { clusterState, NODE_KEPT_S, nodeFields, NODES_AND_SHARDS, nodeSort, shardSort } from '../keyed/cluster-items.ts'
import { claimedEpoch } from '../store.ts'
import type { ClusterState, NodeBeat, OwnedShard, ShardClaim, ShardRow } from '../store.ts'
import { refusalsIn } from './failures.ts'
import { IF_NONE } from './items.ts'
import type { Expression, Write } from './items.ts'
import { clusterKey, fenceKey, partitionOf } from './keys.ts'
import type { Table } from './table.ts'

const CLAIM = 'SET epoch = :epoch, who = :owner, claimed = :name, seq = if_not_exists(seq, :zero)'

export async function claim(table: Table, wanted: ShardClaim): Promise<Epoch | null> {
  const { shard, expected, from, owner, ifBeat } = wanted
  const epoch = claimedEpoch(wanted)
  const name = randomUUID()
  const claims: Write = {
    update: fenceKey(shard),
    by: { text: CLAIM, values: { epoch, owner, name, zero: 0 } },
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
    refusalsIn(error)
    // Perhaps by its own first attempt, whose answer was lost.
    return (await table.get(fenceKey(shard)))?.['claimed'] === name ? epoch : null
  }
}

export async function release(table: Table, { shard, epoch, owner }: OwnedShard): Promise<void> {
  const condition: Expression = { text: 'epoch = :epoch AND who = :owner', values: { epoch, owner } }
  const releases: Write = { update: fenceKey(shard), by: { text: 'REMOVE who' }, condition }
  await table.transact([releases, copy({ shard, epoch, owner: null })]).catch(refusalsIn)
}

/** The node's own row first, so that a claim which saw the beat before is refused, or is seen here. */
export async function beat(table: Table, { node, now, ...said }: NodeBeat, signal: AbortSignal): Promise<ClusterState> {
  const expires = Math.floor(now / 1_000) + NODE_KEPT_S
  const item = { ...clusterKey(nodeSort(node)), ...nodeFields(said), skew: table.skewMs, expires }
  await table.put(item, undefined, signal)
  return readCluster(table)
}

export async function readCluster(table: Table): Promise<ClusterState> {
  const items = await table.query(partitionOf(null), NODES_AND_SHARDS)
  return clusterState(items.map((fields) => ({ sort: fields['sk'] as string, fields })))
}

function copy({ shard, epoch, owner }: ShardRow): Write {
  return { put: { ...clusterKey(shardSort(shard)), epoch, ...(owner !== null && { who: owner }) } }
}

function stillSilent(node: string, last: number | null): Write {
  const condition = last === null ? IF_NONE : { text: 'beat = :beat', values: { beat: last } }
  return { check: clusterKey(nodeSort(node)), condition }
}
