// What differs between SQL databases, as one small object for each. Statements are made from the table of columns and from
// what is asked (questions/); wherever databases would say it differently, they ask the dialect.

import type { ColumnName, ColumnType } from '../row/columns.ts'
import type { PageFilter } from '../store.ts'
import type { Statement, Value } from './statement.ts'

export type MetadataFilter = Pick<PageFilter, 'metadataKey' | 'metadataValues'>

/** The indexes that questions name. `primary` is the order of (shard, row type, wake time, uuid), `timers_by_namespace` that of creation in each namespace. */
export type IndexName =
  | 'primary'
  | 'timers_by_uuid'
  | 'timers_by_namespace'
  | 'timers_by_due'
  | 'timers_by_rare_status'
  | 'timers_of_cycles'
  | 'timers_by_metadata'
  | 'timer_outbox_by_shard'
  | 'timer_counters_by_slot'

export type Dialect = {
  /** How the value at this position, counted from 1, is written. A statement may name a position more than once. */
  readonly parameter: (position: number, type: ColumnType) => string
  /** The value itself, safely written: for databases to which several statements are sent at once, which can have no parameters. */
  readonly literal?: (value: Value, type: ColumnType) => string
  /** A condition: the column has one of the values, which are bound. */
  readonly isOneOf: (column: string, type: ColumnType, values: readonly Value[], statement: Statement) => string
  /** A FROM item with the values in `listed.value`. */
  readonly listed: (type: ColumnType, values: readonly Value[], statement: Statement) => string
  /** A FROM item: the rows that `select` gives for each key. `select` gets the key as SQL. */
  readonly forEach: (
    type: ColumnType,
    keys: readonly Value[],
    select: (key: string) => string,
    statement: Statement,
  ) => string
  /** The same with the keys that a SELECT gives, if that can be said; who folds counters needs it. */
  readonly forEachOf?: (keys: string, select: (key: string) => string) => string
  /** How many keys or values one statement takes. */
  readonly keysMax: number
  /** A condition: these columns, in this order, are behind the values. */
  readonly isBehind: (columns: readonly string[], values: readonly string[], descending: boolean) => string
  readonly concat: (a: string, b: string) => string
  /** DISTINCT goes from one value of an index to the next by itself; otherwise a recursive query does. */
  readonly hasLooseScan: boolean
  /** Some columns are kept in another form than the cell that they are read as. */
  readonly readAs: Partial<Record<ColumnName, string>>
  /** The length of a text in bytes, without reading it where the database can. */
  readonly bytesOf: (column: ColumnName) => string
  /** After the name of a table: reads by this index. */
  readonly by: (index: IndexName) => string
  /** A FROM item: the first rows of a range of timers, whole, in its order; and what keeps what follows in the order of the key. */
  readonly stretch: (range: string, rowsMax: number, key: string) => string
  readonly stretchOrder: (key: string) => string
  /** Selects of `at` and `timer_uuid`, each in order already, as one in that order. `enough` rows of each will do; bound when asked for. */
  readonly merged: (selects: readonly string[], order: string, enough: () => string) => string
  /** A FROM item of counters that are written and not yet added to timer_counters. */
  readonly unfoldedCounters: string | null
  /** False for what the database cannot even be asked for; no timer is found by it. */
  readonly isAskable: (value: unknown) => boolean
  /** A condition on the metadata of a row: the key is there, with one of the values if there are any. */
  readonly hasMetadata: (filter: MetadataFilter, statement: Statement) => string
  readonly metadataIndex: MetadataIndex
  readonly limits: DialectLimits
}

/** How timers are found by their metadata without reading all of them. */
export type MetadataIndex = {
  /** A condition on a row that the index serves. */
  readonly found: (filter: PageFilter, statement: Statement) => string
  /** What is counted when nothing but metadata and namespaces are asked for: a FROM item with its condition. */
  readonly counted: (filter: PageFilter, statement: Statement) => string
}

export type DialectLimits = {
  /** Rows that one page of a list reads, and how many when their JSON is looked at. */
  readonly listRows: number
  readonly listRowsWithMetadata: number
  /** So many namespaces are merged; beyond that, reading all shards in order meets matching rows often enough. */
  readonly namespacesMerged: number
  /** Timers of namespaces that are sorted for a list. */
  readonly timersSorted: number
  readonly upcomingRows: number
  /**
   * Of so many runs of an index, the first rows are read by one statement, as many of each as the page may need; more runs are merged
   * here, block by block, which reads less but asks more often.
   */
  readonly runsAtOnce: number
}
