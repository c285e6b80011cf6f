// How a page of timers is found without reading all of them. Either some index leads to few enough candidates, which are
// then sorted; or they are read in an order that an index has already, as far as the page goes. Whichever is less to read.
// Pure: from the question and the counters to SQL, so that a test can look at every plan.

import { Status } from '../../core/timer.ts'
import type { PageFilter, PageQuery } from '../store.ts'
import { RowType, statusCode } from '../timer-row.ts'
import { metadataEntries, metadataTerm } from './metadata-terms.ts'
import type { Values } from './metadata-terms.ts'
import { IS_CYCLE_SQL } from './statements.ts'

/** How many candidates are sorted for a page, unless a test says otherwise: some 100 ms at worst. */
export const SORTED_MAX = 50_000
const MERGED_MAX = 100 // SQLite joins up to 500 SELECTs into one

/** What the counters say. */
export type PageFacts = {
  readonly shards: readonly number[]
  /** Those of the scope that have timers. */
  readonly namespaces: readonly string[]
  /** Whether these are all there are. */
  readonly allNamespaces: boolean
  /** Timers of these namespaces: all, cycles, and those of the statuses asked for. */
  readonly timers: number
  readonly cycles: number
  readonly ofStatuses: number
  /** Of all namespaces. */
  readonly live: number
  readonly finished: number
  /** How many match. */
  readonly total: number
  /** Entries that match the metadata filter, or one more than are sorted; null without such a filter. */
  readonly metadata: number | null
}

/** A SELECT of `at` and `timer_uuid`, to be ordered by both and cut. */
type Source = { readonly from: string; readonly where: readonly string[]; readonly at: string; readonly values?: Values }

/** Statements that answer with uuids in order. Of several, each has the page's rows and those before it, and the answers are merged. */
export type PagePlan = readonly { readonly sql: string; readonly values: Values }[]

export function pagePlan(query: PageQuery, facts: PageFacts, sortedMax = SORTED_MAX): PagePlan {
  const small = smallest(pathsTo(query.filter, facts))
  if (small.count <= sortedMax && small.count <= rowsInOrder(query, facts)) return [statement([small.source(sortColumn(query))], query, facts)]
  if (query.sort === 'dueAt') return [statement(sourcesByDue(query.filter, facts), query, facts)]
  const sources = facts.namespaces.map((_, index) => sourceByCreation(query.filter, index))
  if (sources.length <= MERGED_MAX) return [statement(sources, query, facts)]
  const whole = { ...query, offset: 0, limit: query.offset + query.limit }
  return chunks(sources).map((some) => statement(some, whole, facts))
}

/** How many rows are read in order until the page is full, if those that match are spread evenly among the others. */
function rowsInOrder({ filter, sort, offset, limit }: PageQuery, facts: PageFacts): number {
  const rowType = rowTypeOf(filter.statuses)
  const byDue = rowType === RowType.live ? facts.live : rowType === RowType.finished ? facts.finished : facts.live + facts.finished
  const among = sort === 'dueAt' ? byDue : filter.kind === 'cycle' ? facts.cycles : facts.timers
  return ((offset + limit) * among) / Math.max(1, facts.total)
}

type Path = { readonly count: number; readonly source: (at: string) => Source }

/** The ways to the matching timers, with the number of rows that each one meets. */
function pathsTo(filter: PageFilter, facts: PageFacts): Path[] {
  const { statuses, kind } = filter
  const paths = [path(facts.timers, 'INDEXED BY timers_by_namespace', IN_NAMESPACES)]
  if (kind === 'cycle') paths.push(path(facts.cycles, 'INDEXED BY timers_of_cycles', 'timer_cycle IS NOT NULL', IN_NAMESPACES))
  if (statuses?.every(isRare)) {
    // The first two are what SQLite needs to see to take the index.
    const terms = ['timer_status <> 0', 'timer_status <> 3', IN_NAMESPACES, `timer_status IN (${codes(statuses)})`]
    paths.push(path(facts.ofStatuses, 'INDEXED BY timers_by_rare_status', ...terms))
  }
  const rowType = rowTypeOf(statuses)
  if (rowType !== null) {
    const count = rowType === RowType.live ? facts.live : facts.finished
    paths.push(path(count, 'NOT INDEXED', 'shard_id IN (SELECT value FROM json_each($shards))', `row_type = ${rowType}`))
  }
  if (facts.metadata !== null) {
    const entries = metadataEntries(filter, facts.allNamespaces)
    const uuids = `timer_uuid IN (SELECT timer_uuid FROM timer_metadata WHERE ${entries.sql})`
    paths.push({
      count: facts.metadata,
      source: (at) => ({ from: 'timers INDEXED BY timers_by_uuid', where: [uuids], at, values: entries.values }),
    })
  }
  return paths
}

function path(count: number, index: string, ...where: readonly string[]): Path {
  return { count, source: (at) => ({ from: `timers ${index}`, where, at }) }
}

function smallest(paths: readonly Path[]): Path {
  return paths.reduce((least, one) => (one.count < least.count ? one : least))
}

function sourceByCreation({ kind }: PageFilter, index: number): Source {
  const [by, ...terms] = kind === 'cycle' ? ['timers_of_cycles', 'timer_cycle IS NOT NULL'] : ['timers_by_namespace']
  return { from: `timers INDEXED BY ${by}`, where: [...terms, `timer_namespace = $namespaces ->> ${index}`], at: 'timer_created_at' }
}

/** Live timers are in the order of their wake time, which is the due time unless timers_by_due has another. */
function sourcesByDue({ statuses }: PageFilter, { shards }: PageFacts): Source[] {
  const rowType = rowTypeOf(statuses)
  const inOrder = shards.map((shard): Source => {
    const where = [`shard_id = ${shard}`, `row_type = ${RowType.live}`, 'timer_due_at IS NULL']
    return { from: 'timers NOT INDEXED', where, at: 'timer_execute_at' }
  })
  const apart = [RowType.live, RowType.finished].map((type): Source => {
    return { from: 'timers INDEXED BY timers_by_due', where: [`row_type = ${type}`, 'timer_due_at IS NOT NULL'], at: 'timer_due_at' }
  })
  if (rowType === RowType.finished) return [apart[1]!]
  return rowType === RowType.live ? [...inOrder, apart[0]!] : [...inOrder, ...apart]
}

function statement(sources: readonly Source[], query: PageQuery, facts: PageFacts): PagePlan[number] {
  const { filter, descending, offset, limit } = query
  const conditions = conditionsOf(filter, facts)
  const selects = sources.map(({ from, where, at }) => {
    return `SELECT ${at} AS at, timer_uuid FROM ${from} WHERE ${[...where, ...conditions.terms].join(' AND ')}`
  })
  const direction = descending ? 'DESC' : 'ASC'
  const order = `ORDER BY at ${direction}, timer_uuid ${direction} LIMIT $limit OFFSET $offset`
  const sql = `SELECT lower(hex(timer_uuid)) AS uuid, at FROM (${selects.join(' UNION ALL ')} ${order})`
  const lists = { $namespaces: JSON.stringify(facts.namespaces), $shards: JSON.stringify(facts.shards) }
  const values = { ...lists, ...conditions.values, ...sources[0]?.values, $limit: limit, $offset: offset }
  return { sql, values: named(sql, values) }
}

const IN_NAMESPACES = 'timer_namespace IN (SELECT value FROM json_each($namespaces))'

/** What a row must be, whichever way it was found. The plus keeps SQLite from taking a term for an index. */
export function conditionsOf(filter: PageFilter, { allNamespaces }: Pick<PageFacts, 'allNamespaces'>): { terms: string[]; values: Values } {
  const terms: string[] = []
  if (!allNamespaces) terms.push(`+${IN_NAMESPACES}`)
  if (filter.statuses !== undefined) terms.push(`+timer_status IN (${codes(filter.statuses)})`)
  if (filter.kind !== undefined) terms.push(filter.kind === 'cycle' ? IS_CYCLE_SQL : `NOT ${IS_CYCLE_SQL}`)
  const metadata = metadataTerm(filter)
  if (metadata !== null) terms.push(metadata.sql)
  return { terms, values: metadata?.values ?? {} }
}

function sortColumn({ sort }: PageQuery): string {
  return sort === 'createdAt' ? 'timer_created_at' : 'coalesce(timer_due_at, timer_execute_at)'
}

const RARE: readonly Status[] = [Status.paused, Status.executing, Status.failed, Status.canceled]

function isRare(status: Status): boolean {
  return RARE.includes(status)
}

const FINISHED: readonly Status[] = [Status.completed, Status.failed, Status.canceled]

/** Null when both kinds of rows can match. */
function rowTypeOf(statuses: readonly Status[] | undefined): number | null {
  if (statuses === undefined) return null
  if (statuses.every((status) => FINISHED.includes(status))) return RowType.finished
  return statuses.some((status) => FINISHED.includes(status)) ? null : RowType.live
}

function codes(statuses: readonly Status[]): string {
  return statuses.map(statusCode).toSorted((a, b) => a - b).join(', ')
}

function chunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MERGED_MAX) }, (_, index) => items.slice(index * MERGED_MAX, (index + 1) * MERGED_MAX))
}

/** SQLite refuses values that a statement does not name. */
export function named(sql: string, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => new RegExp(`\\${name}\\b`).test(sql)))
}
