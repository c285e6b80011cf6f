// Pages of timers by filter. A page reads a bounded stretch of rows: a filter that hardly anything matches gives
// short pages with a cursor, instead of one answer that takes seconds.

import { matchesAny, prefixOf } from '../../core/access.ts'
import type { NamespacePattern } from '../../core/access.ts'
import { Status } from '../../core/timer.ts'
import type { TimerUuid } from '../../core/timer.ts'
import type { ListCursor, ListFilter, ListPage, ListQuery } from '../store.ts'
import { RowType, statusCode } from '../timer-row.ts'
import type { Cell } from '../timer-row.ts'
import { columnParameter } from './array-parameters.ts'
import { SELECT_CELLS, timersOfRows } from './commit.ts'
import type { Connections, Parameter, Row } from './connections.ts'

const ROWS_READ_MAX = 50_000 // about 50 ms
const ROWS_READ_MAX_METADATA = 10_000 // each row's JSON is parsed, which takes about as long

const NAMESPACES_MERGED_MAX = 100 // beyond so many, reading all shards in order meets matching rows often enough

/** Stretches of the database that have the list's order in an index: these namespaces, or every shard. */
type Sources = { readonly namespaces: readonly string[] } | 'shards'

/** The list's order is that of these columns, so a position in it is a key. */
type Position = readonly [rowType: number, executeAt: number, uuid: string]
const BEFORE_ALL_UUIDS = '0'.repeat(32)
const BEGINNING: Position = [RowType.live, Number.MIN_SAFE_INTEGER, BEFORE_ALL_UUIDS]
const KEY = 'row_type, timer_execute_at, timer_uuid'

type Page = { readonly filter: ListFilter; readonly sources: Sources; readonly start: Position }
const END: ListPage = { timers: [], next: null }

export class Lister {
  readonly #connections: Connections
  readonly #shards: number
  /** Names of prepared statements by their text. There are as many as combinations of filters, a few dozen. */
  readonly #names = new Map<string, string>()

  constructor(connections: Connections, shards: number) {
    this.#connections = connections
    this.#shards = shards
  }

  async list({ filter, after, limit }: ListQuery): Promise<ListPage> {
    if (filter.statuses?.length === 0 || !isComparable(filter)) return END
    const sources = await this.#sourcesOf(filter)
    if (sources !== 'shards' && sources.namespaces.length === 0) return END
    const page = { filter, sources, start: startOf(filter, after) }
    const border = hasConditions(page) ? await this.#border(page) : null
    const rows = await this.#rows(page, border, limit)
    const end = rows.length === limit ? positionOf(rows.at(-1)!) : border
    return { timers: timersOfRows(rows), next: end === null ? null : cursorAt(end) }
  }

  async #sourcesOf({ namespace, namespaces }: ListFilter): Promise<Sources> {
    if (namespace !== undefined) {
      return { namespaces: namespaces === undefined || matchesAny(namespaces, namespace) ? [namespace] : [] }
    }
    if (namespaces === undefined) return 'shards'
    const statement = new Statement()
    const rows = await this.#read(statement, `
      SELECT DISTINCT timer_namespace FROM timer_counts WHERE ${matchesPatterns(namespaces, statement)} LIMIT ${NAMESPACES_MERGED_MAX + 1}`)
    return rows.length > NAMESPACES_MERGED_MAX ? 'shards' : { namespaces: rows.map(([name]) => name as string) }
  }

  /** How far this page may read; null when the end is nearer. Looked up first: what is inserted before it meanwhile is only read in addition. */
  async #border(page: Page): Promise<Position | null> {
    const statement = new Statement()
    const rowsMax = page.filter.metadataKey === undefined ? ROWS_READ_MAX : ROWS_READ_MAX_METADATA
    const sourceCount = page.sources === 'shards' ? this.#shards : page.sources.namespaces.length
    const offset = Math.ceil(rowsMax / sourceCount) - 1
    const rows = await this.#read(statement, `
      SELECT ${KEY} FROM ${this.#from(page, statement)}
      CROSS JOIN LATERAL (
        SELECT ${KEY} FROM timers WHERE ${rangeOf(page, null, statement)}
        ORDER BY ${KEY} OFFSET ${statement.bind(offset, 'bigint')} LIMIT 1
      ) AS last_read
      ORDER BY ${KEY} LIMIT 1`)
    return rows[0] === undefined ? null : positionOf(rows[0])
  }

  async #rows(page: Page, border: Position | null, limit: number): Promise<Row[]> {
    const statement = new Statement()
    return this.#read(statement, `
      SELECT ${SELECT_CELLS} FROM ${this.#from(page, statement)}
      CROSS JOIN LATERAL (
        SELECT ${SELECT_CELLS} FROM timers
        WHERE ${rangeOf(page, border, statement)}${conditionsOf(page, statement)}
        ORDER BY ${KEY} LIMIT ${statement.bind(limit, 'bigint')}
      ) AS timer
      ORDER BY ${KEY} LIMIT ${statement.bind(limit, 'bigint')}`)
  }

  #from({ sources }: Page, statement: Statement): string {
    if (sources === 'shards') return `generate_series(0, ${this.#shards - 1}) AS source (shard)`
    return `unnest(${statement.bind(columnParameter('text', sources.namespaces), 'text[]')}) AS source (namespace)`
  }

  async #read(statement: Statement, text: string): Promise<Row[]> {
    let name = this.#names.get(text)
    if (name === undefined) this.#names.set(text, (name = `list-${this.#names.size}`))
    return this.#connections.read({ name, text, values: statement.values })
  }
}

/** Values are bound, never written into the text. */
class Statement {
  readonly values: Parameter[] = []

  bind(value: Parameter, type: 'text' | 'text[]' | 'bigint' | 'smallint' | 'uuid' | 'jsonb'): string {
    return `$${this.values.push(value)}::${type}`
  }
}

function rangeOf({ filter, sources, start }: Page, border: Position | null, statement: Statement): string {
  const source = sources === 'shards' ? 'shard_id = source.shard' : 'timer_namespace = source.namespace'
  const upTo = border === null ? '' : ` AND (${KEY}) <= (${bindPosition(border, statement)})`
  return `${source} AND (${KEY}) > (${bindPosition(start, statement)})${upTo} AND row_type <= ${lastRowType(filter)}`
}

function bindPosition([rowType, executeAt, uuid]: Position, statement: Statement): string {
  return [statement.bind(rowType, 'smallint'), statement.bind(executeAt, 'bigint'), statement.bind(uuid, 'uuid')].join(', ')
}

/** Behind `after`, and not before the first row that can match. */
function startOf(filter: ListFilter, after: ListCursor | null): Position {
  const candidates = [BEGINNING]
  if (after !== null) candidates.push([after.finished ? RowType.finished : RowType.live, after.wakeAt, after.uuid])
  if (filter.statuses?.every(isFinishedStatus)) candidates.push([RowType.finished, Number.MIN_SAFE_INTEGER, BEFORE_ALL_UUIDS])
  // A live timer never wakes before it is due.
  if (filter.dueFrom !== undefined) candidates.push([RowType.live, filter.dueFrom - 1, 'f'.repeat(32)])
  return candidates.toSorted(comparePositions).at(-1)!
}

function lastRowType(filter: ListFilter): number {
  return filter.statuses?.some(isFinishedStatus) === false ? RowType.live : RowType.finished
}

function isFinishedStatus(status: Status): boolean {
  return status === Status.completed || status === Status.failed || status === Status.canceled
}

/** No timer can have what PostgreSQL cannot even be asked for. */
function isComparable({ metadataKey = '', metadataValue }: ListFilter): boolean {
  return [metadataKey, metadataValue].every((one) => typeof one !== 'string' || (one.isWellFormed() && !one.includes('\0')))
}

function hasConditions({ filter: { namespaces, statuses, dueFrom, dueTo, metadataKey }, sources }: Page): boolean {
  if (namespaces !== undefined && sources === 'shards') return true
  return statuses !== undefined || dueFrom !== undefined || dueTo !== undefined || metadataKey !== undefined
}

function conditionsOf({ filter, sources }: Page, statement: Statement): string {
  const terms: string[] = []
  if (filter.namespaces !== undefined && sources === 'shards') terms.push(matchesPatterns(filter.namespaces, statement))
  if (filter.statuses !== undefined) {
    const mask = filter.statuses.reduce((bits, status) => bits | (1 << statusCode(status)), 0)
    terms.push(`(1::bigint << timer_status) & ${statement.bind(mask, 'bigint')} <> 0`)
  }
  const dueAt = 'coalesce(timer_due_at, timer_execute_at)'
  if (filter.dueFrom !== undefined) terms.push(`${dueAt} >= ${statement.bind(filter.dueFrom, 'bigint')}`)
  if (filter.dueTo !== undefined) terms.push(`${dueAt} < ${statement.bind(filter.dueTo, 'bigint')}`)
  if (filter.metadataKey !== undefined) {
    const value = filter.metadataValue === undefined ? null : JSON.stringify(filter.metadataValue)
    terms.push(`timer_metadata_matches(timer_metadata, ${statement.bind(filter.metadataKey, 'text')}, ${statement.bind(value, 'jsonb')})`)
  }
  return terms.map((term) => ` AND ${term}`).join('')
}

function matchesPatterns(patterns: readonly NamespacePattern[], statement: Statement): string {
  const names = patterns.filter((pattern) => prefixOf(pattern) === null)
  const prefixes = patterns.map(prefixOf).filter((prefix) => prefix !== null)
  const isNamed = `timer_namespace = ANY (${statement.bind(columnParameter('text', names), 'text[]')})`
  const begins = `SELECT 1 FROM unnest(${statement.bind(columnParameter('text', prefixes), 'text[]')}) AS one (prefix)`
  return `(${isNamed} OR EXISTS (${begins} WHERE starts_with(timer_namespace, prefix)))`
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
