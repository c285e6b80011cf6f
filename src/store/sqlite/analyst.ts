// Pages with exact totals and statistics: questions that may take a while, in a worker thread of their own, so that
// neither a due timer nor a get ever waits behind one. Started when the first such question is asked.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { STANDING } from '../../core/statistics/tallies.ts'
import type { NamespaceScope, PageQuery, TallyQuery, TallySums, Upcoming, UpcomingQuery } from '../store.ts'
import { RowType } from '../row/columns.ts'
import { rangesOf, CountedNamespaces } from './lists/namespaces.ts'
import { COUNT_EVENTS_SQL } from './outbox.ts'
import { Pager } from './lists/pager.ts'
import type { PageReply } from './lists/pager.ts'
import { SHARDS_SQL } from './shard-rows.ts'

const UPCOMING_ROWS_MAX = 50_000 // about 30 ms

/** All rows of a step, so that the limit is seen, and those that are meant. */
const STEPS_SQL = `
  SELECT timer_execute_at / CAST($stepMs AS INTEGER) AS step, count(*) AS "all",
    count(*) FILTER (WHERE EXISTS (SELECT 1 FROM json_each($patterns) WHERE timer_namespace GLOB value)) AS meant
  FROM (
    SELECT timer_execute_at, timer_namespace FROM timers NOT INDEXED
    WHERE shard_id = $shard AND row_type = ${RowType.live} AND timer_execute_at <= $until ORDER BY timer_execute_at LIMIT ${UPCOMING_ROWS_MAX}
  ) GROUP BY step`

export class Analyst {
  readonly #db: DatabaseSync
  readonly #pager: Pager
  readonly #namespaces: CountedNamespaces
  readonly #shards: StatementSync
  readonly #slots: StatementSync
  readonly #steps: StatementSync
  readonly #events: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#pager = new Pager(db)
    this.#namespaces = new CountedNamespaces(db)
    this.#shards = db.prepare(SHARDS_SQL)
    this.#slots = db.prepare(`
      SELECT counter_name AS name, sum(counter_amount) AS amount, min(slot_at) AS firstSlotAt FROM timer_counters
      WHERE timer_namespace = ? AND slot_at BETWEEN ? AND ? GROUP BY counter_name`)
    this.#steps = db.prepare(STEPS_SQL)
    this.#events = db.prepare(COUNT_EVENTS_SQL)
  }

  page(query: PageQuery): PageReply {
    return this.#pager.page(query)
  }

  tallies({ since, ...scope }: TallyQuery): TallySums {
    const sums = new Map<string, number>()
    let firstSlotAt: number | null = null
    const [from, to] = since === null ? [STANDING, STANDING] : [Math.max(since, STANDING + 1), Number.MAX_SAFE_INTEGER]
    for (const namespace of this.#namespaces.in(scope)) {
      for (const row of this.#slots.all(namespace, from, to)) {
        const { name, amount, firstSlotAt: first } = row as { name: string; amount: number; firstSlotAt: number }
        sums.set(name, (sums.get(name) ?? 0) + amount)
        if (since !== null) firstSlotAt = Math.min(firstSlotAt ?? first, first)
      }
    }
    return {
      sums: Array.from(sums, ([name, amount]) => ({ name, amount })).filter(({ amount }) => amount !== 0),
      firstSlotAt,
    }
  }

  upcoming({ until, stepMs, ...scope }: UpcomingQuery): Upcoming {
    const counts = new Map<number, number>()
    const $patterns = JSON.stringify(patternsOf(scope))
    let complete = true
    for (const { shard_id } of this.#shards.all()) {
      let rows = 0
      for (const row of this.#steps.all({ $stepMs: stepMs, $until: until, $shard: shard_id!, $patterns })) {
        const { step, all, meant } = row as { step: number; all: number; meant: number }
        rows += all
        if (meant > 0) counts.set(step, (counts.get(step) ?? 0) + meant)
      }
      complete &&= rows < UPCOMING_ROWS_MAX
    }
    return {
      steps: Array.from(counts, ([step, count]) => ({ step, count })).toSorted((a, b) => a.step - b.step),
      complete,
    }
  }

  countEvents(shards: readonly number[]): { count: number; oldestAt: number | null } {
    return { ...this.#events.get(JSON.stringify(shards)) } as { count: number; oldestAt: number | null }
  }

  close(): void {
    this.#db.close()
  }
}

/** For GLOB, to which nothing in a namespace means anything but the star at the end of a pattern. */
function patternsOf(scope: NamespaceScope): readonly string[] {
  return scope.namespace === undefined ? (scope.namespaces ?? ['*']) : rangesOf(scope).map(([name]) => name)
}
