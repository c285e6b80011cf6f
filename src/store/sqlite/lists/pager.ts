// Pages of timers with exact totals: what the counters know decides how they are found; see page-plan.ts.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { PageFilter, PageQuery } from '../../store.ts'
import { TimerKind } from '../../../core/timer/timer-kind.ts'
import type { Cell } from '../../row/columns.ts'
import { isKeptWhole, metadataEntries } from './metadata-terms.ts'
import type { Values } from './metadata-terms.ts'
import { mergeNamespaces } from './namespace-merge.ts'
import type { Head, Place } from './namespace-merge.ts'
import { conditionsOf, named, pagePlan, smallestPath, SORTED_MAX } from './page-plan.ts'
import type { PageFacts } from './page-plan.ts'
import { PageRows } from './page-rows.ts'
import { SHARDS_SQL } from '../shard-rows.ts'
import { COUNTS_SQL, countsIn, totalSql } from '../counts.ts'
import type { Count } from '../counts.ts'

export type PageReply = { readonly cells: Cell[]; readonly total: number }

export class Pager {
  readonly #db: DatabaseSync
  readonly #sortedMax: number
  readonly #rows: PageRows
  readonly #counts: StatementSync
  /** By text: as many as combinations of filters. */
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, { sortedMax = SORTED_MAX }: { readonly sortedMax?: number } = {}) {
    this.#db = db
    this.#sortedMax = sortedMax
    this.#rows = new PageRows(db)
    this.#counts = db.prepare(COUNTS_SQL)
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
    return { cells: this.#rows.read(uuids, query).flat(), total }
  }

  #uuids(query: PageQuery, facts: PageFacts): string[] {
    const plan = pagePlan(query, facts, this.#sortedMax)
    if ('statement' in plan) return this.#all<Place>(plan.statement.sql, plan.statement.values).map(({ uuid }) => uuid)
    const { heads, next } = plan
    return mergeNamespaces(query, {
      heads: (enough) => this.#all<Head>(heads.sql, { ...heads.values, $enough: enough }),
      next: (namespace, { at, uuid }, limit) =>
        this.#all<Place>(next.sql, { ...next.values, $namespace: namespace, $at: at, $uuid: uuid, $block: limit }),
    })
  }

  /** Null when nothing can match. */
  #factsOf(filter: PageFilter): PageFacts | null {
    if (filter.statuses?.length === 0 || (filter.metadataKey !== undefined && filter.metadataValues?.length === 0))
      return null
    const inScope = countsIn(this.#counts, filter)
    const matching = inScope.filter(isOf(filter))
    const namespaces = [...new Set(matching.map(({ namespace }) => namespace))]
    if (namespaces.length === 0) return null
    const facts = {
      shards: this.#all<{ shard_id: number }>(SHARDS_SQL, {}).map((row) => row.shard_id),
      namespaces,
      allNamespaces: filter.namespace === undefined && filter.namespaces === undefined,
      timers: sum(inScope),
      cycles: sum(inScope.filter(({ kind }) => kind !== TimerKind.once)),
      ofStatuses: sum(inScope.filter(({ status }) => filter.statuses?.includes(status))),
      live: () => this.#countAll(false),
      finished: () => this.#countAll(true),
      metadata: null,
    }
    if (filter.metadataKey !== undefined) {
      return {
        ...facts,
        total: this.#metadataTotal(filter, facts),
        metadata: this.#entryCount(filter, facts, this.#sortedMax + 1),
      }
    }
    const isCounted = filter.idPrefix === undefined && filter.uuids === undefined
    return { ...facts, total: isCounted ? sum(matching) : this.#countMatching(filter, facts) }
  }

  #countMatching(filter: PageFilter, facts: Omit<PageFacts, 'total'>): number {
    const { from, where } = smallestPath(filter, facts).source('')
    const { terms, values } = conditionsOf(filter, facts)
    const $shards = JSON.stringify(facts.shards)
    return this.#count(`${from} WHERE ${[...where, ...terms].join(' AND ')}`, { ...values, ...listOf(facts), $shards })
  }

  #countAll(finished: boolean): number {
    return this.#all<{ count: number }>(totalSql(finished), {})[0]!.count
  }

  #metadataTotal(filter: PageFilter, facts: Pick<PageFacts, 'namespaces' | 'allNamespaces'>): number {
    const { statuses, kind, idPrefix, uuids } = filter
    const isByEntries = [statuses, kind, idPrefix, uuids].every((one) => one === undefined) && isKeptWhole(filter)
    if (isByEntries) return this.#entryCount(filter, facts, -1)
    const entries = metadataEntries(filter, facts.allNamespaces)
    const { terms, values } = conditionsOf(filter, facts)
    const where = [`timer_uuid IN (SELECT timer_uuid FROM timer_metadata WHERE ${entries.sql})`, ...terms].join(' AND ')
    return this.#count(`timers INDEXED BY timers_by_uuid WHERE ${where}`, {
      ...entries.values,
      ...values,
      ...listOf(facts),
    })
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

function isOf({ statuses, kind }: PageFilter): (count: Count) => boolean {
  return (one) =>
    (statuses === undefined || statuses.includes(one.status)) &&
    (kind === undefined || (kind === 'once') === (one.kind === TimerKind.once))
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
