// Who owns a shard, and which nodes beat. A shard's row is of row_type 1 in the table of its timers.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { claimedEpoch } from '../store.ts'
import type { ClusterState, NodeBeat, NodeRow, OwnedShard, ShardClaim, ShardRow } from '../store.ts'
import { RowType } from '../row/columns.ts'
import { columnParameter } from './connection/array-parameters.ts'
import type { Query, Row } from './connection/connections.ts'

const SILENT_NODES_KEPT_MS = 3_600_000
const NO_BEAT = -1 // of a node that has no row

// Rows are locked in the order of the shards, as commits do, so that nobody waits in a circle. Whoever waited for a lock
// looks at the row again and passes it over when its fence is another one by then.
const LOCKED = `
  JOIN timers ON timers.shard_id = asked.shard AND timers.row_type = ${RowType.shard}
  WHERE timers.shard_epoch = asked.epoch AND timers.shard_owner IS NOT DISTINCT FROM asked.owner
  ORDER BY timers.shard_id FOR NO KEY UPDATE OF timers`
// A node that is taken for silent is held on to: its next beat waits until the claim is done, and then sees it. One that has
// just beaten is waited for, and its beat is looked at again.
// The uuid of a shard's row only has to be unlike all others: no hash begins with so many ones.
const CLAIM = `
  WITH all_asked AS MATERIALIZED (
    SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) AS asked (shard, epoch, owner, if_beat, next_epoch)
  ), silent AS MATERIALIZED (
    SELECT node_id, node_beat FROM timer_nodes
    WHERE node_id = ANY (ARRAY(SELECT owner FROM all_asked WHERE if_beat IS NOT NULL)) ORDER BY node_id FOR SHARE
  ), asked AS MATERIALIZED (
    SELECT all_asked.* FROM all_asked LEFT JOIN silent ON silent.node_id = all_asked.owner
    WHERE if_beat IS NULL OR if_beat = coalesce(node_beat, ${NO_BEAT})
  ), inserted AS (
    INSERT INTO timers (shard_id, row_type, timer_execute_at, timer_uuid, shard_epoch, shard_owner)
    SELECT shard, ${RowType.shard}, 0, ('ffffffffffffffffffffffff' || lpad(to_hex(shard), 8, '0'))::uuid, next_epoch, $6
    FROM asked WHERE epoch = 0 ORDER BY shard
    ON CONFLICT DO NOTHING
    RETURNING shard_id, shard_epoch
  ), locked AS MATERIALIZED (
    SELECT timers.shard_id, asked.next_epoch FROM asked ${LOCKED}
  ), raised AS (
    UPDATE timers SET shard_epoch = locked.next_epoch, shard_owner = $6 FROM locked
    WHERE timers.shard_id = locked.shard_id AND timers.row_type = ${RowType.shard}
    RETURNING timers.shard_id, timers.shard_epoch
  )
  SELECT shard_id, shard_epoch FROM inserted UNION ALL SELECT shard_id, shard_epoch FROM raised`
const RELEASE = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[]) AS asked (shard, epoch, owner)
  ), locked AS MATERIALIZED (
    SELECT timers.shard_id FROM asked ${LOCKED}
  )
  UPDATE timers SET shard_owner = NULL FROM locked
  WHERE timers.shard_id = locked.shard_id AND timers.row_type = ${RowType.shard}`

const SHARDS = `
  SELECT shard_id, shard_epoch, shard_owner FROM timers WHERE timer_namespace IS NULL AND row_type = ${RowType.shard} ORDER BY shard_id`

const BEAT = 'SELECT skew_ms, nodes, shards FROM timers_beat_1($1, $2, $3, $4, $5, $6)'

/** All for the same owner. */
export function claimQuery(claims: readonly ShardClaim[]): Query {
  const values = [
    columnParameter(
      'int4',
      claims.map(({ shard }) => shard),
    ),
    columnParameter(
      'int8',
      claims.map(({ expected }) => expected),
    ),
    columnParameter(
      'text',
      claims.map(({ from }) => from),
    ),
    columnParameter(
      'int8',
      claims.map(({ ifBeat }) => (ifBeat === undefined ? null : (ifBeat ?? NO_BEAT))),
    ),
    columnParameter('int8', claims.map(claimedEpoch)),
    claims[0]!.owner,
  ]
  return { name: 'claim', text: CLAIM, values }
}

export function claimedEpochs(rows: readonly Row[]): Map<ShardId, Epoch> {
  return new Map(rows as readonly (readonly [ShardId, Epoch])[])
}

export function releaseQuery(owned: readonly OwnedShard[]): Query {
  const values = [
    columnParameter(
      'int4',
      owned.map(({ shard }) => shard),
    ),
    columnParameter(
      'int8',
      owned.map(({ epoch }) => epoch),
    ),
    columnParameter(
      'text',
      owned.map(({ owner }) => owner),
    ),
  ]
  return { name: 'release', text: RELEASE, values }
}

export function shardsQuery(): Query {
  return { name: 'shards', text: SHARDS, values: [] }
}

export function shardRows(rows: readonly Row[]): ShardRow[] {
  return rows.map((row) => shardRow(row as ShardFields))
}

export function beatQuery({ node, address, leaving, beat, now }: NodeBeat): Query {
  return { name: 'beat', text: BEAT, values: [node, address, leaving, beat, now, SILENT_NODES_KEPT_MS] }
}

type NodeFields = [node: string, address: string | null, leaving: boolean, beat: number, clockSkewMs: number]
type ShardFields = readonly [shard: ShardId, epoch: Epoch, owner: string | null]

export function clusterState({ node, address, leaving, beat }: NodeBeat, rows: readonly Row[]): ClusterState {
  const [ownSkewMs, others, claimed] = rows[0] as [number, string | null, string | null]
  const asking: NodeRow = { node, address, leaving, beat, clockSkewMs: ownSkewMs }
  const nodes = listOf<NodeFields>(others).map(([name, at, isLeaving, lastBeat, clockSkewMs]): NodeRow => {
    return { node: name, address: at, leaving: isLeaving, beat: lastBeat, clockSkewMs }
  })
  const shards = listOf<ShardFields>(claimed).map(shardRow)
  return { nodes: [asking, ...nodes].toSorted((a, b) => (a.node < b.node ? -1 : 1)), shards }
}

function shardRow([shard, epoch, owner]: ShardFields): ShardRow {
  return { shard, epoch, owner }
}

function listOf<T>(json: string | null): T[] {
  return json === null ? [] : (JSON.parse(json) as T[])
}
