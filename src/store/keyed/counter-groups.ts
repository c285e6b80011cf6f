// Counters as fields: those of one namespace, slot and group share an item or document, and so what its change costs. It must
// stay small, since some engines pay for all of it with every change.

import type { Millis, Namespace } from '../../core/timer/timer.ts'
import type { NamespaceScope } from '../timer-queries.ts'
import { isInScope } from '../queries/filter.ts'
import type { Counter } from '../store.ts'
import { countSort } from './sort-keys.ts'
import type { Item } from './timer-fields.ts'

/** Before the names of counters, so that they cannot be those of other fields. A dot would be a path in some engines. */
const MARK = '='
const DOT = ':'
const COUNTERS_PER_GROUP = 16

/** `amounts`: what is added, by field. */
export type CounterGroup = {
  readonly sort: string
  readonly ns: Namespace
  readonly slot: Millis
  readonly amounts: readonly (readonly [field: string, amount: number])[]
}

export function counterGroups(counters: readonly Counter[]): CounterGroup[] {
  const groups = Map.groupBy(counters, ({ slotAt, namespace, name }) => countSort(slotAt, namespace, groupOf(name)))
  return Array.from(groups, ([sort, members]) => {
    const { namespace: ns, slotAt: slot } = members[0]!
    return { sort, ns, slot, amounts: members.map(({ name, amount }) => [fieldOf(name), amount]) }
  })
}

/** The item of a group after these amounts, for engines that cannot add to a number. */
export function withAmounts(stored: Item, { ns, slot, amounts }: CounterGroup): Item {
  const sums = amounts.map(([field, amount]) => [field, ((stored[field] as number | undefined) ?? 0) + amount] as const)
  const fields: Item = { ...stored, ns, slot, ...Object.fromEntries(sums) }
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => value !== 0 || !field.startsWith(MARK)))
}

/** Those of all shards, added up. */
export function countersIn(items: readonly Item[], scope: NamespaceScope): Counter[] {
  const sums = new Map<string, Counter>()
  for (const { ns, slot, ...item } of items) {
    const [namespace, slotAt] = [ns as Namespace, slot as Millis]
    if (!isInScope(namespace, scope)) continue
    for (const [field, amount] of Object.entries(item)) {
      if (!field.startsWith(MARK)) continue
      const key = `${slotAt} ${field} ${namespace}`
      const name = field.slice(MARK.length).replaceAll(DOT, '.')
      sums.set(key, { namespace, slotAt, name, amount: (sums.get(key)?.amount ?? 0) + (amount as number) })
    }
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0)
}

function fieldOf(name: string): string {
  return `${MARK}${name.replaceAll('.', DOT)}`
}

/** Names that go on with a number have a group for every sixteen numbers. */
function groupOf(name: string): string {
  const numbered = /^(.*\.)(\d+)$/.exec(name)
  return numbered === null ? '' : `${numbered[1]}${Math.floor(Number(numbered[2]) / COUNTERS_PER_GROUP)}`
}
