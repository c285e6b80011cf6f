// Counters in memory, by namespace, slot and name.

import { STANDING } from '../../core/statistics/tallies.ts'
import type { Millis, Namespace } from '../../core/timer/timer.ts'
import { isInScope } from '../queries/filter.ts'
import type { CounterRange } from '../queries/scan-queries.ts'
import type { Counter } from '../store.ts'

type Slots = Map<Millis, Map<string, number>>

export class MemoryCounters {
  readonly #slots = new Map<Namespace, Slots>()

  add({ namespace, slotAt, name, amount }: Counter): void {
    const slots: Slots = this.#slots.get(namespace) ?? new Map()
    const amounts = slots.get(slotAt) ?? new Map<string, number>()
    this.#slots.set(namespace, slots.set(slotAt, amounts.set(name, (amounts.get(name) ?? 0) + amount)))
  }

  read({ scope, from, to }: CounterRange): Counter[] {
    const counters: Counter[] = []
    for (const [namespace, slots] of this.#slots) {
      if (!isInScope(namespace, scope)) continue
      for (const [slotAt, amounts] of slots) {
        if (slotAt < from || slotAt > to) continue
        for (const [name, amount] of amounts) if (amount !== 0) counters.push({ namespace, slotAt, name, amount })
      }
    }
    return counters
  }

  forget(slotsBefore: Millis): void {
    for (const slots of this.#slots.values()) {
      for (const slotAt of slots.keys()) if (slotAt > STANDING && slotAt < slotsBefore) slots.delete(slotAt)
    }
  }
}
