// What changes add to counters, added up by namespace, slot and name. Every change of a timer adds to five or so, and the same names
// come again and again: they are found by the name itself, without making a text of all three.

import type { Millis, Namespace } from '../core/timer/timer.ts'
import type { Counter } from './store.ts'

type Sum = { readonly namespace: Namespace; readonly slotAt: Millis; readonly name: string; amount: number }

const NONE = -1

export class CounterSums {
  readonly #sums: Sum[] = []
  /** For each of them the one before it of the same namespace and name, which has another slot. */
  readonly #before: number[] = []
  /** The last of each name, by namespace. */
  readonly #namespaces = new Map<Namespace, Map<string, number>>()
  #namespace: Namespace | null = null
  #names = new Map<string, number>()

  /** Answers with the place of the counter among all of them. */
  add({ namespace, slotAt, name, amount }: Counter): number {
    this.turnTo(namespace)
    return this.addHere(slotAt, name, amount)
  }

  /** What is added from now on belongs to this namespace. */
  turnTo(namespace: Namespace): void {
    if (namespace === this.#namespace) return
    this.#namespace = namespace
    this.#names = this.#namespaces.get(namespace) ?? new Map<string, number>()
    this.#namespaces.set(namespace, this.#names)
  }

  /** As `add`, for the namespace that was turned to. */
  addHere(slotAt: Millis, name: string, amount: number): number {
    const last = this.#names.get(name) ?? NONE
    for (let place = last; place !== NONE; place = this.#before[place]!) {
      const sum = this.#sums[place]!
      if (sum.slotAt !== slotAt) continue
      sum.amount += amount
      return place
    }
    this.#before.push(last)
    const place = this.#sums.push({ namespace: this.#namespace!, slotAt, name, amount }) - 1
    this.#names.set(name, place)
    return place
  }

  /** Those too that have come to nothing. */
  all(): readonly Counter[] {
    return this.#sums
  }

  counters(): readonly Counter[] {
    return this.#sums.every(isSomething) ? this.#sums : this.#sums.filter(isSomething)
  }
}

function isSomething({ amount }: Counter): boolean {
  return amount !== 0
}
