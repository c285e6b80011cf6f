// Who owns a shard, and which nodes live. A shard's row is of row_type 1 in the table of its timers; a node's row is
// judged by the clock of the database, the one clock that all nodes share.

import type { Epoch, ShardId } from '../../core/timer.ts'
import type { ClusterState, NodeBeat, NodeRow, ShardClaim, ShardRow } from '../store.ts'
import { RowType } from '../timer-row.ts'
import type { Query, Row } from './connections.ts'

const SILENT_NODES_KEPT_MS = 3_600_000

// The uuid of a shard's row only has to be unlike all others: no hash begins with so many ones.
const INSERT_SHARD = `
  INSERT INTO timers (shard_id, row_type, timer_execute_at, timer_uuid, shard_epoch, shard_owner)
  VALUES ($1, ${RowType.shard}, 0, ('ffffffffffffffffffffffff' || lpad(to_hex($1::integer), 8, '0'))::uuid, 1, $2)
  ON CONFLICT DO NOTHING
  RETURNING shard_epoch`
// Two that expect the same epoch: the second waits for the first, looks at the row again, and finds another epoch.
const RAISE_EPOCH = `
  UPDATE timers SET shard_epoch = shard_epoch + 1, shard_owner = $2
  WHERE shard_id = $1 AND row_type = ${RowType.shard} AND shard_epoch = $3
  RETURNING shard_epoch`
const RELEASE = `UPDATE timers SET shard_owner = NULL WHERE shard_id = $1 AND row_type = ${RowType.shard} AND shard_epoch = $2`

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

export function claimQuery({ shard, expected, owner }: ShardClaim): Query {
  if (expected === 0) return { name: 'claim-first', text: INSERT_SHARD, values: [shard, owner] }
  return { name: 'claim', text: RAISE_EPOCH, values: [shard, owner, expected] }
}

export function claimedEpoch(rows: readonly Row[]): Epoch | null {
  return (rows[0]?.[0] ?? null) as Epoch | null
}

export function releaseQuery({ shard, epoch }: { readonly shard: ShardId; readonly epoch: Epoch }): Query {
  return { name: 'release', text: RELEASE, values: [shard, epoch] }
}

export function beatQuery({ node, address, leaving, now }: NodeBeat): Query {
  return { name: 'beat', text: BEAT, values: [node, address, leaving, now] }
}

type NodeFields = [node: string, address: string | null, leaving: boolean, silentMs: number, clockSkewMs: number]
type ShardFields = [shard: ShardId, epoch: Epoch, owner: string | null]

export function clusterState({ node, address, leaving }: NodeBeat, rows: readonly Row[]): ClusterState {
  const [ownSkewMs, others, claimed] = rows[0] as [number, string | null, string | null]
  const asking: NodeRow = { node, address, leaving, silentMs: 0, clockSkewMs: ownSkewMs }
  const nodes = listOf<NodeFields>(others).map(([name, at, isLeaving, silentMs, clockSkewMs]): NodeRow => {
    return { node: name, address: at, leaving: isLeaving, silentMs, clockSkewMs }
  })
  const shards = listOf<ShardFields>(claimed).map(([shard, epoch, owner]): ShardRow => ({ shard, epoch, owner }))
  return { nodes: [asking, ...nodes].toSorted((a, b) => (a.node < b.node ? -1 : 1)), shards }
}

function listOf<T>(json: string | null): T[] {
  return json === null ? [] : (JSON.parse(json) as T[])
}
