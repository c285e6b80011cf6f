// Counters are added up in two steps. A commit leaves its sums in timer_counter_log, under a number of its own, so that nodes
// do not wait for each other; a fold takes commits from there and adds them to timer_counters (sql/server/folding.ts). Who reads
// adds both up in one statement, so that nothing is missing and nothing is counted twice at any moment.

import { STANDING } from '../../core/statistics/tallies.ts'
import type { Millis } from '../../core/timer/timer.ts'
import type { Connections } from './connection/connections.ts'

const COMMITS_MAX = 256 // with one fold
const FORGOTTEN_MAX = 1_000 // counters of each sort, with one call

/** Takes about so many entries. True when there may be more. Who folds the same at the same time waits, and finds it gone. */
export async function foldSome(lane: Connections, entriesMax: number): Promise<boolean> {
  const text = `SELECT commit_id, count(*) FROM (
      SELECT commit_id FROM timer_counter_log LIMIT ${entriesMax}
    ) AS some GROUP BY commit_id ORDER BY commit_id LIMIT ${COMMITS_MAX}`
  const found = await lane.read({ text, values: [] })
  if (found.length === 0) return false
  const these = `commit_id IN (${found.map(([id]) => id).join(', ')})`
  await lane.transaction([
    `SELECT commit_id FROM timer_counter_log WHERE ${these} ORDER BY commit_id FOR UPDATE`,
    `INSERT INTO timer_counters (timer_namespace, slot_at, counter_name, counter_amount)
      SELECT timer_namespace, slot_at, counter_name, sum(counter_amount) FROM timer_counter_log WHERE ${these}
      GROUP BY timer_namespace, slot_at, counter_name ORDER BY timer_namespace, slot_at, counter_name
      ON DUPLICATE KEY UPDATE counter_amount = timer_counters.counter_amount + VALUES(counter_amount)`,
    `DELETE FROM timer_counter_log WHERE ${these}`,
  ])
  const entries = found.reduce((sum, [, count]) => sum + Number(count), 0)
  return found.length === COMMITS_MAX || entries >= entriesMax
}

/** Counters of long ago, and those without a slot in time that count nothing any more. True when there may be more. */
export async function forget(lane: Connections, slotsBefore: Millis): Promise<boolean> {
  const terms = [`slot_at > ${STANDING} AND slot_at < ${slotsBefore}`, `slot_at <= ${STANDING} AND counter_amount = 0`]
  const replies = await lane.transaction(
    terms.map(
      (term) => `DELETE FROM timer_counters WHERE ${term} ORDER BY slot_at, timer_namespace LIMIT ${FORGOTTEN_MAX}`,
    ),
  )
  return replies.some(({ affected }) => affected === FORGOTTEN_MAX)
}
