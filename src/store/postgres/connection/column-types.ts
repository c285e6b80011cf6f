// The types of the table of columns in PostgreSQL: of columns, and of the arrays that a commit sends.

import type { ColumnType } from '../../row/columns.ts'
import type { ElementType } from './array-parameters.ts'

export const SQL_TYPES = {
  small: 'smallint',
  shard: 'integer',
  integer: 'bigint',
  time: 'bigint',
  uuid: 'uuid',
  name: 'text COLLATE "C"',
  text: 'text',
} as const satisfies Record<ColumnType, string>

export const ELEMENT_TYPES = {
  small: 'int2',
  shard: 'int4',
  integer: 'int8',
  time: 'int8',
  uuid: 'uuid',
  name: 'text',
  text: 'text',
} as const satisfies Record<ColumnType, ElementType>

/** What elements of arrays are called in SQL. */
export const ARRAY_TYPES = { int2: 'smallint', int4: 'integer', int8: 'bigint', text: 'text', uuid: 'uuid' } as const

/** Columns stand in the order of their alignment, which saves padding in every row. */
const WIDTHS: Readonly<Record<ColumnType, number>> = {
  time: 0,
  integer: 0,
  shard: 1,
  small: 2,
  uuid: 3,
  name: 4,
  text: 4,
}

export function byAlignment(a: { readonly type: ColumnType }, b: { readonly type: ColumnType }): number {
  return WIDTHS[a.type] - WIDTHS[b.type]
}
