// A timer's row as SQL, made from the table of columns: its cells in a SELECT list, and the statements that write it one by
// one. Their parameters are the cells in the order of the columns, then the shard, then the version that is expected.

import type { Timer } from '../../core/timer/timer.ts'
import { CELLS_PER_TIMER, CHANGING_COLUMNS, COLUMN_NAMES, KEY_COLUMNS, RowType, TIMER_COLUMNS } from '../row/columns.ts'
import type { Cell, ColumnName } from '../row/columns.ts'
import { omitsColumn, SIZED_COLUMNS } from '../row/timer-parts.ts'
import { appendCells } from '../row/timer-row.ts'
import type { TimerPart } from '../store.ts'
import type { Dialect } from './dialect.ts'

/** The cells of a row, for a SELECT list. What is omitted is not read. */
export function selectCells({ readAs }: Dialect, omit: readonly TimerPart[] = []): string {
  return COLUMN_NAMES.map((column) => (omitsColumn(column, omit) ? 'NULL' : (readAs[column] ?? column))).join(', ')
}

/** The size of a row in a SELECT list, without what is omitted. */
export function rowBytes({ bytesOf }: Dialect, omit: readonly TimerPart[]): string {
  const sized = SIZED_COLUMNS.filter((column) => !omitsColumn(column, omit))
  return sized.map((column) => `coalesce(${bytesOf(column)}, 0)`).join(' + ')
}

export function uuidText({ readAs }: Dialect): string {
  return readAs.timer_uuid ?? 'timer_uuid'
}

export function selectByUuid(dialect: Dialect): string {
  return `SELECT ${selectCells(dialect)} FROM timers WHERE timer_uuid = ${dialect.parameter(1, 'uuid')}`
}

export function insertTimer(dialect: Dialect): string {
  const values = COLUMN_NAMES.map((column) => cell(dialect, column)).join(', ')
  return `
  INSERT INTO timers (${COLUMN_NAMES.join(', ')}, shard_id)
  VALUES (${values}, ${dialect.parameter(CELLS_PER_TIMER + 1, 'shard')})`
}

/** What an update leaves as it is. A database that is told so need not look into the indexes by creation. */
type Kept = { readonly keepsPayload: boolean; readonly keepsCreation?: boolean }
const PAYLOAD: readonly ColumnName[] = ['timer_payload']
const CREATION: readonly ColumnName[] = ['timer_created_at', 'timer_kind']

/** Nothing is changed unless the row is the same timer, in the same shard, at the version that is expected. */
export function updateTimer(dialect: Dialect, { keepsPayload, keepsCreation = false }: Kept): string {
  const kept = [...(keepsPayload ? PAYLOAD : []), ...(keepsCreation ? CREATION : [])]
  const changing = CHANGING_COLUMNS.filter((column) => !kept.includes(column))
  return `
  UPDATE timers
  SET ${changing.map((column) => `${column} = ${cell(dialect, column)}`).join(', ')}
  WHERE ${KEY_COLUMNS.map((column) => `${column} = ${cell(dialect, column)}`).join(' AND ')}
    AND shard_id = ${dialect.parameter(CELLS_PER_TIMER + 1, 'shard')}
    AND timer_version = ${dialect.parameter(CELLS_PER_TIMER + 2, 'integer')}`
}

/** Parameters: uuid, shard, version. */
export function deleteTimer({ parameter }: Dialect): string {
  return `
  DELETE FROM timers
  WHERE timer_uuid = ${parameter(1, 'uuid')} AND shard_id = ${parameter(2, 'shard')} AND timer_version = ${parameter(3, 'integer')}`
}

/** Parameters: uuid, shard, the other shard. */
export function moveTimer({ parameter }: Dialect): string {
  return `
  UPDATE timers SET shard_id = ${parameter(3, 'shard')}
  WHERE timer_uuid = ${parameter(1, 'uuid')} AND shard_id = ${parameter(2, 'shard')}`
}

/** Rows of shards have no namespace, which an index begins with. */
export const SELECT_SHARDS = `
  SELECT shard_id, shard_epoch, shard_owner FROM timers
  WHERE timer_namespace IS NULL AND row_type = ${RowType.shard} ORDER BY shard_id`

/** The parameters of an INSERT. */
export function rowValues(timer: Timer, shard: number): Cell[] {
  const cells: Cell[] = []
  appendCells(cells, timer)
  cells.push(shard)
  return cells
}

function cell(dialect: Dialect, column: ColumnName): string {
  const index = COLUMN_NAMES.indexOf(column)
  return dialect.parameter(index + 1, TIMER_COLUMNS[index]!.type)
}
