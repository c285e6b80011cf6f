// How many timers wake in each step of time: of the near future, by counting.

import { RowType } from '../../row/columns.ts'
import type { Upcoming, UpcomingQuery } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { inChunks, Statement } from '../statement.ts'
import type { Question } from '../statement.ts'
import { scopeTerm } from './scope.ts'
import { sourcesOf } from './sources.ts'

/** All rows of a source are counted, so that its limit is noticed, and those that are meant. */
export function* upcoming(dialect: Dialect, { until, stepMs, ...scope }: UpcomingQuery): Question<Upcoming> {
  const sources = yield* sourcesOf(dialect, scope, dialect.limits.upcomingRows)
  const rowsMax = Math.ceil(dialect.limits.upcomingRows / Math.max(1, sources.keys.length))
  const counts = new Map<number, number>()
  let complete = true
  for (const keys of inChunks(sources.keys, dialect)) {
    const statement = new Statement(dialect)
    const [step, untilSql] = [statement.bind(stepMs, 'time'), statement.bind(until, 'time')]
    const isMeant = scopeTerm(sources.scope, statement) ?? 'TRUE'
    const steps = (key: string): string => `
      SELECT ${key} AS source, step_at, count(*) AS met, sum(meant) AS meant FROM (
        SELECT timer_execute_at - timer_execute_at % ${step} AS step_at, CASE WHEN ${isMeant} THEN 1 ELSE 0 END AS meant
        FROM timers ${dialect.by(sources.by)}
        WHERE ${sources.column} = ${key} AND row_type = ${RowType.live} AND timer_execute_at <= ${untilSql}
        ORDER BY timer_execute_at LIMIT ${rowsMax}
      ) AS near GROUP BY step_at`
    const rows = yield statement.query(`
      SELECT source, step_at, met, meant FROM ${dialect.forEach(sources.type, keys, steps, statement)}`)
    for (const [, stepAt, , meant] of rows) {
      const number = Math.floor(Number(stepAt) / stepMs)
      if (Number(meant) > 0) counts.set(number, (counts.get(number) ?? 0) + Number(meant))
    }
    for (const ofSource of Map.groupBy(rows, ([source]) => source).values())
      complete &&= ofSource.reduce((sum, [, , met]) => sum + Number(met), 0) < rowsMax
  }
  const steps = Array.from(counts, ([step, count]) => ({ step, count }))
  return { steps: steps.toSorted((a, b) => a.step - b.step), complete }
}
