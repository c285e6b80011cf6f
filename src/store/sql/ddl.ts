// The tables as DDL, from tables of columns. Rows of shards are in the table of timers, so that a shard and its timers can be
// written in one transaction: what only they have is NULL in a timer's row, and the other way round.

import { TIMER_COLUMNS } from '../row/columns.ts'
import type { Column, ColumnType } from '../row/columns.ts'
import { EVENT_COLUMNS } from './questions/outbox.ts'

export type SqlTypes = Readonly<Record<ColumnType, string>>
type Order = (a: Column, b: Column) => number

const KEYS = {
  timers: ['shard_id', 'row_type', 'timer_execute_at', 'timer_uuid'],
  timer_counters: ['timer_namespace', 'slot_at', 'counter_name'],
  timer_metadata: ['metadata_key', 'metadata_value', 'timer_namespace', 'timer_uuid'],
  timer_nodes: ['node_id'],
} as const

/** What is written into each table; of the outbox, what follows the number. */
export const COLUMNS: Readonly<Record<keyof typeof KEYS | 'timer_outbox', readonly Column[]>> = {
  timers: [
    { name: 'shard_id', type: 'shard' },
    ...TIMER_COLUMNS,
    { name: 'shard_epoch', type: 'time' },
    { name: 'shard_owner', type: 'text' },
  ],
  timer_counters: [
    { name: 'timer_namespace', type: 'name' },
    { name: 'slot_at', type: 'time' },
    { name: 'counter_name', type: 'name' },
    { name: 'counter_amount', type: 'integer' },
  ],
  timer_metadata: [
    { name: 'metadata_key', type: 'name' },
    { name: 'metadata_value', type: 'name' },
    { name: 'timer_namespace', type: 'name' },
    { name: 'timer_uuid', type: 'uuid' },
  ],
  // As NodeFields has them, and then the time.
  timer_nodes: [
    { name: 'node_id', type: 'name' },
    { name: 'node_address', type: 'text' },
    { name: 'node_leaving', type: 'small' },
    { name: 'node_labels', type: 'text' },
    { name: 'node_beat', type: 'integer' },
    { name: 'node_clock_skew_ms', type: 'integer' },
    { name: 'node_beat_at', type: 'time' },
  ],
  timer_outbox: EVENT_COLUMNS,
}

export const NODE_COLUMNS = COLUMNS.timer_nodes.map(({ name }) => name)

/** The columns of a table and its primary key, in the order that the dialect wants; by default that of the table of columns. */
export function columnsWithKey(table: keyof typeof KEYS, types: SqlTypes, order?: Order): string {
  return `${columnsOf(table, types, order)},\n  PRIMARY KEY (${KEYS[table].join(', ')})`
}

/** Of the outbox, those that follow the number, which each database gives out in its own way. */
export function columnsOf(table: keyof typeof COLUMNS, types: SqlTypes, order: Order = () => 0): string {
  const isNullable = (name: string) =>
    name === 'node_address' || (table === 'timers' && !KEYS.timers.some((key) => key === name))
  return COLUMNS[table]
    .toSorted(order)
    .map(({ name, type }) => `  ${name} ${types[type]}${isNullable(name) ? '' : ' NOT NULL'}`)
    .join(',\n')
}

/** A view for people who look with SQL. `timeOf` shows milliseconds since 1970 as a time. */
export function readableView(timeOf: (column: string) => string, payload: string, uuid: string): string {
  return `CREATE VIEW timers_readable AS
    SELECT timer_namespace AS namespace, timer_id AS id,
      CASE timer_status WHEN 0 THEN 'pending' WHEN 1 THEN 'paused' WHEN 2 THEN 'executing'
        WHEN 3 THEN 'completed' WHEN 4 THEN 'failed' ELSE 'canceled' END AS status,
      ${timeOf('coalesce(timer_due_at, timer_execute_at)')} AS due_at,
      ${timeOf('timer_created_at')} AS created_at,
      timer_version AS version, ${payload} AS payload,
      timer_metadata AS metadata, timer_document AS document,
      shard_id AS shard, ${uuid} AS uuid
    FROM timers WHERE row_type > 1`
}
