// Who owns a shard, and which nodes beat. A shard's row is of row_type 1 in the table of its timers. Each of these is one round
// trip: every claim is a statement that finds its row or does not, and the answer tells how many it found.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { RowType } from '../row/columns.ts'
import { labelsText } from '../layout/node-labels.ts'
import { SILENT_NODES_KEPT_MS } from '../sql/server/cluster-state.ts'
import type { BeatAnswer, NodeFields, ShardFields } from '../sql/server/cluster-state.ts'
import { SELECT_SHARDS } from '../sql/timer-sql.ts'
import { claimedEpoch } from '../store.ts'
import type { NodeBeat, OwnedShard, ShardClaim } from '../store.ts'
import type { Connections } from './connection/connections.ts'
import { literal } from './connection/literals.ts'

const NO_BEAT = -1 // of a node that has no row
const NOW_MS = 'CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)'

/**
 * All for the same owner. A node that is taken for silent is held on to: its next beat waits until the claims are done, and
 * then sees them. One that has just beaten is waited for, and its beat is looked at again. Rows are locked in the order of the
 * shards, as commits do, so that nobody waits in a circle.
 */
export async function claimAll(lane: Connections, claims: readonly ShardClaim[]): Promise<Map<ShardId, Epoch>> {
  const ordered = claims.toSorted((a, b) => a.shard - b.shard)
  const silent = new Set(ordered.flatMap(({ from, ifBeat }) => (from === null || ifBeat === undefined ? [] : [from])))
  const held = Array.from(silent, literal).join(', ')
  const before = ['START TRANSACTION']
  if (silent.size > 0)
    before.push(`SELECT node_id FROM timer_nodes WHERE node_id IN (${held}) ORDER BY node_id FOR UPDATE`)
  const replies = await lane.write([...before, ...ordered.map(claimStatement), 'COMMIT'])
  const won = ordered.filter((_, index) => replies[before.length + index]!.affected === 1)
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
  const isSilent =
    from === null || ifBeat === undefined
      ? 'TRUE'
      : `${ifBeat ?? NO_BEAT} = coalesce((SELECT node_beat FROM timer_nodes WHERE node_id = ${literal(from)}), ${NO_BEAT})`
  return `UPDATE timers SET shard_epoch = ${epoch}, shard_owner = ${literal(owner)}
    WHERE shard_id = ${shard} AND row_type = ${RowType.shard} AND shard_epoch = ${expected} AND shard_owner <=> ${literal(from)}
      AND ${isSilent}`
}

export async function releaseAll(lane: Connections, owned: readonly OwnedShard[]): Promise<void> {
  const ordered = owned.toSorted((a, b) => a.shard - b.shard)
  const statements = ordered.map(
    ({ shard, epoch, owner }) => `UPDATE timers SET shard_owner = NULL
      WHERE shard_id = ${shard} AND row_type = ${RowType.shard} AND shard_epoch = ${epoch} AND shard_owner = ${literal(owner)}`,
  )
  await lane.write(['START TRANSACTION', ...statements, 'COMMIT'])
}

/**
 * A claim of this node's shards that holds on to the node's row is waited for by the first statement, and its outcome is seen
 * by the last one, in which a node reads that it still owns its shards. The time of a beat is for people, and for removing
 * the rows of nodes that are long gone; nobody is taken for dead by it.
 */
export async function beat(lane: Connections, own: NodeBeat): Promise<BeatAnswer> {
  const { node, address, leaving, labels = [], beat: number, now } = own
  const said = [literal(node), literal(address), leaving ? 1 : 0, literal(labelsText(labels)), number]
  const values = [...said, NOW_MS, `${now} - ${NOW_MS}`]
  const names = ['id', 'address', 'leaving', 'labels', 'beat', 'beat_at', 'clock_skew_ms'].map((name) => `node_${name}`)
  const replies = await lane.write([
    'START TRANSACTION',
    `INSERT INTO timer_nodes (${names.join(', ')}) VALUES (${values.join(', ')})
      ON DUPLICATE KEY UPDATE ${names.map((name) => `${name} = VALUES(${name})`).join(', ')}`,
    `SELECT node_id, node_address, node_leaving, node_labels, node_beat, node_clock_skew_ms, node_beat_at < ${NOW_MS} - ${SILENT_NODES_KEPT_MS}
      FROM timer_nodes`,
    SELECT_SHARDS,
    'COMMIT',
  ])
  const nodes = replies[2]!.rows as unknown as readonly NodeFields[]
  const shards = replies[3]!.rows as unknown as readonly ShardFields[]
  await removeGone(lane, nodes, shards)
  const skewMs = nodes.find(([name]) => name === node)![5]
  return { skewMs, others: nodes.filter(([name]) => name !== node), shards }
}

/** One at a time, by its key: a statement that looked at all rows would wait for the beats of all nodes. */
async function removeGone(
  lane: Connections,
  nodes: readonly NodeFields[],
  shards: readonly ShardFields[],
): Promise<void> {
  const isGone = (row: readonly unknown[]) => row[6] === 1 && !shards.some(([, , owner]) => owner === row[0])
  const gone = nodes.filter(isGone).map(([name]) => literal(name))
  if (gone.length === 0) return
  const isOld = `node_beat_at < ${NOW_MS} - ${SILENT_NODES_KEPT_MS}`
  await lane.write(gone.map((name) => `DELETE FROM timer_nodes WHERE node_id = ${name} AND ${isOld}`))
}
