// The SQL of the hot path, and how a timer becomes its parameters; bench/ runs the same text to learn the raw rate.

import type { Timer } from '../../core/timer.ts'
import type { TimerPart } from '../store.ts'
import { appendCells, CELLS_PER_TIMER, omitsColumn, RowType, TIMER_COLUMNS } from '../timer-row.ts'
import type { Cell } from '../timer-row.ts'

// ?1 to ?27 are the cells of a row in the order of TIMER_COLUMNS, in every statement.
const SHARD = `?${CELLS_PER_TIMER + 1}`
const EXPECTED_VERSION = `?${CELLS_PER_TIMER + 2}`
const parameter = (column: string): string => `?${TIMER_COLUMNS.findIndex((name) => name === column) + 1}`
const value = (column: string): string => (column === 'timer_uuid' ? `unhex(${parameter(column)})` : parameter(column))

export const INSERT_SQL = `
  INSERT INTO timers (shard_id, ${TIMER_COLUMNS.join(', ')})
  VALUES (${SHARD}, ${TIMER_COLUMNS.map(value).join(', ')})
  ON CONFLICT DO NOTHING`

const FIXED_COLUMNS: readonly string[] = ['timer_uuid', 'timer_namespace', 'timer_id']

export const UPDATE_SQL = `
  UPDATE timers
  SET ${TIMER_COLUMNS.filter((column) => !FIXED_COLUMNS.includes(column))
    .map((column) => `${column} = ${parameter(column)}`)
    .join(', ')}
  WHERE ${FIXED_COLUMNS.map((column) => `${column} = ${value(column)}`).join(' AND ')}
    AND shard_id = ${SHARD} AND timer_version = ${EXPECTED_VERSION}`

/** The cells of a row, for a SELECT list. */
export function selectCells(omit: readonly TimerPart[] = []): string {
  const cell = (column: (typeof TIMER_COLUMNS)[number]) => (omitsColumn(column, omit) ? 'NULL' : column === 'timer_uuid' ? UUID_TEXT : column)
  return TIMER_COLUMNS.map(cell).join(', ')
}

const UUID_TEXT = 'lower(hex(timer_uuid))'
export const SELECT_CELLS = selectCells()

/** The parameters of INSERT_SQL. */
export function rowValues(timer: Timer, shard: number): Cell[] {
  const cells: Cell[] = []
  appendCells(cells, timer)
  cells.push(shard)
  return cells
}

const IS_CYCLE = `json_extract(timer_cycle, '$.anchorAt') IS NOT NULL`
/** One-shots have no cycle cell unless they have a time zone; what is NULL is not looked into. */
export const IS_CYCLE_SQL = `(timer_cycle IS NOT NULL AND ${IS_CYCLE})`
/** The code of a row's kind: see kindCode. */
const KIND_SQL = `CASE WHEN timer_cycle IS NULL OR NOT ${IS_CYCLE} THEN 0 WHEN timer_schedule GLOB 'R/*' THEN 2 ELSE 1 END`

/** Parameters: shard, now, limit. */
export const PRUNE_SQL = `
  DELETE FROM timers
  WHERE (shard_id, row_type, timer_execute_at, timer_uuid) IN (
    SELECT shard_id, row_type, timer_execute_at, timer_uuid FROM timers
    WHERE shard_id = ? AND row_type = ${RowType.finished} AND timer_execute_at < ?
    ORDER BY timer_execute_at, timer_uuid LIMIT ?
  )
  RETURNING timer_namespace, timer_status, ${KIND_SQL}, lower(hex(timer_uuid)), timer_metadata`
