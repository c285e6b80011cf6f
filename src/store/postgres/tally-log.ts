// Counts and tallies are added up in two steps. A commit leaves its sums as one row of arrays in timer_tally_log, the cheapest
// write there is; now and then a node takes what has gathered there and adds it to timer_counts and timer_tallies, where a
// thousand commits share a few dozen rows. Who reads adds both up in one statement, so that nothing is missing and nothing is
// counted twice at any moment.

import { STANDING } from '../../core/tallies.ts'
import type { Millis } from '../../core/timer.ts'
import type { Connections, Query } from './connections.ts'

/** In the log, the slot of counts: how many timers have a status and kind. */
export const COUNTS: Millis = -1

export function countName(status: number, kind: number): string {
  return `${status}.${kind}`
}

const FOLD_AFTER_COMMITS = 128
const ROWS_MAX = 1_000 // with one fold
const REST_FACTOR = 20 // a fold that is slow, over rows that a long transaction keeps from being swept, is made less often

const ENTRIES = 'unnest(sum_namespaces, sum_slots, sum_names, sum_amounts) AS sums (namespace, slot, name, amount)'
const COUNT_COLUMNS = `
  namespace AS timer_namespace, split_part(name, '.', 1)::smallint AS timer_status, split_part(name, '.', 2)::smallint AS timer_kind,
  amount AS timer_count`
// What happened in a slot counts for all time, too.
const TALLY_COLUMNS = `
  namespace AS timer_namespace, unnest(CASE slot WHEN ${STANDING} THEN '{${STANDING}}' ELSE ARRAY[${STANDING}, slot] END) AS slot_at,
  name AS tally_name, amount AS tally_amount`

/** The columns of timer_counts, not yet added up. */
export const COUNTS_NOW = `(
  SELECT timer_namespace, timer_status, timer_kind, timer_count FROM timer_counts
  UNION ALL
  SELECT ${COUNT_COLUMNS} FROM timer_tally_log CROSS JOIN ${ENTRIES} WHERE slot = ${COUNTS}
) AS counts_now`

/** What timer_tallies will get; with its columns. */
export const UNFOLDED_TALLIES = `(SELECT ${TALLY_COLUMNS} FROM timer_tally_log CROSS JOIN ${ENTRIES} WHERE slot <> ${COUNTS}) AS unfolded`

// Two nodes may choose the same rows: the second one waits and finds them gone. The order keeps them from locking each other out.
const FOLD_SQL = `
  WITH taken AS MATERIALIZED (
    DELETE FROM timer_tally_log WHERE ctid = ANY (ARRAY(SELECT ctid FROM timer_tally_log LIMIT ${ROWS_MAX}))
    RETURNING sum_namespaces, sum_slots, sum_names, sum_amounts
  ), entries AS MATERIALIZED (
    SELECT namespace, slot, name, sum(amount)::bigint AS amount FROM taken CROSS JOIN ${ENTRIES}
    GROUP BY namespace, slot, name HAVING sum(amount) <> 0
  ), counted AS (
    INSERT INTO timer_counts (timer_namespace, timer_status, timer_kind, timer_count)
    SELECT ${COUNT_COLUMNS} FROM entries WHERE slot = ${COUNTS} ORDER BY 1, 2, 3
    ON CONFLICT (timer_namespace, timer_status, timer_kind) DO UPDATE SET timer_count = timer_counts.timer_count + excluded.timer_count
  )
  INSERT INTO timer_tallies (timer_namespace, slot_at, tally_name, tally_amount)
  SELECT timer_namespace, slot_at, tally_name, sum(tally_amount)
  FROM (SELECT ${TALLY_COLUMNS} FROM entries WHERE slot <> ${COUNTS}) AS tallied
  GROUP BY timer_namespace, slot_at, tally_name ORDER BY timer_namespace, slot_at, tally_name
  ON CONFLICT (timer_namespace, slot_at, tally_name) DO UPDATE SET tally_amount = timer_tallies.tally_amount + excluded.tally_amount`

const FOLD: Query = { name: 'fold-tallies', text: FOLD_SQL, values: [] }

export class TallyLog {
  readonly #connections: Connections
  #commits = 0
  #folding = false
  #restUntil = 0

  constructor(connections: Connections) {
    this.#connections = connections
  }

  /** After a commit. True when it is time to fold. */
  added(): boolean {
    return ++this.#commits >= FOLD_AFTER_COMMITS && !this.#folding && performance.now() >= this.#restUntil
  }

  async fold(): Promise<void> {
    this.#folding = true
    this.#commits = 0
    const startedAt = performance.now()
    try {
      await this.#connections.write(FOLD)
    } finally {
      this.#folding = false
      const endedAt = performance.now()
      this.#restUntil = endedAt + (endedAt - startedAt) * REST_FACTOR
    }
  }
}
