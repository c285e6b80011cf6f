// The order of lists in SQL stores is that of three columns, the first cells of a row, so a position in a list is a key. Where
// a list may start and end follows from its filter, whatever the database.

import { isFinished } from '../../../core/timer/timer.ts'
import type { Status, TimerUuid } from '../../../core/timer/timer.ts'
import type { ListCursor, ListFilter } from '../../store.ts'
import { RowType } from '../../row/columns.ts'

export const LIST_KEY = 'row_type, timer_execute_at, timer_uuid'
export type Position = readonly [rowType: number, executeAt: number, uuid: string]

const FIRST_UUID = '0'.repeat(32)
const LAST_UUID = 'f'.repeat(32)
const BEGINNING: Position = [RowType.live, Number.MIN_SAFE_INTEGER, FIRST_UUID]

/** Rows behind it: behind `after`, and not before the first one that can match. */
export function startOf(filter: ListFilter, after: ListCursor | null): Position {
  const candidates = [BEGINNING]
  if (after !== null) candidates.push([after.finished ? RowType.finished : RowType.live, after.wakeAt, after.uuid])
  if (filter.statuses?.every(isFinishedStatus)) candidates.push([RowType.finished, Number.MIN_SAFE_INTEGER, FIRST_UUID])
  // A live timer never wakes before it is due.
  if (filter.dueFrom !== undefined) candidates.push([RowType.live, filter.dueFrom - 1, LAST_UUID])
  return candidates.toSorted(comparePositions).at(-1)!
}

/** Rows of a later type cannot match. */
export function lastRowType(filter: ListFilter): number {
  return filter.statuses?.some(isFinishedStatus) === false ? RowType.live : RowType.finished
}

export function cursorAt([rowType, wakeAt, uuid]: Position): ListCursor {
  return { finished: rowType === RowType.finished, wakeAt, uuid: uuid as TimerUuid }
}

export function comparePositions(a: Position, b: Position): number {
  if (a[0] !== b[0]) return a[0] - b[0]
  if (a[1] !== b[1]) return a[1] - b[1]
  return a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0
}

function isFinishedStatus(status: Status): boolean {
  return isFinished({ status })
}
