// Who owns a shard, and which nodes beat. A shard's row is of row_type 1 in the table of its timers. Each of these is one round
// trip: every claim is a statement that finds its row or does not, and the answer tells how many it found.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { RowType } from '../row/columns.ts'
import { NODE_COLUMNS } from '../sql/ddl.ts'
import { beatFields, NO_BEAT, SILENT_NODES_KEPT_MS } from '../sql/server/cluster-state.ts'
import type { BeatAnswer, NodeFields, ShardFields } from '../sql/server/cluster-state.ts'
import type { Row } from '../sql/statement.ts'
import { SELECT_SHARDS } from '../sql/timer-sql.ts'
import { claimedEpoch } from '../store.ts'
import type { NodeBeat, OwnedShard, ShardClaim } from '../store.ts'
import type { Connections } from './connection/connections.ts'
import { literal } from './connection/literals.ts'

/** The time of the server. */
export const NOW_MS = 'CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)'
const IS_OLD = `node_beat_at < ${NOW_MS} - ${SILENT_NODES_KEPT_MS}`
const BEAT = `INSERT INTO timer_nodes (${NODE_COLUMNS.join(', ')}) VALUES (?)
  ON DUPLICATE KEY UPDATE ${NODE_COLUMNS.map((name) => `${name} = VALUES(${name})`).join(', ')}`
const SELECT_NODES = `SELECT ${NODE_COLUMNS.slice(0, -1).join(', ')}, ${IS_OLD} FROM timer_nodes`

/**
 * All for the same owner. A node that is taken for silent is held on to: its next beat waits until the claims are done, and
 * then sees them. One that has just beaten is waited for, and its beat is looked at again. Rows are locked in the order of the
 * shards, as commits do, so that nobody waits in a circle.
 */
export async function claimAll(lane: Connections, claims: readonly ShardClaim[]): Promise<Map<ShardId, Epoch>> {
  const silent = new Set(claims.flatMap(({ from, ifBeat }) => (from === null || ifBeat === undefined ? [] : [from])))
  const names = [...silent, null].map(literal).join(', ')
  const hold = `SELECT node_id FROM timer_nodes WHERE node_id IN (${names}) ORDER BY node_id FOR UPDATE`
  const [, ...replies] = await lane.transaction([hold, ...claims.map(claimStatement)])
  const won = claims.filter((_, index) => replies[index]!.affected === 1)
  return new Map(won.map((claim) => [claim.shard, claimedEpoch(claim)]))
}

function claimStatement(claim: ShardClaim): string {
  const { shard, expected, from, owner, ifBeat } = claim
  const epoch = claimedEpoch(claim)
  // The uuid of a shard's row only has to be unlike all others: no hash begins with so many ones.
  const uuid = `X'${'f'.repeat(24)}${shard.toString(16).padStart(8, '0')}'`
  if (expected === 0)
    return `INSERT IGNORE INTO timers (shard_id, row_type, timer_execute_at, timer_uuid, shard_epoch, shard_owner)
      VALUES (${shard}, ${RowType.shard}, 0, ${uuid}, ${epoch}, ${literal(owner)})`
  const lastBeat = `coalesce((SELECT node_beat FROM timer_nodes WHERE node_id = ${literal(from)}), ${NO_BEAT})`
  const isSilent = from === null || ifBeat === undefined ? 'TRUE' : `${ifBeat ?? NO_BEAT} = ${lastBeat}`
  return `UPDATE timers SET shard_epoch = ${epoch}, shard_owner = ${literal(owner)}
    WHERE shard_id = ${shard} AND row_type = ${RowType.shard} AND shard_epoch = ${expected} AND shard_owner <=> ${literal(from)}
      AND ${isSilent}`
}

export async function releaseAll(lane: Connections, owned: readonly OwnedShard[]): Promise<void> {
  await lane.transaction(
    owned.map(
      ({ shard, epoch, owner }) => `UPDATE timers SET shard_owner = NULL
      WHERE shard_id = ${shard} AND row_type = ${RowType.shard} AND shard_epoch = ${epoch} AND shard_owner = ${literal(owner)}`,
    ),
  )
}

/**
 * A claim of this node's shards that holds on to the node's row is waited for by the first statement, and its outcome is seen
 * by the last one, in which a node reads that it still owns its shards. The time of a beat is for people, and for removing
 * the rows of nodes that are long gone; nobody is taken for dead by it.
 */
export async function beat(lane: Connections, own: NodeBeat): Promise<BeatAnswer> {
  const values = [...beatFields(own).map(literal), `${own.now} - ${NOW_MS}`, NOW_MS].join(', ')
  const replies = await lane.transaction([BEAT.replace('?', () => values), SELECT_NODES, SELECT_SHARDS])
  const nodes = replies[1]!.rows as unknown as readonly NodeFields[]
  const shards = replies[2]!.rows as unknown as readonly ShardFields[]
  const gone = nodes.filter((row) => (row as Row).at(-1) === 1 && !shards.some(([, , owner]) => owner === row[0]))
  // One at a time, by its key: a statement that looked at all rows would wait for the beats of all nodes.
  if (gone.length > 0)
    await lane.transaction(
      gone.map(([name]) => `DELETE FROM timer_nodes WHERE node_id = ${literal(name)} AND ${IS_OLD}`),
    )
  const skewMs = nodes.find(([name]) => name === own.node)![5]
  return { skewMs, others: nodes.filter(([name]) => name !== own.node), shards }
}
