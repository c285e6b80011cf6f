// Lists of timers by filter, page by page. A page reads a bounded stretch of rows: a filter that hardly anything matches
// gives short pages with a cursor, instead of one answer that takes seconds.

import { cursorAt, lastRowType, LIST_KEY, positionOf, startOf } from '../../list-order.ts'
import type { Position } from '../../list-order.ts'
import { PAGE_BYTES_MAX } from '../../../core/limits.ts'
import type { ListFilter, ListPage, ListQuery, PageSize } from '../../store.ts'
import { statusCode } from '../../row/codes.ts'
import { CELLS_PER_TIMER } from '../../row/columns.ts'
import { rowBytesSql } from '../../row/timer-parts.ts'
import { SELECT_CELLS, selectCells, timersOfRows } from '../commit.ts'
import type { Row } from '../connection/connections.ts'
import { sourcesOf } from './sources.ts'
import type { Sources } from './sources.ts'
import { cutToBytes, isAskable, METADATA, Statement } from '../connection/statement.ts'
import type { PreparedReads } from '../connection/statement.ts'

const ROWS_READ_MAX = 50_000 // about 50 ms
const ROWS_READ_MAX_METADATA = 10_000 // each row's JSON is parsed, which takes about as long

type Page = { readonly filter: ListFilter; readonly sources: Sources; readonly start: Position }
const END: ListPage = { timers: [], next: null }

export class Lister {
  readonly #reads: PreparedReads
  readonly #shards: number

  constructor(reads: PreparedReads, shards: number) {
    this.#reads = reads
    this.#shards = shards
  }

  async list({ filter, after, ...size }: ListQuery): Promise<ListPage> {
    if (filter.statuses?.length === 0 || !isAskable(filter.metadataKey) || !isAskable(filter.metadataValue)) return END
    const sources = await sourcesOf(filter, this.#reads, this.#shards)
    if (sources === null) return END
    const page: Page = { filter, sources, start: startOf(filter, after) }
    const border = conditionsOf(page, new Statement()) === '' ? null : await this.#border(page)
    const rows = await this.#rows(page, border, size)
    const isCut = rows.length === size.limit || rows.length < ((rows[0]?.[CELLS_PER_TIMER] as number | undefined) ?? 0)
    const end = isCut ? positionOf(rows.at(-1)!) : border
    return { timers: timersOfRows(rows, size.omit), next: end === null ? null : cursorAt(end) }
  }

  /** How far this page may read; null when the end is nearer. Looked up first: what is inserted meanwhile is only read in addition. */
  async #border(page: Page): Promise<Position | null> {
    const { filter, sources } = page
    const statement = new Statement()
    const rowsMax = filter.metadataKey === undefined ? ROWS_READ_MAX : ROWS_READ_MAX_METADATA
    const offset = Math.ceil(rowsMax / sources.count) - 1
    const text = `
      SELECT ${LIST_KEY} FROM ${sources.from(statement)}
      CROSS JOIN LATERAL (
        SELECT ${LIST_KEY} FROM timers WHERE ${rangeOf(page, null, statement)}
        ORDER BY ${LIST_KEY} OFFSET ${statement.bind(offset, 'bigint')} LIMIT 1
      ) AS last_read
      ORDER BY ${LIST_KEY} LIMIT 1`
    const [last] = await this.#reads.read(text, statement)
    return last === undefined ? null : positionOf(last)
  }

  /** Behind the cells: how many there were before the page was cut to its size. */
  async #rows(
    page: Page,
    border: Position | null,
    { limit, omit = [], bytesMax = PAGE_BYTES_MAX }: PageSize,
  ): Promise<Row[]> {
    const statement = new Statement()
    const rows = `
      SELECT ${SELECT_CELLS}, bytes FROM ${page.sources.from(statement)}
      CROSS JOIN LATERAL (
        SELECT ${selectCells(omit)}, ${rowBytesSql(omit)} AS bytes FROM timers
        WHERE ${rangeOf(page, border, statement)}${conditionsOf(page, statement)}
        ORDER BY ${LIST_KEY} LIMIT ${statement.bind(limit, 'bigint')}
      ) AS timer
      ORDER BY ${LIST_KEY} LIMIT ${statement.bind(limit, 'bigint')}`
    return this.#reads.read(
      cutToBytes(rows, { order: LIST_KEY, columns: `${SELECT_CELLS}, found`, bytesMax }, statement),
      statement,
    )
  }
}

function rangeOf({ filter, sources, start }: Page, border: Position | null, statement: Statement): string {
  const upTo = border === null ? '' : ` AND (${LIST_KEY}) <= (${bindPosition(border, statement)})`
  return `${sources.join} AND (${LIST_KEY}) > (${bindPosition(start, statement)})${upTo} AND row_type <= ${lastRowType(filter)}`
}

function bindPosition([rowType, executeAt, uuid]: Position, statement: Statement): string {
  return [statement.bind(rowType, 'smallint'), statement.bind(executeAt, 'bigint'), statement.bind(uuid, 'uuid')].join(
    ', ',
  )
}

/** What a row must fulfil besides being in range. */
function conditionsOf({ filter, sources }: Page, statement: Statement): string {
  const terms: string[] = []
  if (sources.condition !== null) terms.push(sources.condition(statement))
  if (filter.statuses !== undefined) {
    const mask = filter.statuses.reduce((bits, status) => bits | (1 << statusCode(status)), 0)
    terms.push(`(1::bigint << timer_status) & ${statement.bind(mask, 'bigint')} <> 0`)
  }
  const dueAt = 'coalesce(timer_due_at, timer_execute_at)'
  if (filter.dueFrom !== undefined) terms.push(`${dueAt} >= ${statement.bind(filter.dueFrom, 'bigint')}`)
  if (filter.dueTo !== undefined) terms.push(`${dueAt} < ${statement.bind(filter.dueTo, 'bigint')}`)
  if (filter.metadataKey !== undefined) {
    const found = `${METADATA} -> ${statement.bind(filter.metadataKey, 'text')}`
    const value =
      filter.metadataValue === undefined ? null : statement.bind(JSON.stringify(filter.metadataValue), 'jsonb')
    terms.push(value === null ? `${found} IS NOT NULL` : `${found} = ${value}`)
  }
  return terms.map((term) => ` AND ${term}`).join('')
}
