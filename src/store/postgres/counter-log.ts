// Counters are added up in two steps. A commit leaves its sums as one row of arrays in timer_counter_log; a fold takes rows from
// there and adds them to timer_counters (sql/server/folding.ts). Who reads adds both up in one statement, so that nothing is
// missing and nothing is counted twice at any moment.

import { STANDING } from '../../core/statistics/tallies.ts'
import type { Millis } from '../../core/timer/timer.ts'
import { ADD_ON_CONFLICT } from '../sql/counter-sql.ts'
import type { Query } from './connection/connections.ts'

const ROWS_MAX = 256 // with one fold
export const FORGOTTEN_MAX = 1_000 // counters, with one call

const ENTRIES = `unnest(counter_namespaces, counter_slots, counter_names, counter_amounts)
  AS entry (timer_namespace, slot_at, counter_name, counter_amount)`
const COLUMNS = 'timer_namespace, slot_at, counter_name, counter_amount'

/** See Dialect.unfoldedCounters. */
export const UNFOLDED_COUNTERS = `timer_counter_log CROSS JOIN ${ENTRIES}`

// Nodes that fold at the same time take different rows. The order keeps them from locking each other out.
const FOLD_SQL = `
  WITH chosen AS MATERIALIZED (
    SELECT id FROM (
      SELECT id, sum(entries) OVER (ROWS UNBOUNDED PRECEDING) - entries AS entries_before
      FROM (SELECT ctid AS id, cardinality(counter_names) AS entries FROM timer_counter_log LIMIT ${ROWS_MAX} FOR UPDATE SKIP LOCKED) AS unlocked
    ) AS counted WHERE entries_before < $1::integer
  ), taken AS MATERIALIZED (
    DELETE FROM timer_counter_log WHERE ctid = ANY (ARRAY(SELECT id FROM chosen))
    RETURNING counter_namespaces, counter_slots, counter_names, counter_amounts
  ), entries AS MATERIALIZED (
    SELECT timer_namespace, slot_at, counter_name, sum(counter_amount)::bigint AS amount, count(*) AS added
    FROM taken CROSS JOIN ${ENTRIES} GROUP BY timer_namespace, slot_at, counter_name
  ), counted AS (
    INSERT INTO timer_counters (${COLUMNS})
    SELECT timer_namespace, slot_at, counter_name, amount FROM entries WHERE amount <> 0
    ORDER BY timer_namespace, slot_at, counter_name
${ADD_ON_CONFLICT}
  )
  SELECT (SELECT count(*) FROM taken) = ${ROWS_MAX} OR coalesce((SELECT sum(added) FROM entries), 0) >= $1`

/** Counters of long ago, and those without a slot in time that count nothing any more, as of a namespace that is gone. */
const FORGET_SQL = `
  WITH RECURSIVE known (name) AS (
    SELECT min(timer_namespace) FROM timer_counters
    UNION ALL
    SELECT (SELECT min(timer_namespace) FROM timer_counters WHERE timer_namespace > known.name) FROM known WHERE name IS NOT NULL
  ), forgotten AS (
    DELETE FROM timer_counters AS counter
    USING (
      SELECT known.name, slot_at, counter_name
      FROM known CROSS JOIN LATERAL (
        SELECT slot_at, counter_name FROM timer_counters
        WHERE timer_namespace = known.name AND slot_at < $1 AND (slot_at > ${STANDING} OR counter_amount = 0)
        LIMIT ${FORGOTTEN_MAX}
      ) AS of_namespace
      LIMIT ${FORGOTTEN_MAX}
    ) AS old
    WHERE counter.timer_namespace = old.name AND counter.slot_at = old.slot_at AND counter.counter_name = old.counter_name
      AND (counter.slot_at > ${STANDING} OR counter.counter_amount = 0)
    RETURNING 1
  )
  SELECT count(*) FROM forgotten`

/** Takes rows of about so many entries. True when there may be more. */
export function foldQuery(entriesMax: number): Query {
  return { name: 'fold-counters', text: FOLD_SQL, values: [entriesMax] }
}

/** Answers with how many were forgotten. */
export function forgetQuery(slotsBefore: Millis): Query {
  return { name: 'forget', text: FORGET_SQL, values: [slotsBefore] }
}
