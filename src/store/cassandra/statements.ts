// What a part of a commit writes besides the fence. No cell is written twice by a batch, since all of it has one time: of two
// values the greater one would win, whichever came last.

import type { ShardId } from '../../core/timer/timer.ts'
import { dueSort, timerSort } from '../keyed/sort-keys.ts'
import { timerFields } from '../keyed/timer-fields.ts'
import type { Put, StoredRow } from '../store.ts'
import { statement } from './session.ts'
import type { Statement } from './session.ts'

const AT_ROW = 'WHERE shard = ? AND sort = ?'
const CREATE = `INSERT INTO timers (shard, sort, version, due, name, item, payload) VALUES (?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS`
// A uuid is a hash: the row must be that of the same timer, too. And its place is the one that is removed.
const CHANGE = `UPDATE timers SET version = ?, due = ?, item = ?, payload = ? ${AT_ROW} IF version = ? AND due = ? AND name = ?`
const DELETE = `DELETE FROM timers ${AT_ROW} IF version = ? AND due = ?`
/** Counters, an event or, without an item, the place of a timer. */
export const SET = 'INSERT INTO timers (shard, sort, item) VALUES (?, ?, ?)'
export const REMOVE = `DELETE FROM timers ${AT_ROW}`
/** One tombstone for all of them. The end is not included. */
export const REMOVE_RANGE = 'DELETE FROM timers WHERE shard = ? AND sort >= ? AND sort < ?'
/**
 * Has a condition that is met for every shard that was ever owned, and changes nothing. With it, what belongs to no commit has its
 * place among the commits of the shard; without it its time would be that of another clock. And a batch with no other condition on
 * a row has it, too: for conditions on static columns alone Cassandra looks for the first row of the partition, over all tombstones.
 */
export const IN_ORDER = `DELETE item FROM timers WHERE shard = ? AND sort = 'fence' IF EXISTS`

export function putStatement(shard: ShardId, { before, after }: Put): Statement {
  const { pa: payload = null, ...fields } = timerFields(after)
  const [sort, name, item] = [timerSort(after.uuid), `${after.namespace}/${after.id}`, JSON.stringify(fields)]
  const { version } = after
  // Undefined is left as it is; null would be a tombstone.
  if (before === null) return statement(CREATE, shard, sort, version, dueSort(after), name, item, payload ?? undefined)
  const changed = before.payload === after.payload ? undefined : payload
  const expected = [before.version, dueSort(before), name]
  return statement(CHANGE, version, dueSort(after), item, changed, shard, sort, ...expected)
}

export function deleteStatement(shard: ShardId, row: StoredRow): Statement {
  return statement(DELETE, shard, timerSort(row.uuid), row.version, dueSort(row))
}
