// The tallies of a commit, added up before they are sent: a thousand new timers share a few dozen sums. Each tally is kept
// beside, as numbers only, for the rare case that its put is not written.

import type { Tally } from '../../core/tallies.ts'
import type { Millis, Namespace } from '../../core/timer.ts'
import { columnParameter } from './array-parameters.ts'

export const TALLY_PARAMETERS = 7

export class TallySheet {
  readonly #numbers = new Map<Namespace, Map<Millis, Map<string, number>>>()
  readonly #namespaces: string[] = []
  readonly #slots: number[] = []
  readonly #names: string[] = []
  readonly #amounts: number[] = []
  readonly #tallyPuts: number[] = []
  readonly #tallySums: number[] = []
  readonly #tallyAmounts: number[] = []

  /** `put` is numbered from 1, and so are the sums. */
  add(put: number, namespace: Namespace, tallies: readonly Tally[]): void {
    for (const { slotAt, name, amount } of tallies) {
      const sum = this.#sumOf(namespace, slotAt, name)
      this.#amounts[sum - 1]! += amount
      this.#tallyPuts.push(put)
      this.#tallySums.push(sum)
      this.#tallyAmounts.push(amount)
    }
  }

  /** In the order of the function's parameters; all NULL when there are none. */
  parameters(): (Buffer | null)[] {
    if (this.#names.length === 0) return Array.from({ length: TALLY_PARAMETERS }, () => null)
    return [
      columnParameter('text', this.#namespaces),
      columnParameter('int8', this.#slots),
      columnParameter('text', this.#names),
      columnParameter('int8', this.#amounts),
      columnParameter('int4', this.#tallyPuts),
      columnParameter('int4', this.#tallySums),
      columnParameter('int8', this.#tallyAmounts),
    ]
  }

  #sumOf(namespace: Namespace, slotAt: Millis, name: string): number {
    const slots = this.#numbers.getOrInsertComputed(namespace, () => new Map<Millis, Map<string, number>>())
    const names = slots.getOrInsertComputed(slotAt, () => new Map<string, number>())
    return names.getOrInsertComputed(name, () => {
      this.#namespaces.push(namespace)
      this.#slots.push(slotAt)
      this.#amounts.push(0)
      return this.#names.push(name)
    })
  }
}
