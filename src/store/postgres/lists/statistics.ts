// Numbers about all timers: from counters and tallies that commits keep, and of the near future by counting.

import { STANDING } from '../../../core/statistics/tallies.ts'
import type { Namespace } from '../../../core/timer/timer.ts'
import { countedBy } from '../../counters.ts'
import type { NamespaceScope, StoreStats, TallyQuery, TallySums, Upcoming, UpcomingQuery } from '../../store.ts'
import { RowType } from '../../row/columns.ts'
import { sourcesOf } from './sources.ts'
import { inScope, Statement } from '../connection/statement.ts'
import type { PreparedReads } from '../connection/statement.ts'
import { COUNTS_NOW, countersNow } from '../counter-log.ts'

const UPCOMING_ROWS_MAX = 200_000 // read from the index alone, in about 100 ms

export class Statistics {
  readonly #reads: PreparedReads
  readonly #shards: number

  constructor(reads: PreparedReads, shards: number) {
    this.#reads = reads
    this.#shards = shards
  }

  async stats(scope: NamespaceScope): Promise<StoreStats> {
    const statement = new Statement()
    const text = `
      SELECT timer_namespace, counter_name, sum(counter_amount)::bigint FROM ${COUNTS_NOW} WHERE ${inScope(scope, statement)}
      GROUP BY timer_namespace, counter_name HAVING sum(counter_amount) > 0 ORDER BY timer_namespace, counter_name`
    const rows = (await this.#reads.read(text, statement)) as unknown as [Namespace, string, number][]
    return { counts: rows.map(([namespace, name, count]) => ({ namespace, ...countedBy(name), count })) }
  }

  async tallies({ since, ...scope }: TallyQuery): Promise<TallySums> {
    const statement = new Statement()
    const [from, to] = since === null ? [STANDING, STANDING] : [Math.max(since, STANDING + 1), Number.MAX_SAFE_INTEGER]
    const inRange = `slot_at BETWEEN ${statement.bind(from, 'bigint')} AND ${statement.bind(to, 'bigint')}`
    const text = `
      WITH space AS MATERIALIZED (SELECT DISTINCT timer_namespace FROM ${COUNTS_NOW} WHERE ${inScope(scope, statement)})
      SELECT counter_name, sum(counter_amount)::bigint, min(slot_at)
      FROM space CROSS JOIN LATERAL (
        SELECT * FROM ${countersNow(`timer_namespace = space.timer_namespace AND ${inRange}`)}
      ) AS counted
      GROUP BY counter_name`
    const rows = (await this.#reads.read(text, statement)) as [name: string, amount: number, firstSlotAt: number][]
    const sums = rows.filter(([, amount]) => amount !== 0).map(([name, amount]) => ({ name, amount }))
    const firstSlotAt =
      since === null || rows.length === 0
        ? null
        : rows.reduce((first, [, , slotAt]) => Math.min(first, slotAt), Infinity)
    return { sums, firstSlotAt }
  }

  /** All rows of a stretch are counted, so that its limit is noticed, and those that are meant. */
  async upcoming({ until, stepMs, ...scope }: UpcomingQuery): Promise<Upcoming> {
    const sources = await sourcesOf(scope, this.#reads, this.#shards)
    if (sources === null) return { steps: [], complete: true }
    const statement = new Statement()
    const rowsMax = Math.ceil(UPCOMING_ROWS_MAX / sources.count)
    const text = `
      SELECT step, sum(meant)::bigint, bool_or(is_cut)
      FROM ${sources.from(statement)}
      CROSS JOIN LATERAL (
        SELECT step, count(*) FILTER (WHERE is_meant) AS meant, sum(count(*)) OVER () >= ${statement.bind(rowsMax, 'bigint')} AS is_cut
        FROM (
          SELECT timer_execute_at / ${statement.bind(stepMs, 'bigint')} AS step, ${sources.condition?.(statement) ?? 'true'} AS is_meant
          FROM timers WHERE ${sources.join} AND row_type = ${RowType.live} AND timer_execute_at <= ${statement.bind(until, 'bigint')}
          ORDER BY timer_execute_at, timer_uuid LIMIT ${statement.bind(rowsMax, 'bigint')}
        ) AS live GROUP BY step
      ) AS counted
      GROUP BY step ORDER BY step`
    const rows = (await this.#reads.read(text, statement)) as unknown as [step: number, count: number, isCut: boolean][]
    const steps = rows.filter(([, count]) => count > 0).map(([step, count]) => ({ step, count }))
    return { steps, complete: !rows.some(([, , isCut]) => isCut) }
  }
}
