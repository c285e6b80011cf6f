// The tallies of a commit, added up before they are sent: a thousand new timers share a few dozen sums. Each tally is kept
// beside, as numbers only, for the rare case that its put is not written.

import { STANDING } from '../../core/tallies.ts'
import type { Tally } from '../../core/tallies.ts'
import type { Millis, Namespace } from '../../core/timer.ts'
import { columnParameter } from './array-parameters.ts'

export const TALLY_PARAMETERS = 7

type Recent = { readonly namespace: Namespace; readonly slotAt: Millis; readonly names: Map<string, number> }

export class TallySheet {
  readonly #numbers = new Map<Namespace, Map<Millis, Map<string, number>>>()
  #slot: Recent | null = null
  #standing: Recent | null = null
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
    const names = this.#namesOf(namespace, slotAt)
    const known = names.get(name)
    if (known !== undefined) return known
    this.#namespaces.push(namespace)
    this.#slots.push(slotAt)
    this.#amounts.push(0)
    const number = this.#names.push(name)
    names.set(name, number)
    return number
  }

  /** Tallies of one put are of one slot or standing, and those of the next one are mostly of the same: both are at hand. */
  #namesOf(namespace: Namespace, slotAt: Millis): Map<string, number> {
    const recent = slotAt === STANDING ? this.#standing : this.#slot
    if (recent?.namespace === namespace && recent.slotAt === slotAt) return recent.names
    const slots = this.#numbers.getOrInsertComputed(namespace, () => new Map<Millis, Map<string, number>>())
    const found = { namespace, slotAt, names: slots.getOrInsertComputed(slotAt, () => new Map<string, number>()) }
    if (slotAt === STANDING) this.#standing = found
    else this.#slot = found
    return found.names
  }
}
