// Counters: numbers by namespace, slot and name, added to in the transaction of the commit that they belong to.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { STANDING } from '../../core/statistics/tallies.ts'
import type { Millis } from '../../core/timer/timer.ts'
import type { Cell } from '../row/columns.ts'
import { COUNTER_STRIDE } from './threads/messages.ts'

const FORGOTTEN_MAX = 1_000 // with one call: commits wait for some milliseconds, not for seconds

export class Counters {
  readonly #add: StatementSync
  readonly #removeZero: StatementSync
  readonly #removeSlots: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(`
      INSERT INTO timer_counters (timer_namespace, slot_at, counter_name, counter_amount) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET counter_amount = counter_amount + excluded.counter_amount`)
    this.#removeZero = db.prepare(`
      DELETE FROM timer_counters WHERE timer_namespace = ? AND slot_at = ? AND counter_name = ? AND counter_amount = 0`)
    this.#removeSlots = db.prepare(`
      DELETE FROM timer_counters WHERE (timer_namespace, slot_at, counter_name) IN (
        SELECT timer_namespace, slot_at, counter_name FROM timer_counters INDEXED BY timer_counters_by_slot
        WHERE slot_at > ${STANDING} AND slot_at < ? LIMIT ${FORGOTTEN_MAX}
      )`)
  }

  add(counters: readonly Cell[]): void {
    for (let at = 0; at < counters.length; at += COUNTER_STRIDE) {
      const [namespace, slotAt, name, amount] = counters.slice(at, at + COUNTER_STRIDE) as [
        string,
        number,
        string,
        number,
      ]
      this.#add.run(namespace, slotAt, name, amount)
      if (amount < 0) this.#removeZero.run(namespace, slotAt, name)
    }
  }

  /** True when there may be more. Standing ones that count nothing are removed at once. */
  forget(slotsBefore: Millis): boolean {
    return this.#removeSlots.run(slotsBefore).changes === FORGOTTEN_MAX
  }
}
