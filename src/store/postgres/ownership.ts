// Who owns a shard, and which nodes beat. A shard's row is of row_type 1 in the table of its timers.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { claimedEpoch } from '../store.ts'
import type { NodeBeat, OwnedShard, ShardClaim } from '../store.ts'
import { RowType } from '../row/columns.ts'
import type { Cell } from '../row/columns.ts'
import { columnParameter } from './connection/array-parameters.ts'
import type { ElementType } from './connection/array-parameters.ts'
import { beatFields, NO_BEAT, SILENT_NODES_KEPT_MS } from '../sql/server/cluster-state.ts'
import type { BeatAnswer } from '../sql/server/cluster-state.ts'
import type { Row } from '../sql/statement.ts'
import type { Query } from './connection/connections.ts'

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

const BEAT = 'SELECT skew_ms, nodes, shards FROM timers_beat_1($1, $2, $3, $4, $5, $6, $7)'

/** All for the same owner. */
export function claimQuery(claims: readonly ShardClaim[]): Query {
  const values = [
    arrayOf('int4', claims, ({ shard }) => shard),
    arrayOf('int8', claims, ({ expected }) => expected),
    arrayOf('text', claims, ({ from }) => from),
    arrayOf('int8', claims, ({ ifBeat }) => (ifBeat === undefined ? null : (ifBeat ?? NO_BEAT))),
    arrayOf('int8', claims, claimedEpoch),
    claims[0]!.owner,
  ]
  return { name: 'claim', text: CLAIM, values }
}

function arrayOf<T>(type: ElementType, some: readonly T[], valueOf: (one: T) => Cell): Buffer | null {
  return columnParameter(type, some.map(valueOf))
}

export function claimedEpochs(rows: readonly Row[]): Map<ShardId, Epoch> {
  return new Map(rows as readonly (readonly [ShardId, Epoch])[])
}

export function releaseQuery(owned: readonly OwnedShard[]): Query {
  const values = [
    arrayOf('int4', owned, ({ shard }) => shard),
    arrayOf('int8', owned, ({ epoch }) => epoch),
    arrayOf('text', owned, ({ owner }) => owner),
  ]
  return { name: 'release', text: RELEASE, values }
}

export function beatQuery(own: NodeBeat): Query {
  return { name: 'beat', text: BEAT, values: [...beatFields(own), own.now, SILENT_NODES_KEPT_MS] }
}

/** Two JSON lists: thousands of shards are parsed in a fraction of the time that as many rows would take. */
export function beatAnswer(row: Row): BeatAnswer {
  const [skewMs, others, shards] = row as [number, string | null, string | null]
  return { skewMs, others: listOf(others), shards: listOf(shards) }
}

function listOf<T>(json: string | null): T[] {
  return json === null ? [] : (JSON.parse(json) as T[])
}
