// Lists of timers by filter, page by page. A page reads a bounded stretch of rows: a filter that hardly anything matches
// gives short pages with a cursor, instead of one answer that takes seconds.

import { Status } from '../../core/timer.ts'
import type { TimerUuid } from '../../core/timer.ts'
import type { ListCursor, ListFilter, ListPage, ListQuery } from '../store.ts'
import { RowType, statusCode } from '../timer-row.ts'
import type { Cell } from '../timer-row.ts'
import { SELECT_CELLS, timersOfRows } from './commit.ts'
import type { Row } from './connections.ts'
import { sourcesOf } from './sources.ts'
import type { Sources } from './sources.ts'
import { isAskable, METADATA, Statement } from './statement.ts'
import type { PreparedReads } from './statement.ts'

const ROWS_READ_MAX = 50_000 // about 50 ms
const ROWS_READ_MAX_METADATA = 10_000 // each row's JSON is parsed, which takes about as long

/** The list's order is that of these columns, so a position in it is a key. */
type Position = readonly [rowType: number, executeAt: number, uuid: string]
const FIRST_UUID = '0'.repeat(32)
const LAST_UUID = 'f'.repeat(32)
const BEGINNING: Position = [RowType.live, Number.MIN_SAFE_INTEGER, FIRST_UUID]
const KEY = 'row_type, timer_execute_at, timer_uuid'

type Page = { readonly filter: ListFilter; readonly sources: Sources; readonly start: Position }
const END: ListPage = { timers: [], next: null }

export class Lister {
  readonly #reads: PreparedReads
  readonly #shards: number

  constructor(reads: PreparedReads, shards: number) {
    this.#reads = reads
    this.#shards = shards
  }

  async list({ filter, after, limit }: ListQuery): Promise<ListPage> {
    if (filter.statuses?.length === 0 || !isAskable(filter.metadataKey) || !isAskable(filter.metadataValue)) return END
    const sources = await sourcesOf(filter, this.#reads, this.#shards)
    if (sources === null) return END
    const page: Page = { filter, sources, start: startOf(filter, after) }
    const border = conditionsOf(page, new Statement()) === '' ? null : await this.#border(page)
    const rows = await this.#rows(page, border, limit)
    const end = rows.length === limit ? positionOf(rows.at(-1)!) : border
    return { timers: timersOfRows(rows), next: end === null ? null : cursorAt(end) }
  }

  /** How far this page may read; null when the end is nearer. Looked up first: what is inserted meanwhile is only read in addition. */
  async #border(page: Page): Promise<Position | null> {
    const { filter, sources } = page
    const statement = new Statement()
    const rowsMax = filter.metadataKey === undefined ? ROWS_READ_MAX : ROWS_READ_MAX_METADATA
    const offset = Math.ceil(rowsMax / sources.count) - 1
    const text = `
      SELECT ${KEY} FROM ${sources.from(statement)}
      CROSS JOIN LATERAL (
        SELECT ${KEY} FROM timers WHERE ${rangeOf(page, null, statement)}
        ORDER BY ${KEY} OFFSET ${statement.bind(offset, 'bigint')} LIMIT 1
      ) AS last_read
      ORDER BY ${KEY} LIMIT 1`
    const [last] = await this.#reads.read(text, statement)
    return last === undefined ? null : positionOf(last)
  }

  async #rows(page: Page, border: Position | null, limit: number): Promise<Row[]> {
    const statement = new Statement()
    const text = `
      SELECT ${SELECT_CELLS} FROM ${page.sources.from(statement)}
      CROSS JOIN LATERAL (
        SELECT ${SELECT_CELLS} FROM timers
        WHERE ${rangeOf(page, border, statement)}${conditionsOf(page, statement)}
        ORDER BY ${KEY} LIMIT ${statement.bind(limit, 'bigint')}
      ) AS timer
      ORDER BY ${KEY} LIMIT ${statement.bind(limit, 'bigint')}`
    return this.#reads.read(text, statement)
  }
}

function rangeOf({ filter, sources, start }: Page, border: Position | null, statement: Statement): string {
  const upTo = border === null ? '' : ` AND (${KEY}) <= (${bindPosition(border, statement)})`
  return `${sources.join} AND (${KEY}) > (${bindPosition(start, statement)})${upTo} AND row_type <= ${lastRowType(filter)}`
}

function bindPosition([rowType, executeAt, uuid]: Position, statement: Statement): string {
  return [statement.bind(rowType, 'smallint'), statement.bind(executeAt, 'bigint'), statement.bind(uuid, 'uuid')].join(', ')
}

/** Behind `after`, and not before the first row that can match. */
function startOf(filter: ListFilter, after: ListCursor | null): Position {
  const candidates = [BEGINNING]
  if (after !== null) candidates.push([after.finished ? RowType.finished : RowType.live, after.wakeAt, after.uuid])
  if (filter.statuses?.every(isFinishedStatus)) candidates.push([RowType.finished, Number.MIN_SAFE_INTEGER, FIRST_UUID])
  // A live timer never wakes before it is due.
  if (filter.dueFrom !== undefined) candidates.push([RowType.live, filter.dueFrom - 1, LAST_UUID])
  return candidates.toSorted(comparePositions).at(-1)!
}

function lastRowType(filter: ListFilter): number {
  return filter.statuses?.some(isFinishedStatus) === false ? RowType.live : RowType.finished
}

function isFinishedStatus(status: Status): boolean {
  return status === Status.completed || status === Status.failed || status === Status.canceled
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
    const value = filter.metadataValue === undefined ? null : statement.bind(JSON.stringify(filter.metadataValue), 'jsonb')
    terms.push(value === null ? `${found} IS NOT NULL` : `${found} = ${value}`)
  }
  return terms.map((term) => ` AND ${term}`).join('')
}

function positionOf(row: readonly Cell[]): Position {
  return [row[0] as number, row[1] as number, row[2] as string]
}

function comparePositions(a: Position, b: Position): number {
  if (a[0] !== b[0]) return a[0] - b[0]
  if (a[1] !== b[1]) return a[1] - b[1]
  return a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0
}

function cursorAt([rowType, wakeAt, uuid]: Position): ListCursor {
  return { finished: rowType === RowType.finished, wakeAt, uuid: uuid as TimerUuid }
}
