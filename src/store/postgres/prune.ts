// Deleting finished timers, in small batches, by any node. Rows that somebody is changing are left for the next time, so
// that pruning and commits never wait for each other's timers.

import { SLOTS_KEPT_MS, STANDING } from '../../core/tallies.ts'
import { RowType } from '../timer-row.ts'
import { COUNT_NAME, COUNTS } from './tally-log.ts'

const TALLIES_MAX = 1_000 // with one call; a namespace has a few dozen in each slot

/** Parameters: number of shards, now, limit. Answers with how many it deleted. */
export const PRUNE_SQL = `
  WITH expired AS MATERIALIZED (
    SELECT timer_uuid FROM generate_series(0, $1::integer - 1) AS source (shard)
    CROSS JOIN LATERAL (
      SELECT timer_uuid FROM timers
      WHERE shard_id = source.shard AND row_type = ${RowType.finished} AND timer_execute_at < $2
      ORDER BY timer_execute_at, timer_uuid LIMIT $3
      FOR UPDATE SKIP LOCKED
    ) AS oldest
    LIMIT $3
  ), deleted AS (
    DELETE FROM timers USING expired WHERE timers.timer_uuid = expired.timer_uuid
    RETURNING timer_namespace, ${COUNT_NAME} AS count_name
  ), counted AS (
    INSERT INTO timer_tally_log (sum_namespaces, sum_slots, sum_names, sum_amounts)
    SELECT array_agg(timer_namespace), array_agg(${COUNTS}), array_agg(count_name), array_agg(-amount)
    FROM (SELECT timer_namespace, count_name, count(*) AS amount FROM deleted GROUP BY timer_namespace, count_name) AS sums
    HAVING count(*) > 0
  )
  SELECT count(*) FROM deleted`

/** Tallies of long ago, and standing ones that count nothing any more: every hour in which a timer ever woke has left one. */
export const FORGET_SQL = `
  DELETE FROM timer_tallies AS tally
  USING (
    SELECT known.timer_namespace, slot_at, tally_name
    FROM (SELECT DISTINCT timer_namespace FROM timer_counts) AS known
    CROSS JOIN LATERAL (
      SELECT slot_at, tally_name FROM timer_tallies
      WHERE timer_namespace = known.timer_namespace AND slot_at < $1 - ${SLOTS_KEPT_MS} AND (slot_at > ${STANDING} OR tally_amount = 0)
      LIMIT ${TALLIES_MAX}
    ) AS of_namespace
    LIMIT ${TALLIES_MAX}
  ) AS old
  WHERE tally.timer_namespace = old.timer_namespace AND tally.slot_at = old.slot_at
    AND tally.tally_name = old.tally_name AND (tally.slot_at > ${STANDING} OR tally.tally_amount = 0)`
