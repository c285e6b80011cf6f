// Who owns a shard, and which nodes live. A shard's row is of row_type 1 in the table of its timers; a node's row is
// judged by the clock of the database, the one clock that all nodes share.

import type { Epoch, ShardId } from '../../core/timer.ts'
import type { ClusterState, NodeBeat, NodeRow, ShardClaim, ShardRow } from '../store.ts'
import { RowType } from '../timer-row.ts'
import { columnParameter } from './array-parameters.ts'
import type { Query, Row } from './connections.ts'

const SILENT_NODES_KEPT_MS = 3_600_000

// Rows are locked in the order of the shards, as commits do, so that nobody waits in a circle. Whoever waited for a lock
// looks at the row again and passes it over when its epoch is another one by then.
const LOCKED = `
  SELECT timers.shard_id, timers.shard_epoch FROM asked JOIN timers ON timers.shard_id = asked.shard AND timers.row_type = ${RowType.shard}
  WHERE timers.shard_epoch = asked.epoch
  ORDER BY timers.shard_id FOR NO KEY UPDATE OF timers`
// The uuid of a shard's row only has to be unlike all others: no hash begins with so many ones.
const CLAIM = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::integer[], $2::bigint[]) AS asked (shard, epoch)
  ), inserted AS (
    INSERT INTO timers (shard_id, row_type, timer_execute_at, timer_uuid, shard_epoch, shard_owner)
    SELECT shard, ${RowType.shard}, 0, ('ffffffffffffffffffffffff' || lpad(to_hex(shard), 8, '0'))::uuid, 1, $3
    FROM asked WHERE epoch = 0 ORDER BY shard
    ON CONFLICT DO NOTHING
    RETURNING shard_id, shard_epoch
  ), locked AS MATERIALIZED (${LOCKED}
  ), raised AS (
    UPDATE timers SET shard_epoch = locked.shard_epoch + 1, shard_owner = $3 FROM locked
    WHERE timers.shard_id = locked.shard_id AND timers.row_type = ${RowType.shard} AND timers.shard_epoch = locked.shard_epoch
    RETURNING timers.shard_id, timers.shard_epoch
  )
  SELECT shard_id, shard_epoch FROM inserted UNION ALL SELECT shard_id, shard_epoch FROM raised`
const RELEASE = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::integer[], $2::bigint[]) AS asked (shard, epoch)
  ), locked AS MATERIALIZED (${LOCKED}
  )
  UPDATE timers SET shard_owner = NULL FROM locked
  WHERE timers.shard_id = locked.shard_id AND timers.row_type = ${RowType.shard} AND timers.shard_epoch = locked.shard_epoch`

const SHARDS = `
  SELECT shard_id, shard_epoch, shard_owner FROM timers WHERE timer_namespace IS NULL AND row_type = ${RowType.shard} ORDER BY shard_id`

// The list of nodes is as it was before this statement, so the asking node is left out of it and added by the caller.
// Lists come as JSON: thousands of shards are parsed in a fraction of the time that as many rows would take.
const BEAT = `
  WITH clock AS MATERIALIZED (
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
  ), beaten AS (
    INSERT INTO timer_nodes (node_id, node_address, node_leaving, node_beat_at, node_clock_skew_ms)
    SELECT $1, $2, $3, now, $4::bigint - now FROM clock
    ON CONFLICT (node_id) DO UPDATE SET
      node_address = excluded.node_address, node_leaving = excluded.node_leaving,
      node_beat_at = excluded.node_beat_at, node_clock_skew_ms = excluded.node_clock_skew_ms
  ), forgotten AS (
    DELETE FROM timer_nodes WHERE node_id IN (
      SELECT node_id FROM timer_nodes, clock WHERE node_beat_at < now - ${SILENT_NODES_KEPT_MS} AND node_id <> $1
      FOR UPDATE OF timer_nodes SKIP LOCKED
    )
  )
  SELECT
    (SELECT $4::bigint - now FROM clock),
    (
      SELECT json_agg(json_build_array(node_id, node_address, node_leaving, greatest(now - node_beat_at, 0), node_clock_skew_ms))
      FROM timer_nodes, clock WHERE node_id <> $1 AND node_beat_at >= now - ${SILENT_NODES_KEPT_MS}
    )::text,
    (
      SELECT json_agg(json_build_array(shard_id, shard_epoch, shard_owner) ORDER BY shard_id)
      FROM timers WHERE timer_namespace IS NULL AND row_type = ${RowType.shard}
    )::text`

/** All for the same owner. */
export function claimQuery(claims: readonly ShardClaim[]): Query {
  const shards = columnParameter('int4', claims.map(({ shard }) => shard))
  const epochs = columnParameter('int8', claims.map(({ expected }) => expected))
  return { name: 'claim', text: CLAIM, values: [shards, epochs, claims[0]!.owner] }
}

export function claimedEpochs(rows: readonly Row[]): Map<ShardId, Epoch> {
  return new Map(rows as readonly (readonly [ShardId, Epoch])[])
}

export function releaseQuery(owned: readonly { readonly shard: ShardId; readonly epoch: Epoch }[]): Query {
  const shards = columnParameter('int4', owned.map(({ shard }) => shard))
  return { name: 'release', text: RELEASE, values: [shards, columnParameter('int8', owned.map(({ epoch }) => epoch))] }
}

export function shardsQuery(): Query {
  return { name: 'shards', text: SHARDS, values: [] }
}

export function shardRows(rows: readonly Row[]): ShardRow[] {
  return rows.map((row) => shardRow(row as ShardFields))
}

export function beatQuery({ node, address, leaving, now }: NodeBeat): Query {
  return { name: 'beat', text: BEAT, values: [node, address, leaving, now] }
}

type NodeFields = [node: string, address: string | null, leaving: boolean, silentMs: number, clockSkewMs: number]
type ShardFields = readonly [shard: ShardId, epoch: Epoch, owner: string | null]

export function clusterState({ node, address, leaving }: NodeBeat, rows: readonly Row[]): ClusterState {
  const [ownSkewMs, others, claimed] = rows[0] as [number, string | null, string | null]
  const asking: NodeRow = { node, address, leaving, silentMs: 0, clockSkewMs: ownSkewMs }
  const nodes = listOf<NodeFields>(others).map(([name, at, isLeaving, silentMs, clockSkewMs]): NodeRow => {
    return { node: name, address: at, leaving: isLeaving, silentMs, clockSkewMs }
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
