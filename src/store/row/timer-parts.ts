// What makes a timer large, and rows without some of it: a page of timers says which parts nobody will look at, and ends at a
// size in bytes. Payload and metadata are columns, which are then not even read; the others are in the document.

import { onlyRequired } from '../../core/targets/target.ts'
import { NO_ATTEMPTS } from '../../core/timer/timer.ts'
import type { Timer } from '../../core/timer/timer.ts'
import type { TimerPart } from '../store.ts'
import { CellAt } from './columns.ts'
import type { Cell, ColumnName } from './columns.ts'

const PART_COLUMNS: Partial<Record<TimerPart, ColumnName>> = { payload: 'timer_payload', metadata: 'timer_metadata' }

/** The texts that make a row large. */
export const SIZED_COLUMNS: readonly ColumnName[] = ['timer_id', 'timer_payload', 'timer_metadata', 'timer_document']
const SIZED_CELLS = SIZED_COLUMNS.map((column) => CellAt[column])

export function omitsColumn(column: ColumnName, omit: readonly TimerPart[]): boolean {
  return omit.some((part) => PART_COLUMNS[part] === column)
}

/** The size of a row whose cells were read. */
export function rowBytes(cells: readonly Cell[], offset = 0): number {
  return SIZED_CELLS.reduce((sum, index) => sum + Buffer.byteLength((cells[offset + index] as string | null) ?? ''), 0)
}

/** Without the parts that are omitted, whatever of them was read. */
export function withoutParts(timer: Timer, omit: readonly TimerPart[]): Timer {
  if (omit.length === 0) return timer
  const without = { ...timer }
  if (omit.includes('payload')) without.payload = null
  if (omit.includes('metadata')) without.metadata = null
  if (omit.includes('headers')) without.target = onlyRequired(timer.target)
  if (omit.includes('attempts'))
    Object.assign(without, { firstAttemptAt: null, lastError: null, attemptLog: NO_ATTEMPTS })
  return without
}
