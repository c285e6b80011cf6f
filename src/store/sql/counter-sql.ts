// Counters that are written with their commits, one by one: for databases in which that is cheap.

import { STANDING } from '../../core/statistics/tallies.ts'
import type { Millis } from '../../core/timer/timer.ts'
import type { Dialect } from './dialect.ts'
import { Statement } from './statement.ts'
import type { Question } from './statement.ts'

const SLOTS_FORGOTTEN_MAX = 200 // with one call: commits wait for some milliseconds, not for seconds

/** Parameters: namespace, slot, name, amount. What follows says how it is added to a counter that is there. */
export function insertCounter({ parameter }: Dialect): string {
  return `
    INSERT INTO timer_counters (timer_namespace, slot_at, counter_name, counter_amount)
    VALUES (${parameter(1, 'name')}, ${parameter(2, 'time')}, ${parameter(3, 'name')}, ${parameter(4, 'integer')})`
}

export const ADD_ON_CONFLICT = `
    ON CONFLICT (timer_namespace, slot_at, counter_name)
    DO UPDATE SET counter_amount = timer_counters.counter_amount + excluded.counter_amount`

/** Parameters: namespace, slot, name. */
export function deleteZeroCounter({ parameter }: Dialect): string {
  return `
    DELETE FROM timer_counters
    WHERE timer_namespace = ${parameter(1, 'name')} AND slot_at = ${parameter(2, 'time')}
      AND counter_name = ${parameter(3, 'name')} AND counter_amount = 0`
}

/** True when there may be more. */
export function* forgetSlots(dialect: Dialect, slotsBefore: Millis): Question<boolean> {
  const statement = new Statement(dialect)
  const old = yield statement.query(`
    SELECT DISTINCT timer_namespace, slot_at FROM timer_counters ${dialect.by('timer_counters_by_slot')}
    WHERE slot_at > ${STANDING} AND slot_at < ${statement.bind(slotsBefore, 'time')} LIMIT ${SLOTS_FORGOTTEN_MAX}`)
  for (const [namespace, slotAt] of old) {
    const deletion = new Statement(dialect)
    yield deletion.query(`
      DELETE FROM timer_counters
      WHERE timer_namespace = ${deletion.bind(namespace!, 'name')} AND slot_at = ${deletion.bind(slotAt!, 'time')}`)
  }
  return old.length === SLOTS_FORGOTTEN_MAX
}
