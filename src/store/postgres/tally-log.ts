// Tallies are added up in two steps. A commit leaves its sums as one row of arrays in timer_tally_log, the cheapest write there
// is; now and then a node takes what has gathered there and adds it to timer_tallies, where a thousand commits share a few
// dozen rows. Who reads adds both up in one statement, so nothing is missing and nothing counted twice at any moment.

import { STANDING } from '../../core/tallies.ts'
import type { Connections, Query } from './connections.ts'

const FOLD_AFTER_COMMITS = 128
const ROWS_MAX = 1_000 // with one fold
const REST_FACTOR = 20 // a fold that is slow, over rows that a long transaction keeps from being swept, is made less often

// What happened in a slot counts for all time, too.
const ENTRIES = `unnest(sum_namespaces, sum_slots, sum_names, sum_amounts) AS sums (namespace, slot, name, amount)`
const SLOTS = `unnest(CASE slot WHEN ${STANDING} THEN '{${STANDING}}' ELSE ARRAY[${STANDING}, slot] END)`

/** As rows of timer_tallies would be: namespace, slot_at, name, amount. */
export const UNFOLDED = `SELECT namespace, ${SLOTS} AS slot_at, name, amount FROM timer_tally_log CROSS JOIN ${ENTRIES}`

// Two nodes may choose the same rows: the second one waits and finds them gone. The order keeps them from locking each other out.
const FOLD_SQL = `
  WITH taken AS (
    DELETE FROM timer_tally_log WHERE ctid = ANY (ARRAY(SELECT ctid FROM timer_tally_log LIMIT ${ROWS_MAX}))
    RETURNING sum_namespaces, sum_slots, sum_names, sum_amounts
  )
  INSERT INTO timer_tallies (timer_namespace, slot_at, tally_name, tally_amount)
  SELECT namespace, slot_at, name, sum(amount)
  FROM (SELECT namespace, ${SLOTS} AS slot_at, name, amount FROM taken CROSS JOIN ${ENTRIES}) AS unfolded
  GROUP BY namespace, slot_at, name HAVING sum(amount) <> 0 ORDER BY namespace, slot_at, name
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
