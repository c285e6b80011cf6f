// How many timers there are, from the counters that commits keep: counting a million rows would take a second.

import type { StatementSync } from 'node:sqlite'
import { isFinished, Status } from '../../core/timer/timer.ts'
import { TimerKind } from '../../core/timer/timer-kind.ts'
import { countedBy, countName, COUNTS } from '../counters.ts'
import type { NamespaceScope, TimerCount } from '../store.ts'
import { rangesOf } from './lists/namespaces.ts'

export type Count = TimerCount
type CountRow = { readonly namespace: Count['namespace']; readonly name: string; readonly count: number }

/** Parameters: the first and the last namespace. The index has slots in the order of namespaces. */
export const COUNTS_SQL = `
  SELECT timer_namespace AS namespace, counter_name AS name, counter_amount AS count FROM timer_counters
  WHERE slot_at = ${COUNTS} AND timer_namespace BETWEEN ? AND ? AND counter_amount > 0`

/** Those of these namespaces, each once, without reading those of others. */
export function countsIn(counts: StatementSync, scope: NamespaceScope): readonly Count[] {
  const found = new Map<string, readonly CountRow[]>()
  for (const range of rangesOf(scope)) {
    const rows = counts.all(...range) as unknown as CountRow[]
    for (const [namespace, some] of Map.groupBy(rows, (one) => one.namespace)) found.set(namespace, some)
  }
  return [...found.values()].flat().map(({ namespace, name, count }) => ({ namespace, ...countedBy(name), count }))
}

/** Of all namespaces. */
export function totalSql(finished: boolean): string {
  const statuses = Object.values(Status).filter((status) => isFinished({ status }) === finished)
  const names = statuses.flatMap((status) => Object.values(TimerKind).map((kind) => `'${countName(status, kind)}'`))
  return `
    SELECT coalesce(sum(counter_amount), 0) AS count FROM timer_counters
    WHERE slot_at = ${COUNTS} AND counter_name IN (${names.join(', ')})`
}
