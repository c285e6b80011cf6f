// A beat in one round trip. A function for the same reason as a commit: a claim of this node's shards that holds on to the
// node's row is waited for by the first statement, and its outcome is seen by the last one, in which a node reads that it
// still owns its shards. The list of nodes has all but the one that asks, which the caller adds. Lists come as JSON:
// thousands of shards are parsed in a fraction of the time that as many rows would take.
//
// The time of a beat is for people, and for removing the rows of nodes that are long gone; nobody is taken for dead by it.

import { NODE_COLUMNS } from '../../sql/ddl.ts'

const [, ...CHANGING] = NODE_COLUMNS

export const BEAT_FUNCTION = `
CREATE FUNCTION timers_beat_1 (p_node text, p_address text, p_leaving integer, p_labels text, p_beat bigint, p_now bigint, p_kept_ms bigint)
RETURNS TABLE (skew_ms bigint, nodes text, shards text)
LANGUAGE plpgsql AS $function$
DECLARE
  store_now bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  INSERT INTO timer_nodes (${NODE_COLUMNS.join(', ')})
  VALUES (p_node, p_address, p_leaving, p_labels, p_beat, p_now - store_now, store_now)
  ON CONFLICT (node_id) DO UPDATE SET ${CHANGING.map((name) => `${name} = excluded.${name}`).join(', ')};

  DELETE FROM timer_nodes WHERE node_id IN (
    SELECT node_id FROM timer_nodes
    WHERE node_beat_at < store_now - p_kept_ms AND node_id <> p_node
      AND NOT EXISTS (SELECT FROM timers WHERE timer_namespace IS NULL AND row_type = 1 AND shard_owner = node_id)
    FOR UPDATE SKIP LOCKED
  );

  RETURN QUERY SELECT
    p_now - store_now,
    (
      SELECT json_agg(json_build_array(${NODE_COLUMNS.slice(0, -1).join(', ')}))
      FROM timer_nodes WHERE node_id <> p_node
    )::text,
    (
      SELECT json_agg(json_build_array(shard_id, shard_epoch, shard_owner) ORDER BY shard_id)
      FROM timers WHERE timer_namespace IS NULL AND row_type = 1
    )::text;
END
$function$;
`
