// Pages of timers with exact totals: what the counters know decides how they are found; see page-plan.ts.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { NamespaceScope, PageFilter, PageQuery } from '../store.ts'
import { statusOf } from '../timer-row.ts'
import type { Cell } from '../timer-row.ts'
import { isKeptWhole, metadataEntries } from './metadata-terms.ts'
import type { Values } from './metadata-terms.ts'
import { rangesOf } from './namespaces.ts'
import { conditionsOf, named, pagePlan, SORTED_MAX } from './page-plan.ts'
import type { PageFacts } from './page-plan.ts'
import { SHARDS_SQL } from './shard-rows.ts'
import { SELECT_CELLS } from './statements.ts'

export type PageReply = { readonly cells: Cell[]; readonly total: number }

type Count = { readonly namespace: string; readonly status: number; readonly kind: number; readonly count: number }

export class Pager {
  readonly #db: DatabaseSync
  readonly #sortedMax: number
  readonly #select: StatementSync
  readonly #counts: StatementSync
  /** By text: as many as combinations of filters. */
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, { sortedMax = SORTED_MAX }: { readonly sortedMax?: number } = {}) {
    this.#db = db
    this.#sortedMax = sortedMax
    this.#select = db.prepare(`SELECT ${SELECT_CELLS} FROM timers WHERE timer_uuid = unhex(?)`)
    this.#select.setReturnArrays(true)
    this.#counts = db.prepare(`
      SELECT timer_namespace AS namespace, timer_status AS status, timer_kind AS kind, timer_count AS count FROM timer_counts
      WHERE timer_count > 0`)
  }

  /** As of one moment: what is committed meanwhile is in neither the total nor the page. */
  page(query: PageQuery): PageReply {
    this.#db.exec('BEGIN')
    try {
      return this.#page(query)
    } finally {
      this.#db.exec('COMMIT')
    }
  }

  #page(query: PageQuery): PageReply {
    const facts = this.#factsOf(query.filter)
    const total = facts?.total ?? 0
    if (facts === null || total <= query.offset || query.limit === 0) return { cells: [], total }
    const isFromTheEnd = query.offset > total / 2
    const uuids = this.#uuids(isFromTheEnd ? fromTheEnd(query, total) : query, facts)
    if (isFromTheEnd) uuids.reverse()
    return { cells: uuids.flatMap((uuid) => this.#select.get(uuid) as unknown as Cell[]), total }
  }

  #uuids(query: PageQuery, facts: PageFacts): string[] {
    const plan = pagePlan(query, facts, this.#sortedMax)
    const found = plan.flatMap(({ sql, values }) => this.#all<{ uuid: string; at: number }>(sql, values))
    if (plan.length === 1) return found.map(({ uuid }) => uuid)
    const sign = query.descending ? -1 : 1
    const merged = found.toSorted((a, b) => sign * (a.at - b.at || (a.uuid < b.uuid ? -1 : 1)))
    return merged.slice(query.offset, query.offset + query.limit).map(({ uuid }) => uuid)
  }

  /** Null when nothing can match. */
  #factsOf(filter: PageFilter): PageFacts | null {
    if (filter.statuses?.length === 0 || (filter.metadataKey !== undefined && filter.metadataValues?.length === 0)) return null
    const all = this.#counts.all() as unknown as Count[]
    const inScope = all.filter(inRanges(filter))
    const namespaces = [...new Set(inScope.map(({ namespace }) => namespace))]
    if (namespaces.length === 0) return null
    const facts = {
      shards: this.#all<{ shard_id: number }>(SHARDS_SQL, {}).map((row) => row.shard_id),
      namespaces,
      allNamespaces: inScope.length === all.length,
      timers: sum(inScope),
      cycles: sum(inScope.filter(({ kind }) => kind > 0)),
      ofStatuses: sum(inScope.filter(({ status }) => filter.statuses?.includes(statusOf(status)))),
      live: sum(all.filter(({ status }) => status < COMPLETED_CODE)),
      finished: sum(all.filter(({ status }) => status >= COMPLETED_CODE)),
    }
    if (filter.metadataKey === undefined) return { ...facts, total: countOf(filter, inScope), metadata: null }
    return { ...facts, total: this.#metadataTotal(filter, facts), metadata: this.#entryCount(filter, facts, this.#sortedMax + 1) }
  }

  #metadataTotal(filter: PageFilter, facts: Pick<PageFacts, 'namespaces' | 'allNamespaces'>): number {
    const isByEntries = filter.statuses === undefined && filter.kind === undefined && isKeptWhole(filter)
    if (isByEntries) return this.#entryCount(filter, facts, -1)
    const entries = metadataEntries(filter, facts.allNamespaces)
    const { terms, values } = conditionsOf(filter, facts)
    const where = [`timer_uuid IN (SELECT timer_uuid FROM timer_metadata WHERE ${entries.sql})`, ...terms].join(' AND ')
    return this.#count(`timers INDEXED BY timers_by_uuid WHERE ${where}`, { ...entries.values, ...values, ...listOf(facts) })
  }

  /** How many entries match, `limit` at most; all for -1. */
  #entryCount(filter: PageFilter, facts: Pick<PageFacts, 'namespaces' | 'allNamespaces'>, limit: number): number {
    const { sql, values } = metadataEntries(filter, facts.allNamespaces)
    return this.#count(`(SELECT 1 FROM timer_metadata WHERE ${sql} LIMIT ${limit})`, { ...values, ...listOf(facts) })
  }

  #count(from: string, values: Values): number {
    const sql = `SELECT count(*) AS count FROM ${from}`
    return this.#all<{ count: number }>(sql, named(sql, values))[0]!.count
  }

  #all<Row>(sql: string, values: Values): Row[] {
    let statement = this.#statements.get(sql)
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)))
    return statement.all(values) as Row[]
  }
}

const COMPLETED_CODE = 3 // see STATUSES in timer-row.ts: finished ones follow

function inRanges(scope: NamespaceScope): (count: Count) => boolean {
  const ranges = rangesOf(scope)
  return ({ namespace }) => ranges.some(([first, last]) => namespace >= first && namespace <= last)
}

/** From the counters alone. */
function countOf({ statuses, kind }: PageFilter, counts: readonly Count[]): number {
  const isMeant = (one: Count) => {
    return (statuses === undefined || statuses.includes(statusOf(one.status))) && (kind === undefined || (kind === 'once') === (one.kind === 0))
  }
  return sum(counts.filter(isMeant))
}

/** The same page, found from the other end; to be turned around. */
function fromTheEnd(query: PageQuery, total: number): PageQuery {
  const limit = Math.min(query.limit, total - query.offset)
  return { ...query, descending: !query.descending, offset: total - query.offset - limit, limit }
}

function listOf({ namespaces }: Pick<PageFacts, 'namespaces'>): Values {
  return { $namespaces: JSON.stringify(namespaces) }
}

function sum(counts: readonly Count[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}
