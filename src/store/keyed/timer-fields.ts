// Timers as fields of an item or document: the columns of a row under short names, since every byte of a name is stored, and
// paid for, with each timer. Row type, wake time and uuid are in its sort key.

import type { Timer } from '../../core/timer/timer.ts'
import { CELLS_PER_TIMER, CellAt } from '../row/columns.ts'
import type { Cell, ColumnName } from '../row/columns.ts'
import { appendCells, timerAt } from '../row/timer-row.ts'
import { dueCells } from './sort-keys.ts'

export type Value = string | number | boolean | Uint8Array
export type Item = Readonly<Record<string, Value>>

const FIELDS: readonly (readonly [string, ColumnName])[] = [
  ['ns', 'timer_namespace'],
  ['id', 'timer_id'],
  ['v', 'timer_version'],
  ['st', 'timer_status'],
  ['ki', 'timer_kind'],
  ['da', 'timer_due_at'],
  ['ca', 'timer_created_at'],
  ['te', 'timer_tenant'],
  ['pa', 'timer_payload'],
  ['me', 'timer_metadata'],
  ['do', 'timer_document'],
]
/** What `storedRow` needs. */
export const STORED_ROW_FIELDS = ['ns', 'v', 'st', 'ki', 'me'] as const

/** Without what is null. */
export function timerFields(timer: Timer): Record<string, Value> {
  const cells: Cell[] = []
  appendCells(cells, timer)
  const fields: Record<string, Value> = {}
  for (const [field, column] of FIELDS) {
    const cell = cells[CellAt[column]]!
    if (cell !== null) fields[field] = cell
  }
  return fields
}

export function timerOf(due: string, fields: Item): Timer {
  const cells: Cell[] = Array.from({ length: CELLS_PER_TIMER }, () => null)
  const [rowType, wakeAt, uuid] = dueCells(due)
  cells[CellAt.row_type] = rowType
  cells[CellAt.timer_execute_at] = wakeAt
  cells[CellAt.timer_uuid] = uuid
  for (const [field, column] of FIELDS) cells[CellAt[column]] = (fields[field] as Cell | undefined) ?? null
  return timerAt(cells, 0)
}
