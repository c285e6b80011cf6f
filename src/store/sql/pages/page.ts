// Pages of timers in an order by time, with exact totals: what the counters know decides how they are found; see page-plan.ts.

import { INTERNAL_PREFIX } from '../../../core/timer/ids.ts'
import { isFinished } from '../../../core/timer/timer.ts'
import { TimerKind } from '../../../core/timer/timer-kind.ts'
import { RowType } from '../../row/columns.ts'
import type { Cell } from '../../row/columns.ts'
import type { PageFilter, PageQuery, TimerCount } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { all, Statement } from '../statement.ts'
import type { Query, Question } from '../statement.ts'
import { uuidText } from '../timer-sql.ts'
import { counts } from '../questions/counters.ts'
import { askable, canMatch, filterTerms } from '../questions/filters.ts'
import { pagePlan, smallestPath, SORTED_MAX } from './page-plan.ts'
import type { PageFacts, Path, RunKind } from './page-plan.ts'
import { pageRows } from './page-rows.ts'
import { direction, mergeRuns } from './run-merge.ts'
import type { Place } from './run-merge.ts'
import { scopeTerm } from '../questions/scope.ts'
import { shardIds } from '../questions/sources.ts'
import { appendRows } from '../questions/timers.ts'

export type PageReply = { readonly cells: Cell[]; readonly total: number }

const NOT_INTERNAL = `timer_namespace < '${INTERNAL_PREFIX}'`
const RUNS_SPELLED_MAX = 4 // more are a list of keys

export function* page(dialect: Dialect, asked: PageQuery, sortedMax = SORTED_MAX): Question<PageReply> {
  const query = { ...asked, filter: askable(asked.filter, { dialect }) }
  const facts = canMatch(asked.filter, { dialect }) ? yield* factsOf(dialect, query.filter, sortedMax) : null
  const total = facts?.total ?? 0
  if (facts === null || total <= query.offset || query.limit === 0) return { cells: [], total }
  const isFromTheEnd = query.offset > total / 2
  const uuids = yield* uuidsOf(dialect, isFromTheEnd ? fromTheEnd(query, total) : query, facts, sortedMax)
  if (isFromTheEnd) uuids.reverse()
  return { cells: appendRows([], yield* pageRows(dialect, uuids, query)), total }
}

function* uuidsOf(dialect: Dialect, query: PageQuery, facts: PageFacts, sortedMax: number): Question<string[]> {
  const plan = yield* pagePlan(dialect, query, facts, sortedMax)
  if (!('sorted' in plan)) {
    const { runs } = plan
    const runCount = runs.reduce((total, { key }) => total + (key?.values.length ?? 1), 0)
    if (runCount > dialect.limits.runsAtOnce) {
      const inRuns = (statement: Statement) => rowTerms(query.filter, statement, isByNamespace(runs))
      return yield* mergeRuns(dialect, runs, { ...query, terms: inRuns })
    }
  }
  const places = (yield 'sorted' in plan
    ? sortedQuery(dialect, query, plan.sorted, plan.at)
    : orderedQuery(dialect, query, plan.runs)) as readonly unknown[] as readonly Place[]
  const sign = query.descending ? -1 : 1
  return places.toSorted(([a, x], [b, y]) => sign * (a - b || (x < y ? -1 : 1))).map(([, uuid]) => uuid)
}

/** What a row must be, whichever way it was found. */
function rowTerms(filter: PageFilter, statement: Statement, isInScope = false): string[] {
  const inScope = isInScope ? null : (scopeTerm(filter, statement) ?? NOT_INTERNAL)
  return inScope === null ? filterTerms(filter, statement) : [inScope, ...filterTerms(filter, statement)]
}

function isByNamespace(runs: readonly RunKind[]): boolean {
  return runs.every(({ key }) => key?.column === 'timer_namespace')
}

export function sortedQuery(dialect: Dialect, query: PageQuery, { by, where }: Path, at: string): Query {
  const statement = new Statement(dialect)
  // Rows of shards have no id.
  const terms = ['timer_id IS NOT NULL', ...where(statement), ...rowTerms(query.filter, statement)]
  return cutQuery(
    statement,
    query,
    `SELECT ${at} AS at, timer_uuid FROM timers ${dialect.by(by)} WHERE ${terms.join(' AND ')}`,
  )
}

export function orderedQuery(dialect: Dialect, query: PageQuery, runs: readonly RunKind[]): Query {
  const statement = new Statement(dialect)
  const terms = rowTerms(query.filter, statement, isByNamespace(runs))
  const enough = () => statement.bind(query.offset + query.limit, 'integer')
  const selects = runs.flatMap(({ by, where, at, key }) => {
    const select = (inRun: readonly string[]): string =>
      `SELECT ${at} AS at, timer_uuid FROM timers ${dialect.by(by)} WHERE ${[...inRun, ...where, ...terms].join(' AND ')}`
    if (key === null) return [select([])]
    if (key.values.length <= RUNS_SPELLED_MAX)
      return key.values.map((value) => select([`${key.column} = ${statement.bind(value, key.type)}`]))
    const limit = enough()
    const first = (one: string) => `${select([`${key.column} = ${one}`])} ORDER BY ${orderOf(query)} LIMIT ${limit}`
    return [`SELECT at, timer_uuid FROM ${dialect.forEach(key.type, key.values, first, statement)}`]
  })
  return cutQuery(
    statement,
    query,
    selects.length === 1 ? selects[0]! : dialect.merged(selects, orderOf(query), enough),
  )
}

function cutQuery(statement: Statement, query: PageQuery, select: string): Query {
  const [limit, offset] = [statement.bind(query.limit, 'integer'), statement.bind(query.offset, 'integer')]
  return statement.query(`
    SELECT at, ${uuidText(statement.dialect)} FROM (
      ${select} ORDER BY ${orderOf(query)} LIMIT ${limit} OFFSET ${offset}
    ) AS page`)
}

function orderOf({ descending }: PageQuery): string {
  return `at ${direction(descending)}, timer_uuid ${direction(descending)}`
}

/** Null when nothing can match. */
function* factsOf(dialect: Dialect, filter: PageFilter, sortedMax: number): Question<PageFacts | null> {
  const [inScope, metadata] = yield* all(counts(dialect, filter), metadataCounts(dialect, filter, sortedMax + 1))
  const matching = inScope.filter(isOf(filter))
  if (matching.length === 0) return null
  const isOfAll = filter.namespace === undefined && filter.namespaces === undefined
  const facts = {
    shards: () => shardIds(dialect),
    namespaces: [...new Set(matching.map(({ namespace }) => namespace))],
    timers: sum(inScope),
    cycles: sum(inScope.filter(({ kind }) => kind !== TimerKind.once)),
    ofStatuses: sum(inScope.filter(({ status }) => filter.statuses?.includes(status))),
    *ofRowType(rowType: number): Question<number> {
      const inAll = isOfAll ? inScope : yield* counts(dialect, {})
      return sum(inAll.filter((one) => isFinished(one) === (rowType === RowType.finished)))
    },
    metadata: metadata?.found ?? null,
  }
  if (metadata !== null) return { ...facts, total: metadata.total }
  const isCounted = filter.idPrefix === undefined && filter.uuids === undefined
  return { ...facts, total: isCounted ? sum(matching) : yield* countMatching(dialect, filter, facts) }
}

function* countMatching(dialect: Dialect, filter: PageFilter, facts: Omit<PageFacts, 'total'>): Question<number> {
  const { by, where } = yield* smallestPath(dialect, filter, facts)
  const statement = new Statement(dialect)
  const terms = ['timer_id IS NOT NULL', ...where(statement), ...rowTerms(filter, statement)]
  return yield* count(statement, `timers ${dialect.by(by)} WHERE ${terms.join(' AND ')}`)
}

type MetadataCounts = { readonly found: number; readonly total: number }

/** Timers with such metadata, `foundMax` at most where the total is another; and those that match in all. */
function* metadataCounts(dialect: Dialect, filter: PageFilter, foundMax: number): Question<MetadataCounts | null> {
  const { metadataKey, statuses, kind, idPrefix, uuids } = filter
  if (metadataKey === undefined) return null
  const statement = new Statement(dialect)
  const counted = dialect.metadataIndex.counted(filter, statement)
  if ([statuses, kind, idPrefix, uuids].every((one) => one === undefined)) {
    const total = yield* count(statement, counted)
    return { found: total, total }
  }
  const found = yield* count(statement, `(SELECT 1 FROM ${counted} LIMIT ${foundMax}) AS counted`)
  const matching = new Statement(dialect)
  const terms = [dialect.metadataIndex.found(filter, matching), ...rowTerms(filter, matching)]
  const total = yield* count(matching, `timers ${dialect.by('timers_by_metadata')} WHERE ${terms.join(' AND ')}`)
  return { found, total }
}

function* count(statement: Statement, from: string): Question<number> {
  const [row] = yield statement.query(`SELECT count(*) FROM ${from}`)
  return Number(row![0])
}

function isOf({ statuses, kind }: PageFilter): (count: TimerCount) => boolean {
  return (one) =>
    (statuses === undefined || statuses.includes(one.status)) &&
    (kind === undefined || (kind === 'once') === (one.kind === TimerKind.once))
}

/** The same page, found from the other end; to be turned around. */
function fromTheEnd(query: PageQuery, total: number): PageQuery {
  const limit = Math.min(query.limit, total - query.offset)
  return { ...query, descending: !query.descending, offset: total - query.offset - limit, limit }
}

function sum(some: readonly TimerCount[]): number {
  return some.reduce((total, one) => total + one.count, 0)
}
