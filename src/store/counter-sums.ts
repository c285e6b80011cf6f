// What changes add to counters, added up by namespace, slot and name. Most commits touch a handful of counters, which are found
// by looking through them; a text as the key of each would cost more than all the rest.

import type { Millis, Namespace } from '../core/timer/timer.ts'
import type { Counter } from './store.ts'

const LOOKED_THROUGH_MAX = 16

type Sum = { readonly namespace: Namespace; readonly slotAt: Millis; readonly name: string; amount: number }

export class CounterSums {
  readonly #sums: Sum[] = []
  /** Where each is, once there are many. */
  #places: Map<string, number> | null = null

  /** Answers with the place of the counter among all of them. */
  add({ namespace, slotAt, name, amount }: Counter): number {
    const place = this.#placeOf(namespace, slotAt, name)
    if (place >= 0) this.#sums[place]!.amount += amount
    else this.#append({ namespace, slotAt, name, amount })
    return place >= 0 ? place : this.#sums.length - 1
  }

  /** Those too that have come to nothing. */
  all(): readonly Counter[] {
    return this.#sums
  }

  counters(): readonly Counter[] {
    return this.#sums.every(isSomething) ? this.#sums : this.#sums.filter(isSomething)
  }

  #placeOf(namespace: Namespace, slotAt: Millis, name: string): number {
    if (this.#places !== null) return this.#places.get(keyOf(namespace, slotAt, name)) ?? -1
    for (let place = this.#sums.length - 1; place >= 0; place--) {
      const sum = this.#sums[place]!
      if (sum.slotAt === slotAt && sum.name === name && sum.namespace === namespace) return place
    }
    return -1
  }

  #append(sum: Sum): void {
    this.#sums.push(sum)
    if (this.#places !== null) this.#places.set(keyOf(sum.namespace, sum.slotAt, sum.name), this.#sums.length - 1)
    else if (this.#sums.length > LOOKED_THROUGH_MAX) {
      const entries = this.#sums.map((one, place) => [keyOf(one.namespace, one.slotAt, one.name), place] as const)
      this.#places = new Map(entries)
    }
  }
}

function isSomething({ amount }: Counter): boolean {
  return amount !== 0
}

/** A namespace has no space in it. */
function keyOf(namespace: Namespace, slotAt: Millis, name: string): string {
  return `${slotAt} ${namespace} ${name}`
}
