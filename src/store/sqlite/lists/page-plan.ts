// How a page of timers is found without reading all of them. Either some index leads to few enough candidates, which are
// then sorted; or they are read in an order that an index has already, as far as the page goes. Whichever is less to read.
// Pure: from the question and the counters to SQL, so that a test can look at every plan.

import { Status } from '../../../core/timer/timer.ts'
import type { PageFilter, PageQuery } from '../../store.ts'
import { statusCode } from '../../row/codes.ts'
import { RowType } from '../../row/columns.ts'
import { metadataEntries, metadataTerm } from './metadata-terms.ts'
import type { Values } from './metadata-terms.ts'

/** How many candidates are sorted for a page, unless a test says otherwise: some 100 ms at worst. */
export const SORTED_MAX = 50_000
const FEW = 2_000 // sorted in some milliseconds, whatever else there is

/** What the counters say. */
export type PageFacts = {
  readonly shards: readonly number[]
  /** Those of the scope that have timers of the statuses and the kind asked for. */
  readonly namespaces: readonly string[]
  /** Whether the scope is all there are. */
  readonly allNamespaces: boolean
  /** Timers of these namespaces: all, cycles, and those of the statuses asked for. */
  readonly timers: number
  readonly cycles: number
  readonly ofStatuses: number
  /** Of all namespaces: counters of others are only read where the answer saves more than that. */
  readonly live: () => number
  readonly finished: () => number
  /** How many match. */
  readonly total: number
  /** Entries that match the metadata filter, or one more than are sorted; null without such a filter. */
  readonly metadata: number | null
}

/** A SELECT of `at` and `timer_uuid`, to be ordered by both and cut. */
type Source = {
  readonly from: string
  readonly where: readonly string[]
  readonly at: string
  readonly values?: Values
}

export type PlannedStatement = { readonly sql: string; readonly values: Values }

/** A statement that answers with uuids in order; or two to merge namespaces with, see namespace-merge.ts. */
export type PagePlan =
  | { readonly statement: PlannedStatement }
  | {
      /** Takes $enough. */
      readonly heads: PlannedStatement
      /** Takes $namespace, $at, $uuid and $block. */
      readonly next: PlannedStatement
    }

export function pagePlan(query: PageQuery, facts: PageFacts, sortedMax = SORTED_MAX): PagePlan {
  const small = smallestPath(query.filter, facts, sortedMax)
  const isLess =
    small.count <= Math.min(FEW, sortedMax) || (small.count <= sortedMax && small.count <= rowsInOrder(query, facts))
  if (isLess) return { statement: statement([small.source(sortColumn(query))], query, facts) }
  if (query.sort === 'dueAt') return { statement: statement(sourcesByDue(query.filter, facts), query, facts) }
  if (facts.namespaces.length > 1) return mergeOf(query, facts)
  return { statement: statement([sourceByCreation(query.filter, '$namespaces ->> 0')], query, facts) }
}

/** How many rows are read in order until the page is full, if those that match are spread evenly among the others. */
function rowsInOrder({ filter, sort, offset, limit }: PageQuery, facts: PageFacts): number {
  const rowType = rowTypeOf(filter.statuses)
  const byDue = () =>
    rowType === RowType.live
      ? facts.live()
      : rowType === RowType.finished
        ? facts.finished()
        : facts.live() + facts.finished()
  const among = sort === 'dueAt' ? byDue() : filter.kind === 'cycle' ? facts.cycles : facts.timers
  return ((offset + limit) * among) / Math.max(1, facts.total)
}

type Path = { readonly count: number; readonly source: (at: string) => Source }

/** The way to the matching timers that meets the fewest rows. */
export function smallestPath(filter: PageFilter, facts: Omit<PageFacts, 'total'>, sortedMax = SORTED_MAX): Path {
  const small = smallest(pathsTo(filter, facts))
  const rowType = rowTypeOf(filter.statuses)
  if (rowType === null || small.count <= Math.min(FEW, sortedMax)) return small
  const count = rowType === RowType.live ? facts.live() : facts.finished()
  return smallest([
    small,
    path(count, 'NOT INDEXED', 'shard_id IN (SELECT value FROM json_each($shards))', `row_type = ${rowType}`),
  ])
}

/** With the number of rows that each one meets, as far as the counters of the scope tell. */
function pathsTo(filter: PageFilter, facts: Omit<PageFacts, 'total'>): Path[] {
  const { statuses, kind, uuids } = filter
  const paths = [path(facts.timers, 'INDEXED BY timers_by_namespace', IN_NAMESPACES)]
  if (kind === 'cycle') paths.push(path(facts.cycles, 'INDEXED BY timers_of_cycles', 'timer_kind > 0', IN_NAMESPACES))
  if (statuses?.every(isRare)) {
    // The first two are what SQLite needs to see to take the index.
    const terms = ['timer_status <> 0', 'timer_status <> 3', IN_NAMESPACES, `timer_status IN (${codes(statuses)})`]
    paths.push(path(facts.ofStatuses, 'INDEXED BY timers_by_rare_status', ...terms))
  }
  if (uuids !== undefined) {
    paths.push(
      path(uuids.length, 'INDEXED BY timers_by_uuid', 'timer_uuid IN (SELECT unhex(value) FROM json_each($uuids))'),
    )
  }
  if (facts.metadata !== null) {
    const entries = metadataEntries(filter, facts.allNamespaces)
    const found = `timer_uuid IN (SELECT timer_uuid FROM timer_metadata WHERE ${entries.sql})`
    paths.push({
      count: facts.metadata,
      source: (at) => ({ from: 'timers INDEXED BY timers_by_uuid', where: [found], at, values: entries.values }),
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

function sourceByCreation({ kind }: PageFilter, namespace: string): Source {
  const [by, ...terms] = kind === 'cycle' ? ['timers_of_cycles', 'timer_kind > 0'] : ['timers_by_namespace']
  return {
    from: `timers INDEXED BY ${by}`,
    where: [...terms, `timer_namespace = ${namespace}`],
    at: 'timer_created_at',
  }
}

function mergeOf({ filter, descending }: PageQuery, { namespaces }: PageFacts): PagePlan {
  // Each namespace is looked at by its name, so that the list of them is no condition.
  const { terms, values } = conditionsOf(filter, { allNamespaces: true })
  const [direction, beyond, upTo] = descending ? ['DESC', '<', '>='] : ['ASC', '>', '<=']
  const from = (source: Source) => `FROM ${source.from} WHERE ${[...source.where, ...terms].join(' AND ')}`
  const heads = `
    WITH heads AS MATERIALIZED (
      SELECT space.value AS namespace,
        (SELECT timer_created_at ${from(sourceByCreation(filter, 'space.value'))} ORDER BY timer_created_at ${direction} LIMIT 1) AS at
      FROM json_each($namespaces) AS space
    ), last AS (SELECT at FROM heads WHERE at IS NOT NULL ORDER BY at ${direction} LIMIT 1 OFFSET $enough - 1)
    SELECT namespace, at FROM heads WHERE at IS NOT NULL AND at ${upTo} coalesce((SELECT at FROM last), at)`
  const next = `
    SELECT timer_created_at AS at, lower(hex(timer_uuid)) AS uuid ${from(sourceByCreation(filter, '$namespace'))}
      AND (timer_created_at, timer_uuid) ${beyond} ($at, unhex($uuid))
    ORDER BY timer_created_at ${direction}, timer_uuid ${direction} LIMIT $block`
  const all = { ...values, $namespaces: JSON.stringify(namespaces) }
  return { heads: { sql: heads, values: named(heads, all) }, next: { sql: next, values: named(next, all) } }
}

/** Live timers are in the order of their wake time, which is the due time unless timers_by_due has another. */
function sourcesByDue({ statuses }: PageFilter, { shards }: PageFacts): Source[] {
  const rowType = rowTypeOf(statuses)
  const inOrder = shards.map((shard): Source => {
    const where = [`shard_id = ${shard}`, `row_type = ${RowType.live}`, 'timer_due_at IS NULL']
    return { from: 'timers NOT INDEXED', where, at: 'timer_execute_at' }
  })
  const apart = [RowType.live, RowType.finished].map((type): Source => {
    return {
      from: 'timers INDEXED BY timers_by_due',
      where: [`row_type = ${type}`, 'timer_due_at IS NOT NULL'],
      at: 'timer_due_at',
    }
  })
  if (rowType === RowType.finished) return [apart[1]!]
  return rowType === RowType.live ? [...inOrder, apart[0]!] : [...inOrder, ...apart]
}

function statement(sources: readonly Source[], query: PageQuery, facts: PageFacts): PlannedStatement {
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
export function conditionsOf(
  filter: PageFilter,
  { allNamespaces }: Pick<PageFacts, 'allNamespaces'>,
): { terms: string[]; values: Values } {
  const terms: string[] = []
  if (!allNamespaces) terms.push(`+${IN_NAMESPACES}`)
  if (filter.statuses !== undefined) terms.push(`+timer_status IN (${codes(filter.statuses)})`)
  if (filter.kind !== undefined) terms.push(filter.kind === 'cycle' ? '+timer_kind > 0' : '+timer_kind = 0')
  const metadata = metadataTerm(filter)
  if (metadata !== null) terms.push(metadata.sql)
  if (filter.idPrefix !== undefined) terms.push('substr(timer_id, 1, length($idPrefix)) = $idPrefix')
  if (filter.uuids !== undefined) terms.push('+timer_uuid IN (SELECT unhex(value) FROM json_each($uuids))')
  return {
    terms,
    values: { ...metadata?.values, $idPrefix: filter.idPrefix ?? null, $uuids: JSON.stringify(filter.uuids ?? []) },
  }
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
  return statuses
    .map(statusCode)
    .toSorted((a, b) => a - b)
    .join(', ')
}

/** SQLite refuses values that a statement does not name. */
export function named(sql: string, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => new RegExp(`\\${name}\\b`).test(sql)))
}
