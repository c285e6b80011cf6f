// What a part of a commit writes besides the fence. No cell is written twice by a batch, since all of it has one time: of two
// values the greater one would win, whichever came last. A column that does not change is not written again.

import type { Millis, ShardId, Timer } from '../../core/timer/timer.ts'
import { rowTypeOf } from '../row/timer-row.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, Put, StoredRow } from '../store.ts'
import { COLUMNS, Type } from './schema.ts'
import type { Run } from './schema.ts'
import type { Statement } from './session.ts'
import { cellsOf } from './timer-rows.ts'

export type Place = { readonly type: Run; readonly position: number; readonly name: string }
/** Of ordered rows, what is added and what goes. */
export type Moves = { readonly added: readonly Place[]; readonly removed: readonly Place[] }

const EVENTS_PER_COMMIT = 1_000 // their numbers are that of the commit and three digits
const NAMES = COLUMNS.map(({ name }) => name)
const AT_TIMER = `WHERE shard = ? AND row_type = ${Type.timer} AND position = 0 AND name = ?`
const CREATE = `INSERT INTO timers (shard, row_type, position, name, ${NAMES.join(', ')})
  VALUES (?, ${Type.timer}, 0, ?, ${NAMES.map(() => '?').join(', ')}) IF NOT EXISTS`
// A uuid is a hash: the row must be that of the same timer, too. And its place is the one that is removed.
const CHANGE = `UPDATE timers SET ${NAMES.map((name) => `${name} = ?`).join(', ')} ${AT_TIMER}
  IF timer_version = ? AND timer_execute_at = ? AND timer_namespace = ? AND timer_id = ?`
const DELETE = `DELETE FROM timers ${AT_TIMER} IF timer_version = ?`
const ADD = 'INSERT INTO timers (shard, row_type, position, name) VALUES (?, ?, ?, ?)'
const REMOVE = 'DELETE FROM timers WHERE shard = ? AND row_type = ? AND position = ? AND name = ?'
const REMOVE_BEFORE = 'DELETE FROM timers WHERE shard = ? AND row_type = ? AND position < ?'
const TELL = `INSERT INTO timers (shard, row_type, position, name, event_at, event) VALUES (?, ${Type.event}, ?, '', ?, ?)`
const FORGET = `DELETE FROM timers WHERE shard = ? AND row_type = ${Type.counters} AND position >= ? AND position < ?`
// Has a condition that is met for every shard that was ever owned, and changes nothing: with it a batch has its place
// among the commits of the shard. Without it its time would be that of another clock.
const IN_ORDER = `DELETE event FROM timers WHERE shard = ? AND row_type = ${Type.fence} AND position = 0 AND name = '' IF EXISTS`

export function putStatement(shard: ShardId, { before, after }: Put): Statement {
  const cells = cellsOf(after)
  // Undefined is left as it is; null would be a tombstone.
  if (before === null) return { query: CREATE, params: [shard, after.uuid, ...cells.map((cell) => cell ?? undefined)] }
  const former = cellsOf(before)
  const changed = cells.map((cell, n) => (cell === former[n] && NAMES[n] !== 'timer_version' ? undefined : cell))
  const expected = [before.version, before.wakeAt, after.namespace, after.id]
  return { query: CHANGE, params: [...changed, shard, after.uuid, ...expected] }
}

export function deleteStatement(shard: ShardId, { uuid, version }: StoredRow): Statement {
  return { query: DELETE, params: [shard, uuid, version] }
}

export function placeOfTimer(timer: Pick<Timer, 'status' | 'wakeAt' | 'uuid'>): Place {
  return { type: rowTypeOf(timer) as Run, position: timer.wakeAt, name: timer.uuid }
}

/** `gone`: the places of timers that are deleted. */
export function movesOf({ puts }: CommitPart, gone: readonly Place[]): Moves {
  const added: Place[] = []
  const removed: Place[] = [...gone]
  for (const { before, after } of puts) {
    const to = placeOfTimer(after)
    const from = before === null ? null : placeOfTimer(before)
    if (from !== null && from.type === to.type && from.position === to.position) continue
    added.push(to)
    if (from !== null) removed.push(from)
  }
  return { added, removed }
}

export function moveStatements(shard: ShardId, { added, removed }: Moves): Statement[] {
  const params = ({ type, position, name }: Place) => [shard, type, position, name]
  return [
    ...added.map((place) => ({ query: ADD, params: params(place) })),
    ...removed.map((place) => ({ query: REMOVE, params: params(place) })),
  ]
}

/** Nothing but tombstones is there: one for all of them takes their place. */
export function removeBefore(shard: ShardId, type: Run, position: number): Statement {
  return { query: REMOVE_BEFORE, params: [shard, type, position] }
}

export function eventStatements({ shard, events }: CommitPart, commit: number): Statement[] {
  if (events.length > EVENTS_PER_COMMIT) throw StoreError.lasting(`${events.length} events are too many for one commit`)
  return events.map((event, n) => {
    return { query: TELL, params: [shard, firstEvent(commit) + n, event.at, JSON.stringify(event)] }
  })
}

export function firstEvent(commit: number): number {
  return commit * EVENTS_PER_COMMIT
}

export function removeEventStatements(shard: ShardId, numbers: readonly number[]): Statement[] {
  const removed = numbers.map((number) => ({ query: REMOVE, params: [shard, Type.event, number, ''] }))
  return [{ query: IN_ORDER, params: [shard] }, ...removed]
}

/** Slots from `from` to before `to`. */
export function forgetStatements(shard: ShardId, from: Millis, to: Millis): Statement[] {
  return [
    { query: IN_ORDER, params: [shard] },
    { query: FORGET, params: [shard, from, to] },
  ]
}
