// Numbers added up by namespace, slot of time and name: written with the commit that they belong to, once for each name
// at its end. Most of a commit's puts have the same tallies to the letter, so they travel and gather as one text.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { SLOT_MS, SLOTS_KEPT_MS, STANDING } from '../../core/tallies.ts'
import type { Tally } from '../../core/tallies.ts'
import type { Millis } from '../../core/timer.ts'
import { NEXT_NAMESPACE_SQL } from './namespaces.ts'

/** Names have neither of the separators. */
export function packTallies(tallies: readonly Tally[]): string {
  let text = ''
  for (const { name, slotAt, amount } of tallies) text += `${slotAt}\t${amount}\t${name}\n`
  return text
}

export class TimerTallies {
  /** How often each text came, by namespace. */
  readonly #texts = new Map<string, Map<string, number>>()
  readonly #add: StatementSync
  readonly #removeZero: StatementSync
  readonly #nextNamespace: StatementSync
  readonly #removeSlots: StatementSync
  #prunedBefore: Millis = 0

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(`
      INSERT INTO timer_tallies (timer_namespace, slot_at, tally_name, tally_amount) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET tally_amount = tally_amount + excluded.tally_amount`)
    this.#removeZero = db.prepare(`
      DELETE FROM timer_tallies WHERE timer_namespace = ? AND slot_at = ? AND tally_name = ? AND tally_amount = 0`)
    this.#nextNamespace = db.prepare(NEXT_NAMESPACE_SQL)
    this.#removeSlots = db.prepare(`DELETE FROM timer_tallies WHERE timer_namespace = ? AND slot_at > ${STANDING} AND slot_at < ?`)
  }

  add(namespace: string, packed: string): void {
    if (packed === '') return
    let texts = this.#texts.get(namespace)
    if (texts === undefined) this.#texts.set(namespace, (texts = new Map()))
    texts.set(packed, (texts.get(packed) ?? 0) + 1)
  }

  flush(): void {
    for (const [namespace, texts] of this.#texts) {
      for (const [slotAt, amounts] of added(texts)) {
        for (const [name, amount] of amounts) this.#write(namespace, slotAt, name, amount)
      }
    }
    this.#texts.clear()
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#texts.clear()
  }

  /** Of every namespace, once per slot of time: there is nothing to remove in between. */
  prune(now: Millis): void {
    const before = Math.floor((now - SLOTS_KEPT_MS) / SLOT_MS) * SLOT_MS
    if (before <= this.#prunedBefore) return
    for (let name = this.#namespaceAfter(''); name !== null; name = this.#namespaceAfter(name)) this.#removeSlots.run(name, before)
    this.#prunedBefore = before
  }

  #write(namespace: string, slotAt: Millis, name: string, amount: number): void {
    if (amount === 0) return
    this.#add.run(namespace, slotAt, name, amount)
    if (amount < 0) this.#removeZero.run(namespace, slotAt, name)
  }

  #namespaceAfter(name: string): string | null {
    return this.#nextNamespace.get(name)!['name'] as string | null
  }
}

type Amounts = Map<string, number>

/** Every amount of a slot counts for all time, too, which is where standing ones are. */
function added(texts: ReadonlyMap<string, number>): ReadonlyMap<Millis, Amounts> {
  const slots = new Map<Millis, Amounts>([[STANDING, new Map()]])
  for (const [text, times] of texts) {
    for (const line of text.split('\n').slice(0, -1)) {
      const [slot, each, name] = line.split('\t') as [string, string, string]
      const slotAt = Number(slot)
      const amount = Number(each) * times
      addTo(slots, STANDING, name, amount)
      if (slotAt !== STANDING) addTo(slots, slotAt, name, amount)
    }
  }
  return slots
}

function addTo(slots: Map<Millis, Amounts>, slotAt: Millis, name: string, amount: number): void {
  const amounts: Amounts = slots.get(slotAt) ?? new Map()
  slots.set(slotAt, amounts.set(name, (amounts.get(name) ?? 0) + amount))
}
