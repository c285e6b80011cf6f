// What a commit of some changes is: the rows to write and, added up once for all stores, what they add to counters. A timer
// counts for its status and kind as long as its row is there; what happened to it is tallied in the slot of its time and,
// for all time, in the standing slot.

import type { LifecycleEvent } from '../core/events/lifecycle-event.ts'
import { STANDING, talliesOf } from '../core/statistics/tallies.ts'
import type { Tally } from '../core/statistics/tallies.ts'
import type { Millis, Namespace, Timer } from '../core/timer/timer.ts'
import { kindOf } from '../core/timer/timer-kind.ts'
import { countName, COUNTS } from './counters.ts'
import type { CommitPart, Counter, OwnedShard, Put, StoredRow } from './store.ts'

/** One change of one timer, as the owner of its shard wants it. */
export type Change = Put & { readonly events?: readonly LifecycleEvent[] }

const NOTHING: readonly never[] = []

export function partOf(fence: OwnedShard, changes: readonly Change[]): CommitPart {
  const sums = new CounterSums()
  let events: LifecycleEvent[] | null = null
  for (const { before, after, events: added } of changes) {
    sums.move(before, after)
    sums.tally(after.namespace, talliesOf(before, after))
    if (added !== undefined) (events ??= []).push(...added)
  }
  return { ...fence, puts: changes, deletes: NOTHING, counters: sums.counters(), events: events ?? NOTHING }
}

/** Rows that come from another store: what happened to them was tallied there, and only how things are now is tallied here. */
export function importedPart(fence: OwnedShard, puts: readonly Put[]): CommitPart {
  const sums = new CounterSums()
  for (const { before, after } of puts) {
    sums.move(before, after)
    sums.tally(
      after.namespace,
      talliesOf(before, after).filter(({ slotAt }) => slotAt === STANDING),
    )
  }
  return { ...fence, puts, deletes: NOTHING, counters: sums.counters(), events: NOTHING }
}

/** Finished timers stand for nothing but their count. */
export function deletingPart(fence: OwnedShard, deletes: readonly StoredRow[]): CommitPart {
  const sums = new CounterSums()
  for (const { namespace, status, kind } of deletes) sums.add(namespace, COUNTS, countName(status, kind), -1)
  return { ...fence, puts: NOTHING, deletes, counters: sums.counters(), events: NOTHING }
}

class CounterSums {
  readonly #sums = new Map<string, { namespace: Namespace; slotAt: Millis; name: string; amount: number }>()

  move(before: Timer | null, after: Timer): void {
    const was = before === null ? null : countName(before.status, kindOf(before))
    const is = countName(after.status, kindOf(after))
    if (was === is) return
    if (was !== null) this.add(after.namespace, COUNTS, was, -1)
    this.add(after.namespace, COUNTS, is, 1)
  }

  tally(namespace: Namespace, tallies: readonly Tally[]): void {
    for (const { name, slotAt, amount } of tallies) {
      this.add(namespace, STANDING, name, amount)
      if (slotAt !== STANDING) this.add(namespace, slotAt, name, amount)
    }
  }

  add(namespace: Namespace, slotAt: Millis, name: string, amount: number): void {
    const key = `${slotAt} ${name} ${namespace}`
    const sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, { namespace, slotAt, name, amount })
    else sum.amount += amount
  }

  counters(): Counter[] {
    return [...this.#sums.values()].filter(({ amount }) => amount !== 0)
  }
}
