// What counters tell: how many timers there are, what happened, which namespaces there are. No row of a timer is read.

import { STANDING } from '../../../core/statistics/tallies.ts'
import type { Namespace } from '../../../core/timer/timer.ts'
import { countedBy, COUNTS } from '../../counters.ts'
import type { NamespaceScope, StoreStats, TallyQuery, TallySums, TimerCount } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { inChunks, Statement } from '../statement.ts'
import type { Question } from '../statement.ts'
import { rangesOf, scopeTerm, selectNamespaces } from './scope.ts'

const COLUMNS = 'timer_namespace, slot_at, counter_name, counter_amount'

/** A FROM item of the counters for which the condition holds, not yet added up. */
export function countersNow({ unfoldedCounters }: Dialect, condition: string): string {
  const added = `SELECT ${COLUMNS} FROM timer_counters WHERE ${condition}`
  if (unfoldedCounters === null) return `(${added}) AS counters_now`
  return `(${added} UNION ALL SELECT ${COLUMNS} FROM ${unfoldedCounters} WHERE ${condition}) AS counters_now`
}

function countsInScope(scope: NamespaceScope, statement: Statement): string {
  const term = scopeTerm(scope, statement)
  return countersNow(statement.dialect, `slot_at = ${COUNTS}${term === null ? '' : ` AND ${term}`}`)
}

export function* counts(dialect: Dialect, scope: NamespaceScope): Question<TimerCount[]> {
  const statement = new Statement(dialect)
  const rows = yield statement.query(`
    SELECT timer_namespace, counter_name, sum(counter_amount) FROM ${countsInScope(scope, statement)}
    GROUP BY timer_namespace, counter_name HAVING sum(counter_amount) > 0`)
  return rows.map(([namespace, name, count]) => {
    return { namespace: namespace as Namespace, ...countedBy(name as string), count: Number(count) }
  })
}

export function* stats(dialect: Dialect, scope: NamespaceScope): Question<StoreStats> {
  return { counts: yield* counts(dialect, scope) }
}

/** How many timers each namespace has, of `limit` namespaces at most. */
export function* namespaceSizes(
  dialect: Dialect,
  scope: NamespaceScope,
  limit: number,
): Question<Map<Namespace, number>> {
  const statement = new Statement(dialect)
  const rows = yield statement.query(`
    SELECT timer_namespace, sum(counter_amount) FROM ${countsInScope(scope, statement)}
    GROUP BY timer_namespace HAVING sum(counter_amount) > 0 LIMIT ${limit}`)
  return new Map(rows.map(([namespace, count]) => [namespace as Namespace, Number(count)]))
}

export function* tallies(dialect: Dialect, { since, ...scope }: TallyQuery): Question<TallySums> {
  const [from, to] = since === null ? [STANDING, STANDING] : [Math.max(since, STANDING + 1), Number.MAX_SAFE_INTEGER]
  const sums = new Map<string, number>()
  let firstSlotAt = Infinity
  for (const namespaces of inChunks(yield* namespacesIn(dialect, scope), dialect)) {
    const statement = new Statement(dialect)
    const inRange = `slot_at BETWEEN ${statement.bind(from, 'time')} AND ${statement.bind(to, 'time')}`
    const ofNamespace = (namespace: string): string => `
      SELECT counter_name, sum(counter_amount) AS amount, min(slot_at) AS first_slot
      FROM ${countersNow(dialect, `timer_namespace = ${namespace} AND ${inRange}`)} GROUP BY counter_name`
    const rows = yield statement.query(`
      SELECT counter_name, sum(amount), min(first_slot)
      FROM ${dialect.forEach('name', namespaces, ofNamespace, statement)} GROUP BY counter_name`)
    for (const [name, amount, first] of rows) {
      sums.set(name as string, (sums.get(name as string) ?? 0) + Number(amount))
      firstSlotAt = Math.min(firstSlotAt, Number(first))
    }
  }
  return {
    sums: Array.from(sums, ([name, amount]) => ({ name, amount })).filter(({ amount }) => amount !== 0),
    firstSlotAt: since === null || firstSlotAt === Infinity ? null : firstSlotAt,
  }
}

function* namespacesIn(dialect: Dialect, scope: NamespaceScope): Question<string[]> {
  const names = new Set<string>()
  for (const range of rangesOf(scope) ?? [null]) {
    const statement = new Statement(dialect)
    for (const [name] of yield statement.query(selectNamespaces(range, statement))) names.add(name as string)
  }
  return [...names]
}
