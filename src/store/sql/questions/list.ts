// Lists of timers by filter, page by page. A page reads a bounded stretch of rows: a filter that hardly anything matches gives
// short pages with a cursor, instead of one answer that takes seconds.

import { comparePositions, cursorAt, lastRowType, LIST_KEY, startOf } from './list-order.ts'
import type { Position } from './list-order.ts'
import { mergeStretches } from '../../queries/ordered-scan.ts'
import type { Stretch } from '../../queries/ordered-scan.ts'
import { isInternal } from '../../../core/timer/ids.ts'
import type { Namespace } from '../../../core/timer/timer.ts'
import { CellAt } from '../../row/columns.ts'
import type { Cell } from '../../row/columns.ts'
import type { ListCursor, ListQuery } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { all, inChunks, Statement } from '../statement.ts'
import type { Query, Question, Row, Value } from '../statement.ts'
import { uuidText } from '../timer-sql.ts'
import { canMatch, filterTerms, rowFilter } from './filters.ts'
import { pageRows } from '../pages/page-rows.ts'
import { scopeTerm } from './scope.ts'
import { sourcesOf } from './sources.ts'
import type { Sources } from './sources.ts'
import { appendRows } from './timers.ts'

export type ListReply = { readonly cells: Cell[]; readonly next: ListCursor | null }

const KEY_COLUMNS = LIST_KEY.split(', ')
const ORDER = { positionOf: (position: Position) => position, compare: comparePositions }

/** First where the timers of the page are, in all sources, then what is in them: none is read in vain. */
export function* list(dialect: Dialect, { filter, after, limit, ...size }: ListQuery): Question<ListReply> {
  if (!canMatch(rowFilter(filter), { dialect })) return { cells: [], next: null }
  const sources = yield* sourcesOf(dialect, filter, limit)
  const reading: Reading = { filter, sources, start: startOf(filter, after), limit }
  const stretches: Stretch<Position, Position>[] = []
  for (const keys of inChunks(sources.keys, dialect)) stretches.push(yield* readStretch(dialect, reading, keys))
  const { rows: found, border } = mergeStretches(stretches, ORDER, limit)
  const uuids = found.map(([, , uuid]) => uuid)
  const rows = yield* pageRows(dialect, uuids, size)
  const end = rows.length < found.length ? found[rows.length - 1]! : border
  // Left out here, so that a list of all timers needs no condition: there are few of them.
  const shown = filter.namespace === undefined ? rows.filter(isOfClients) : rows
  return { cells: appendRows([], shown), next: end === null ? null : cursorAt(end) }
}

function isOfClients(row: Row): boolean {
  return !isInternal(row[CellAt.timer_namespace] as Namespace)
}

type Reading = Pick<ListQuery, 'filter' | 'limit'> & { readonly sources: Sources; readonly start: Position }

/** Of these sources together. */
function* readStretch(
  dialect: Dialect,
  reading: Reading,
  keys: readonly Value[],
): Question<Stretch<Position, Position>> {
  const { filter, sources, limit } = reading
  const statement = new Statement(dialect)
  const limitSql = statement.bind(limit, 'integer')
  const terms = [scopeTerm(sources.scope, statement) ?? [], filterTerms(rowFilter(filter), statement)].flat()
  const range = rangeOf(reading, statement)
  const rowsMax = rowsMaxOf(dialect, reading)
  const first = (key: string): string => {
    if (terms.length === 0) return `SELECT ${LIST_KEY} FROM ${range(key)} LIMIT ${limitSql}`
    return `
      SELECT ${LIST_KEY} FROM ${dialect.stretch(range(key), rowsMax, LIST_KEY)}
      WHERE ${terms.join(' AND ')} ${dialect.stretchOrder(LIST_KEY)} LIMIT ${limitSql}`
  }
  const matching = positions(
    statement.query(`
    SELECT row_type, timer_execute_at, ${uuidText(dialect)} FROM ${dialect.forEach(sources.type, keys, first, statement)}
    ORDER BY ${LIST_KEY} LIMIT ${limitSql}`),
  )
  // One source that gave enough was read no further than that; of several, some may have been left earlier.
  const isOfMany = terms.length > 0 && keys.length > 1
  const [found, nearest] = yield* all(matching, borderOf(dialect, reading, isOfMany ? keys : []))
  const lastFound = found.length === limit ? found.at(-1)! : null
  if (terms.length === 0 || (lastFound !== null && !isOfMany)) return { rows: found, border: lastFound }
  const lastRead = isOfMany ? nearest : yield* borderOf(dialect, reading, keys)
  const borders = [lastFound, lastRead].filter((border) => border !== null)
  const border = borders.toSorted(comparePositions)[0] ?? null
  return { rows: border === null ? found : found.filter((one) => comparePositions(one, border) <= 0), border }
}

/** The nearest place at which one of the sources was left; null when all were read to their end. */
function* borderOf(dialect: Dialect, reading: Reading, keys: readonly Value[]): Question<Position | null> {
  if (keys.length === 0) return null
  const statement = new Statement(dialect)
  const range = rangeOf(reading, statement)
  const offset = rowsMaxOf(dialect, reading) - 1
  const last = (key: string): string => `SELECT ${LIST_KEY} FROM ${range(key)} LIMIT 1 OFFSET ${offset}`
  const [nearest] = yield* positions(
    statement.query(`
    SELECT row_type, timer_execute_at, ${uuidText(dialect)}
    FROM ${dialect.forEach(reading.sources.type, keys, last, statement)} ORDER BY ${LIST_KEY} LIMIT 1`),
  )
  return nearest ?? null
}

/** The rows of one source behind the start, in order. */
function rangeOf({ filter, sources: { column, by }, start }: Reading, statement: Statement): (key: string) => string {
  const [rowType, executeAt, uuid] = start
  const values = [statement.bind(rowType, 'small'), statement.bind(executeAt, 'time'), statement.bind(uuid, 'uuid')]
  const isBehind = statement.dialect.isBehind(KEY_COLUMNS, values, false)
  return (key) =>
    `timers ${statement.dialect.by(by)} WHERE ${column} = ${key} AND ${isBehind} AND row_type <= ${lastRowType(filter)} ORDER BY ${LIST_KEY}`
}

function rowsMaxOf({ limits }: Dialect, { filter, sources }: Reading): number {
  const rows = filter.metadataKey === undefined ? limits.listRows : limits.listRowsWithMetadata
  return Math.max(1, Math.ceil(rows / sources.keys.length))
}

function* positions(query: Query): Question<Position[]> {
  return (yield query) as readonly unknown[] as Position[]
}
