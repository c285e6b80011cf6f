// The SQL of the hot path, made from the table of columns, and how a timer becomes its parameters; bench/ runs the same text
// to learn the raw rate.

import type { Timer } from '../../core/timer/timer.ts'
import { CELLS_PER_TIMER, CHANGING_COLUMNS, COLUMN_NAMES, KEY_COLUMNS, RowType } from '../row/columns.ts'
import type { Cell, ColumnName } from '../row/columns.ts'
import { omitsColumn } from '../row/timer-parts.ts'
import { appendCells } from '../row/timer-row.ts'
import type { TimerPart } from '../store.ts'
import { PAYLOAD_ID_SQL, PAYLOAD_SQL } from './payloads.ts'

// ?1 and on are the cells of a row in the order of the columns, in every statement.
const SHARD = `?${CELLS_PER_TIMER + 1}`
const EXPECTED_VERSION = `?${CELLS_PER_TIMER + 2}`
const parameter = (column: ColumnName): string => `?${COLUMN_NAMES.indexOf(column) + 1}`
const value = (column: ColumnName): string =>
  column === 'timer_uuid' ? `unhex(${parameter(column)})` : parameter(column)

export const INSERT_SQL = `
  INSERT INTO timers (shard_id, ${COLUMN_NAMES.join(', ')})
  VALUES (${SHARD}, ${COLUMN_NAMES.map(value).join(', ')})
  ON CONFLICT DO NOTHING`

export const UPDATE_SQL = updateOf(CHANGING_COLUMNS)
export const UPDATE_KEEPING_PAYLOAD_SQL = updateOf(CHANGING_COLUMNS.filter((column) => column !== 'timer_payload'))

function updateOf(columns: readonly ColumnName[]): string {
  return `
  UPDATE timers
  SET ${columns.map((column) => `${column} = ${parameter(column)}`).join(', ')}
  WHERE ${KEY_COLUMNS.map((column) => `${column} = ${value(column)}`).join(' AND ')}
    AND shard_id = ${SHARD} AND timer_version = ${EXPECTED_VERSION}`
}

/** Parameters: uuid, shard, version. */
export const DELETE_SQL = `
  DELETE FROM timers WHERE timer_uuid = unhex(?) AND shard_id = ? AND timer_version = ? RETURNING ${PAYLOAD_ID_SQL} AS payloadId`

const READ_AS: Partial<Record<ColumnName, string>> = {
  timer_uuid: 'lower(hex(timer_uuid))',
  timer_payload: PAYLOAD_SQL,
}

/** The cells of a row, for a SELECT list. */
export function selectCells(omit: readonly TimerPart[] = []): string {
  return COLUMN_NAMES.map((column) => (omitsColumn(column, omit) ? 'NULL' : (READ_AS[column] ?? column))).join(', ')
}

export const SELECT_CELLS = selectCells()

/** Parameters: shards as JSON, time, limit. */
export const EXPIRED_SQL = `
  SELECT shard_id, lower(hex(timer_uuid)), timer_namespace, timer_version, timer_status, timer_kind, timer_metadata FROM timers
  WHERE shard_id IN (SELECT value FROM json_each(?)) AND row_type = ${RowType.finished} AND timer_execute_at < ?
  ORDER BY shard_id, timer_execute_at, timer_uuid LIMIT ?`

/** The parameters of INSERT_SQL. */
export function rowValues(timer: Timer, shard: number): Cell[] {
  const cells: Cell[] = []
  appendCells(cells, timer)
  cells.push(shard)
  return cells
}
