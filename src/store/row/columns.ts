// The columns of a stored timer, once for all SQL stores: DDL, INSERT, SELECT and parameters are made from this table. A
// column is what is keyed, ordered or searched; everything else is one JSON document (document.ts) beside the payload's text.

export type Cell = string | number | null

/** `name` is text that is compared byte by byte. `uuid` is 32 hex digits here; a store may keep the 16 bytes. */
export type ColumnType = 'small' | 'shard' | 'integer' | 'time' | 'uuid' | 'name' | 'text'
export type Column = { readonly name: string; readonly type: ColumnType }

export const RowType = { shard: 1, live: 2, finished: 3 } as const

export const TIMER_COLUMNS = [
  { name: 'row_type', type: 'small' },
  { name: 'timer_execute_at', type: 'time' }, // Timer.wakeAt
  { name: 'timer_uuid', type: 'uuid' },
  { name: 'timer_namespace', type: 'name' },
  { name: 'timer_id', type: 'text' },
  { name: 'timer_version', type: 'integer' },
  { name: 'timer_status', type: 'small' },
  { name: 'timer_kind', type: 'small' },
  { name: 'timer_due_at', type: 'time' }, // NULL: the same as timer_execute_at, and the timer is live
  { name: 'timer_created_at', type: 'time' },
  { name: 'timer_tenant', type: 'name' }, // scans of what is due leave tenants out that have a backlog
  { name: 'timer_payload', type: 'text' },
  { name: 'timer_metadata', type: 'text' },
  { name: 'timer_document', type: 'text' },
] as const satisfies readonly Column[]

export type ColumnName = (typeof TIMER_COLUMNS)[number]['name']

export const CELLS_PER_TIMER = TIMER_COLUMNS.length

export const COLUMN_NAMES: readonly ColumnName[] = TIMER_COLUMNS.map(({ name }) => name)

/** Where in a row's cells each column is. */
export const CellAt = Object.fromEntries(COLUMN_NAMES.map((name, index) => [name, index])) as Readonly<
  Record<ColumnName, number>
>

/** So many lists, for the cells of rows. */
export function emptyColumns(count: number): Cell[][] {
  return Array.from({ length: count }, () => [])
}

export function areSame(column: readonly Cell[]): boolean {
  const first = column[0]
  for (let at = 1; at < column.length; at++) if (column[at] !== first) return false
  return true
}

/** What a change of a timer never changes. */
export const KEY_COLUMNS: readonly ColumnName[] = ['timer_uuid', 'timer_namespace', 'timer_id']

export const CHANGING_COLUMNS: readonly ColumnName[] = COLUMN_NAMES.filter((name) => !KEY_COLUMNS.includes(name))
