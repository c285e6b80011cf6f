// Pages of timers by filter. A page reads a bounded stretch of rows: a filter that hardly anything matches gives
// short pages with a cursor, instead of one answer that takes seconds.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { comparePositions, cursorAt, lastRowType, LIST_KEY, startOf } from '../../list-order.ts'
import type { Position } from '../../list-order.ts'
import type { ListCursor, ListFilter, ListQuery } from '../../store.ts'
import { statusCode } from '../../row/codes.ts'
import type { Cell } from '../../row/columns.ts'
import { PageRows } from './page-rows.ts'

const ROWS_READ_MAX = 50_000 // about 30 ms
const ROWS_READ_MAX_JSON = 10_000 // JSON is parsed for each row, which takes about as long

export type ListReply = { readonly cells: Cell[]; readonly next: ListCursor | null }

/** Where rows are read: all those of a namespace, sorted, or those of a shard, which are kept in the list's order. */
export type Source = { readonly namespace: string } | { readonly shard: number }

type Stretch = { readonly found: readonly Position[]; readonly border: Position | null }

const POSITION = 'row_type, timer_execute_at, lower(hex(timer_uuid))'

export class Lister {
  readonly #db: DatabaseSync
  readonly #rows: PageRows
  /** By text. There are as many as combinations of filters, a few dozen. */
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#rows = new PageRows(db)
  }

  list(query: ListQuery, sourcesOf: (filter: ListFilter) => readonly Source[]): ListReply {
    if (query.filter.statuses?.length === 0 || query.filter.namespaces?.length === 0) return { cells: [], next: null }
    // As of one moment, also inside a transaction that goes on.
    this.#db.exec('SAVEPOINT list')
    try {
      return this.#list(query, sourcesOf(query.filter))
    } finally {
      this.#db.exec('RELEASE list')
    }
  }

  /** First where the timers of the page are, in all sources, then what is in them: none is read in vain. */
  #list({ filter, after, limit, ...size }: ListQuery, sources: readonly Source[]): ListReply {
    const start = startOf(filter, after)
    const { found, border } = merge(
      sources.map((source) => this.#find(source, filter, start, limit)),
      limit,
    )
    const rows = this.#rows.read(
      found.map(([, , uuid]) => uuid),
      size,
    )
    const end = rows.length < found.length ? found[rows.length - 1]! : border
    return { cells: rows.flat(), next: end === null ? null : cursorAt(end) }
  }

  #find(source: Source, filter: ListFilter, start: Position, limit: number): Stretch {
    const conditions = conditionsOf(filter, source)
    const rowsMax = conditions.readsJson ? ROWS_READ_MAX_JSON : ROWS_READ_MAX
    const [where, scope] =
      'shard' in source ? ['shard_id = ?', source.shard] : ['timer_namespace = ?', source.namespace]
    const range = `${where} AND (${LIST_KEY}) > (?, ?, unhex(?)) AND row_type <= ${lastRowType(filter)}
      ORDER BY ${LIST_KEY}`
    // Only keys are sorted; the cross join then takes their rows one by one, in this order, until there are enough.
    const found = this.#prepare(`
      SELECT ${POSITION}
      FROM (SELECT shard_id, ${LIST_KEY} FROM timers WHERE ${range} LIMIT ${rowsMax})
      CROSS JOIN timers USING (shard_id, ${LIST_KEY})
      WHERE ${conditions.sql} LIMIT ?`)
    const positions = found.all(scope, ...start, ...conditions.values, limit) as unknown as Position[]
    if (positions.length === limit) return { found: positions, border: positions.at(-1)! }
    const lastRead = this.#prepare(`
      SELECT ${POSITION} FROM timers WHERE ${range} LIMIT 1 OFFSET ${rowsMax - 1}`)
    return { found: positions, border: (lastRead.get(scope, ...start) as unknown as Position | undefined) ?? null }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#db.prepare(sql)
      statement.setReturnArrays(true)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}

/** Rows up to the nearest border: behind it, one of the stretches may have rows that were not read. */
function merge(stretches: readonly Stretch[], limit: number): Stretch {
  let border =
    stretches.flatMap((stretch) => (stretch.border === null ? [] : [stretch.border])).toSorted(comparePositions)[0] ??
    null
  let found = stretches.flatMap((stretch) => stretch.found)
  if (stretches.length > 1) found = found.toSorted(comparePositions)
  if (border !== null) found = found.filter((position) => comparePositions(position, border!) <= 0)
  if (found.length > limit) {
    found = found.slice(0, limit)
    border = found.at(-1)!
  }
  return { found, border }
}

type Conditions = { readonly sql: string; readonly values: SQLInputValue[]; readonly readsJson: boolean }

/** Values are bound, never written into the text; json_each compares a key as it is, whatever characters it has. */
function conditionsOf(filter: ListFilter, source: Source): Conditions {
  const terms = ['TRUE']
  const values: SQLInputValue[] = []
  const add = (term: string, ...bound: SQLInputValue[]): void => {
    terms.push(term)
    values.push(...bound)
  }
  if (filter.namespace !== undefined && 'shard' in source) add('timer_namespace = ?', filter.namespace)
  // Namespaces have none of the characters that mean something to GLOB, but for the star at the end of a pattern. As one
  // value, since each number of parameters would be a statement of its own.
  const byPattern = filter.namespaces !== undefined && 'shard' in source
  if (byPattern)
    add('EXISTS (SELECT 1 FROM json_each(?) WHERE timer_namespace GLOB value)', JSON.stringify(filter.namespaces))
  if (filter.statuses !== undefined) {
    add(
      '(1 << timer_status) & CAST(? AS INTEGER) <> 0',
      filter.statuses.reduce((mask, status) => mask | (1 << statusCode(status)), 0),
    )
  }
  if (filter.dueFrom !== undefined) add('coalesce(timer_due_at, timer_execute_at) >= ?', filter.dueFrom)
  if (filter.dueTo !== undefined) add('coalesce(timer_due_at, timer_execute_at) < ?', filter.dueTo)
  if (filter.metadataKey !== undefined) {
    const [matchesValue, ...bound] = metadataValueTerm(filter.metadataValue)
    add(
      `EXISTS (SELECT 1 FROM json_each(timer_metadata) WHERE key = ? AND ${matchesValue})`,
      filter.metadataKey,
      ...bound,
    )
  }
  return { sql: terms.join(' AND '), values, readsJson: byPattern || filter.metadataKey !== undefined }
}

/** JSON values are equal only if their types are: the text "1" is not the number 1. */
function metadataValueTerm(value: string | number | boolean | undefined): [sql: string, ...values: SQLInputValue[]] {
  if (value === undefined) return ['TRUE']
  if (typeof value === 'boolean') return ['type = ?', String(value)]
  return typeof value === 'string'
    ? [`type = 'text' AND atom = ?`, value]
    : [`type IN ('integer', 'real') AND atom = ?`, value]
}
