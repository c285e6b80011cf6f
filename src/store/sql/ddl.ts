// The table of timers as DDL, from the table of columns. Rows of shards are in the same table, so that a shard and its timers
// can be written in one transaction: what only they have is NULL in a timer's row, and the other way round.

import { TIMER_COLUMNS } from '../row/columns.ts'
import type { Column, ColumnType } from '../row/columns.ts'

export type SqlTypes = Readonly<Record<ColumnType, string>>

const KEY: readonly string[] = ['shard_id', 'row_type', 'timer_execute_at', 'timer_uuid']

/** The columns of `timers`, in the order that the dialect wants; by default that of the table of columns. */
export function timersColumns(types: SqlTypes, order: (a: Column, b: Column) => number = () => 0): string {
  const all: Column[] = [
    { name: 'shard_id', type: 'shard' },
    ...TIMER_COLUMNS,
    { name: 'shard_epoch', type: 'time' },
    { name: 'shard_owner', type: 'text' },
  ]
  const columns = all
    .toSorted(order)
    .map(({ name, type }) => `${name} ${types[type]}${KEY.includes(name) ? ' NOT NULL' : ''}`)
  return [...columns, `PRIMARY KEY (${KEY.join(', ')})`].map((line) => `  ${line}`).join(',\n')
}
