// The counts and tallies of a commit, added up before they are sent: a thousand new timers share a few dozen sums. Each is
// kept beside, as numbers only, for the rare case that its put is not written.

import { STANDING } from '../../core/tallies.ts'
import type { Tally } from '../../core/tallies.ts'
import type { Millis, Namespace } from '../../core/timer.ts'
import { columnParameter } from './array-parameters.ts'
import { COUNTS } from './tally-log.ts'

export const TALLY_PARAMETERS = 7 // as many as parameters() makes

type Recent = { readonly namespace: Namespace; readonly slotAt: Millis; readonly names: Map<string, number> }

export class TallySheet {
  readonly #numbers = new Map<Namespace, Map<Millis, Map<string, number>>>()
  /** Of STANDING, COUNTS, and the slot. */
  readonly #recent: [Recent | null, Recent | null, Recent | null] = [null, null, null]
  readonly #namespaces: string[] = []
  readonly #slots: number[] = []
  readonly #names: string[] = []
  readonly #amounts: number[] = []
  readonly #tallyPuts: number[] = []
  readonly #tallySums: number[] = []
  readonly #tallyAmounts: number[] = []

  /** `put` is numbered from 1, and so are the sums. */
  add(put: number, namespace: Namespace, tallies: readonly Tally[]): void {
    for (const { slotAt, name, amount } of tallies) this.#add(put, this.#sumOf(namespace, slotAt, name), amount)
  }

  /** The timer counted for `before`, and counts for `after` from now on: its status and kind. */
  count(put: number, namespace: Namespace, before: string | null, after: string): void {
    if (before === after) return
    if (before !== null) this.#add(put, this.#sumOf(namespace, COUNTS, before), -1)
    this.#add(put, this.#sumOf(namespace, COUNTS, after), 1)
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

  #add(put: number, sum: number, amount: number): void {
    this.#amounts[sum - 1]! += amount
    this.#tallyPuts.push(put)
    this.#tallySums.push(sum)
    this.#tallyAmounts.push(amount)
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

  /** Tallies of one put are of one slot, standing or counts, and those of the next one are mostly of the same: they are at hand. */
  #namesOf(namespace: Namespace, slotAt: Millis): Map<string, number> {
    const place = slotAt === STANDING ? 0 : slotAt === COUNTS ? 1 : 2
    const recent = this.#recent[place]
    if (recent?.namespace === namespace && recent.slotAt === slotAt) return recent.names
    let slots = this.#numbers.get(namespace)
    if (slots === undefined) this.#numbers.set(namespace, (slots = new Map()))
    let names = slots.get(slotAt)
    if (names === undefined) slots.set(slotAt, (names = new Map()))
    const found = { namespace, slotAt, names }
    this.#recent[place] = found
    return found.names
  }
}
