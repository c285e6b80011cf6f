// Deleting finished timers, in small batches, by any node. Rows that somebody is changing are left for the next time, so
// that pruning and commits never wait for each other's timers.

import { RowType } from '../timer-row.ts'

/** Parameters: number of shards, now, limit, counter slot. Answers with how many it deleted. */
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
    RETURNING timer_namespace, timer_status
  ), counted AS (
    INSERT INTO timer_counts (timer_namespace, timer_status, counter_slot, timer_count)
    SELECT timer_namespace, timer_status, $4, -count(*) FROM deleted
    GROUP BY timer_namespace, timer_status ORDER BY timer_namespace, timer_status
    ON CONFLICT (timer_namespace, timer_status, counter_slot) DO UPDATE SET timer_count = timer_counts.timer_count + excluded.timer_count
  )
  SELECT count(*) FROM deleted`
