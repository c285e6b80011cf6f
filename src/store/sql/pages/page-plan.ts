// How a page of timers is found without reading all of them. Either some index leads to few enough candidates, which are
// then sorted; or they are read in an order that an index has already, as far as the page goes. Whichever is less to read.

import { Status } from '../../../core/timer/timer.ts'
import { RowType } from '../../row/columns.ts'
import type { ColumnType } from '../../row/columns.ts'
import type { PageFilter, PageQuery } from '../../store.ts'
import type { Dialect, IndexName } from '../dialect.ts'
import { all } from '../statement.ts'
import type { Question, Statement, Value } from '../statement.ts'
import { DUE_AT, onlyRowType, statusCodes } from '../questions/filters.ts'

/** How many candidates are sorted for a page as a rule: some 100 ms at worst. None, if a test says so. */
export const SORTED_MAX = 50_000
const FEW = 2_000 // sorted in some milliseconds, whatever else there is
const FAR_LESS = 10 // times less to read: sorting is the lesser evil then, however many they are

/** What the counters say. */
export type PageFacts = {
  readonly shards: () => Question<readonly number[]>
  /** Those of the scope that have timers of the statuses and the kind asked for. */
  readonly namespaces: readonly string[]
  /** Timers of the scope: all, cycles, and those of the statuses asked for. */
  readonly timers: number
  readonly cycles: number
  readonly ofStatuses: number
  /** Of all namespaces: counters of others are only read where the answer saves more than that. */
  readonly ofRowType: (rowType: number) => Question<number>
  /** How many match. */
  readonly total: number
  /** Timers that match the metadata filter, or one more than are sorted; null without such a filter. */
  readonly metadata: number | null
}

/** A way to the matching timers. */
export type Path = {
  /** How many rows it meets. */
  readonly count: number
  readonly by: IndexName
  readonly where: (statement: Statement) => readonly string[]
}

/** Rows that an index has in order of `at`, for each of the keys; without them in one go. */
export type RunKind = {
  readonly by: IndexName
  readonly where: readonly string[]
  readonly at: string
  readonly key: { readonly column: string; readonly type: ColumnType; readonly values: readonly Value[] } | null
}

export type PagePlan = { readonly sorted: Path; readonly at: string } | { readonly runs: readonly RunKind[] }

export function* pagePlan(
  dialect: Dialect,
  query: PageQuery,
  facts: PageFacts,
  sortedMax = SORTED_MAX,
): Question<PagePlan> {
  const small = yield* smallestPath(dialect, query.filter, facts, sortedMax)
  const dearness = small.count <= sortedMax ? 1 : FAR_LESS
  const isSorted =
    sortedMax > 0 && (small.count <= FEW || small.count * dearness <= (yield* rowsInOrder(dialect, query, facts)))
  if (isSorted) return { sorted: small, at: query.sort === 'createdAt' ? 'timer_created_at' : DUE_AT }
  if (query.sort === 'createdAt') return { runs: runsByCreation(query, facts) }
  return { runs: yield* runsByDue(query.filter, facts) }
}

/**
 * How many rows are read in order until the page is full, if those that match are spread evenly among the others. Who reads all
 * shards by one statement reads the whole page in each.
 */
function* rowsInOrder(
  { limits }: Dialect,
  { filter, sort, offset, limit }: PageQuery,
  facts: PageFacts,
): Question<number> {
  let among = filter.kind === 'cycle' ? facts.cycles : facts.timers
  if (sort === 'dueAt') {
    const rowType = onlyRowType(filter.statuses)
    among = 0
    for (const type of [RowType.live, RowType.finished])
      if (rowType === null || rowType === type) among += yield* facts.ofRowType(type)
    if (limits.runsAtOnce === Infinity) among *= (yield* facts.shards()).length
  }
  return ((offset + limit) * among) / Math.max(1, facts.total)
}

/** The way to the matching timers that meets the fewest rows. */
export function* smallestPath(
  dialect: Dialect,
  filter: PageFilter,
  facts: Omit<PageFacts, 'total'>,
  sortedMax = SORTED_MAX,
): Question<Path> {
  const small = smallest(pathsTo(filter, facts))
  const rowType = onlyRowType(filter.statuses)
  if (rowType === null || small.count <= Math.min(FEW, sortedMax)) return small
  const [ofType, shards] = yield* all(facts.ofRowType(rowType), facts.shards())
  const inShards = (statement: Statement) => dialect.isOneOf('shard_id', 'shard', shards, statement)
  return smallest([small, path(ofType, 'primary', (statement) => [inShards(statement), `row_type = ${rowType}`])])
}

/** With the number of rows that each one meets, as far as the counters of the scope tell. */
function pathsTo(filter: PageFilter, facts: Omit<PageFacts, 'total'>): Path[] {
  const { statuses, kind, uuids } = filter
  const inNamespaces = (statement: Statement) =>
    statement.dialect.isOneOf('timer_namespace', 'name', facts.namespaces, statement)
  const paths = [path(facts.timers, 'timers_by_namespace', (statement) => [inNamespaces(statement)])]
  if (kind === 'cycle')
    paths.push(path(facts.cycles, 'timers_of_cycles', (statement) => ['timer_kind > 0', inNamespaces(statement)]))
  if (statuses?.every(isRare)) {
    // The first two are what SQLite needs to see to take the index.
    const terms = ['timer_status <> 0', 'timer_status <> 3', `timer_status IN (${statusCodes(statuses)})`]
    paths.push(path(facts.ofStatuses, 'timers_by_rare_status', (statement) => [...terms, inNamespaces(statement)]))
  }
  if (uuids !== undefined) {
    const some = (statement: Statement) => statement.dialect.isOneOf('timer_uuid', 'uuid', uuids, statement)
    paths.push(path(uuids.length, 'timers_by_uuid', (statement) => [some(statement)]))
  }
  if (facts.metadata !== null) {
    const found = (statement: Statement) => statement.dialect.metadataIndex.found(filter, statement)
    paths.push(path(facts.metadata, 'timers_by_metadata', (statement) => [found(statement)]))
  }
  return paths
}

function path(count: number, by: IndexName, where: Path['where']): Path {
  return { count, by, where }
}

function smallest(paths: readonly Path[]): Path {
  return paths.reduce((least, one) => (one.count < least.count ? one : least))
}

function runsByCreation({ filter }: PageQuery, { namespaces }: PageFacts): RunKind[] {
  const key = { column: 'timer_namespace', type: 'name', values: namespaces } as const
  const at = 'timer_created_at'
  if (filter.kind === 'cycle') return [{ by: 'timers_of_cycles', where: ['timer_kind > 0'], at, key }]
  return [{ by: 'timers_by_namespace', where: [], at, key }]
}

/** Live timers are in the order of their wake time, which is the due time unless timers_by_due has another. */
function* runsByDue({ statuses }: PageFilter, facts: PageFacts): Question<RunKind[]> {
  const rowType = onlyRowType(statuses)
  const types = [RowType.live, RowType.finished].filter((type) => rowType === null || rowType === type)
  const [onTime, apart] = [`row_type = ${RowType.live} AND timer_due_at IS NULL`, 'timer_due_at IS NOT NULL']
  const runs = types.map((type): RunKind => {
    return { by: 'timers_by_due', where: [`row_type = ${type}`, apart], at: 'timer_due_at', key: null }
  })
  const key = { column: 'shard_id', type: 'shard', values: yield* facts.shards() } as const
  return rowType === RowType.finished
    ? runs
    : [{ by: 'primary', where: [onTime], at: 'timer_execute_at', key }, ...runs]
}

const RARE: readonly Status[] = [Status.paused, Status.executing, Status.failed, Status.canceled]

function isRare(status: Status): boolean {
  return RARE.includes(status)
}
