// What counters tell: how many timers there are, what happened, which namespaces there are. No row of a timer is read.

import { STANDING } from '../../../core/statistics/tallies.ts'
import type { Millis, Namespace } from '../../../core/timer/timer.ts'
import { countedBy, COUNTS } from '../../counters.ts'
import type { NamespaceScope, StoreStats, TallyQuery, TallySums, TimerCount } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { inChunks, Statement } from '../statement.ts'
import type { Question } from '../statement.ts'
import { LAST_CHARACTER, rangesOf, scopeTerm, selectNamespaces } from './scope.ts'

const COLUMNS = 'timer_namespace, slot_at, counter_name, counter_amount'

/** A FROM item of the counters for which the condition holds, not yet added up. */
function countersNow({ unfoldedCounters }: Dialect, condition: string): string {
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

/**
 * What is not folded yet is added in the same statement, so that nothing is missing and nothing is counted twice; where one
 * statement cannot go through all namespaces, it is one of its own, and the store sees to it that all are of the same moment.
 */
export function* tallies(dialect: Dialect, { since, prefix, ...scope }: TallyQuery): Question<TallySums> {
  const sums = new Map<string, number>()
  let firstSlotAt = Infinity
  const hasLog = dialect.unfoldedCounters !== null
  const sources: (ForEachNamespace | null)[] = yield* namespacesIn(dialect, scope)
  const isOne = dialect.forEachOf !== undefined
  if (hasLog && !isOne) sources.push(null)
  for (const namespaces of sources) {
    const statement = new Statement(dialect)
    const inRange = slotsSince(since, statement) + (prefix === undefined ? '' : ` AND ${namedFrom(prefix, statement)}`)
    const ofNamespace = (namespace: string): string => `
      SELECT counter_name, sum(counter_amount) AS amount, min(slot_at) AS first_slot
      FROM timer_counters WHERE timer_namespace = ${namespace} AND ${inRange} GROUP BY counter_name`
    const parts: string[] = []
    if (namespaces !== null)
      parts.push(`SELECT counter_name, amount, first_slot FROM ${namespaces(ofNamespace, statement)}`)
    if (hasLog && (isOne || namespaces === null)) {
      const inScope = scopeTerm(scope, statement) ?? 'TRUE'
      parts.push(
        `SELECT counter_name, counter_amount AS amount, slot_at AS first_slot FROM ${dialect.unfoldedCounters} WHERE ${inScope} AND ${inRange}`,
      )
    }
    const rows = yield statement.query(`
      SELECT counter_name, sum(amount), min(first_slot) FROM (${parts.join(' UNION ALL ')}) AS counted GROUP BY counter_name`)
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

function slotsSince(since: Millis | null, statement: Statement): string {
  if (since === null) return `slot_at = ${statement.bind(STANDING, 'time')}`
  const [from, to] = [Math.max(since, STANDING + 1), Number.MAX_SAFE_INTEGER]
  return `slot_at BETWEEN ${statement.bind(from, 'time')} AND ${statement.bind(to, 'time')}`
}

/** A range of the primary key, where there is one slot only. */
function namedFrom(prefix: string, statement: Statement): string {
  const last = `${prefix}${LAST_CHARACTER}`
  return `counter_name BETWEEN ${statement.bind(prefix, 'name')} AND ${statement.bind(last, 'name')}`
}

type ForEachNamespace = (select: (namespace: string) => string, statement: Statement) => string

/** As FROM items that are all of them together; one where counters are folded. */
function* namespacesIn(dialect: Dialect, scope: NamespaceScope): Question<ForEachNamespace[]> {
  const ranges = rangesOf(scope) ?? [null]
  const { forEachOf } = dialect
  if (forEachOf !== undefined && ranges.length > 0) {
    const known = (statement: Statement) => ranges.map((range) => `(${selectNamespaces(range, statement)})`)
    return [(select, statement) => forEachOf(known(statement).join(' UNION '), select)]
  }
  const names = new Set<string>()
  for (const range of ranges) {
    const statement = new Statement(dialect)
    for (const [name] of yield statement.query(selectNamespaces(range, statement))) names.add(name as string)
  }
  return Array.from(inChunks([...names], dialect), (some): ForEachNamespace => {
    return (select, statement) => dialect.forEach('name', some, select, statement)
  })
}
