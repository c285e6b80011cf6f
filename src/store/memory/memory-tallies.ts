// Tallies added up in memory, by namespace, slot and name.

import { SLOTS_KEPT_MS, STANDING } from '../../core/tallies.ts'
import type { Tally } from '../../core/tallies.ts'
import type { Millis, Namespace } from '../../core/timer.ts'
import type { TallyQuery, TallySums } from '../store.ts'
import { isInScope } from './memory-queries.ts'

type Slots = Map<Millis, Map<string, number>>

export class MemoryTallies {
  readonly #slots = new Map<Namespace, Slots>()

  add(namespace: Namespace, tallies: readonly Tally[]): void {
    for (const { name, slotAt, amount } of tallies) {
      this.#addTo(namespace, STANDING, name, amount)
      if (slotAt !== STANDING) this.#addTo(namespace, slotAt, name, amount)
    }
  }

  sums({ since, ...scope }: TallyQuery): TallySums {
    const sums = new Map<string, number>()
    let firstSlotAt = Infinity
    for (const [namespace, slots] of this.#slots) {
      if (!isInScope(namespace, scope)) continue
      for (const [slotAt, amounts] of slots) {
        if (since === null ? slotAt !== STANDING : slotAt === STANDING || slotAt < since) continue
        if (slotAt !== STANDING) firstSlotAt = Math.min(firstSlotAt, slotAt)
        for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0) + amount)
      }
    }
    return {
      sums: Array.from(sums, ([name, amount]) => ({ name, amount })).filter(({ amount }) => amount !== 0),
      firstSlotAt: firstSlotAt === Infinity ? null : firstSlotAt,
    }
  }

  prune(now: Millis): void {
    for (const slots of this.#slots.values()) {
      for (const slotAt of slots.keys()) if (slotAt !== STANDING && slotAt < now - SLOTS_KEPT_MS) slots.delete(slotAt)
    }
  }

  #addTo(namespace: Namespace, slotAt: Millis, name: string, amount: number): void {
    const slots: Slots = this.#slots.get(namespace) ?? new Map()
    const amounts = slots.get(slotAt) ?? new Map<string, number>()
    this.#slots.set(namespace, slots.set(slotAt, amounts.set(name, (amounts.get(name) ?? 0) + amount)))
  }
}
