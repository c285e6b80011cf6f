// The first schema. Never edited once released: a later change is a new step in migrations.ts.

import { columnsOf, columnsWithKey, readableView } from '../../sql/ddl.ts'
import { BEAT_FUNCTION } from './beat-function.ts'
import { byAlignment, SQL_TYPES } from '../connection/column-types.ts'
import { COMMIT_FUNCTION } from './commit-function.ts'

// Shards and timers share one table, told apart by row_type (1 shard, 2 live timer, 3 finished timer), keyed in the
// order in which timers come due; timer_execute_at holds the wake time. uuid compares by bytes, as the order asks.
// The hash of namespace and id is the unique key: 16 bytes instead of two texts. timers_by_namespace lets a small
// namespace be listed without reading the large ones, and finds the rows of shards, which have no namespace. A due time
// is there only where it is not the wake time, so pages by due time merge two indexes. timers_by_namespace has no uuid: timers of one
// millisecond then share an entry, and a page sorts those few. The other indexes hold few rows.
//
// JSON that jsonb cannot hold (an escaped NUL, half a surrogate pair) is legal in a timer's metadata: such escapes are
// searched as a replacement character.
//
// Every timer is written, rewritten and deleted, so dead rows are swept when 1 % have died instead of 20 %. No room is left
// in the pages: nearly every change moves the timer in an index, so it would save nothing but a second page. What is written
// all the time, counters and beats, has half its pages empty: there a change reuses the row's own page.
//
// timer_counter_log holds what commits have counted and nobody has added to timer_counters yet. Its rows are not compressed
// and moved out at 2 kB, as they would be by default: they are read once, soon, and deleted. Its empty end is not given
// back, since that takes a lock that every commit would wait for.
//
// Numbers of events come from one sequence for all shards. A commit holds the lock of its shard's row when it draws them and
// until it is over, so within a shard their order is the order of the commits, and none shows up behind one that was read
// already. Every row is deleted soon after it was written, so the dead are swept by their number, not by their share.
//
// timers_readable is for people who look with SQL.
const TABLES = `
CREATE TABLE timers (
${columnsWithKey('timers', SQL_TYPES, byAlignment)}
) WITH (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1, autovacuum_vacuum_cost_limit = 2000
);
CREATE UNIQUE INDEX timers_by_uuid ON timers (timer_uuid);
CREATE INDEX timers_by_namespace ON timers (timer_namespace, timer_created_at);
CREATE INDEX timers_by_due ON timers (row_type, timer_due_at, timer_uuid) WHERE timer_due_at IS NOT NULL;
CREATE INDEX timers_by_rare_status ON timers (timer_namespace, timer_status) WHERE timer_status IN (1, 2, 4, 5);
CREATE INDEX timers_of_cycles ON timers (timer_namespace, timer_created_at, timer_uuid) WHERE timer_kind > 0;
CREATE FUNCTION timer_metadata_json (p_metadata text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $function$
BEGIN
  RETURN p_metadata::jsonb;
EXCEPTION WHEN data_exception THEN
  RETURN regexp_replace(p_metadata, '\\\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\\\ufffd', 'g')::jsonb;
END
$function$;
CREATE INDEX timers_by_metadata ON timers USING gin (timer_metadata_json(timer_metadata))
  WITH (gin_pending_list_limit = 256) WHERE timer_metadata IS NOT NULL;

CREATE TABLE timer_counters (
${columnsWithKey('timer_counters', SQL_TYPES, byAlignment)}
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX timer_counts ON timer_counters (timer_namespace, counter_name) WHERE slot_at = -1;

CREATE TABLE timer_counter_log (
  counter_namespaces text[] NOT NULL,
  counter_slots bigint[] NOT NULL,
  counter_names text[] NOT NULL,
  counter_amounts bigint[] NOT NULL
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);

CREATE TABLE timer_nodes (
${columnsWithKey('timer_nodes', SQL_TYPES, byAlignment)}
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE timer_outbox (
  event_number bigint GENERATED ALWAYS AS IDENTITY,
${columnsOf('timer_outbox', SQL_TYPES, byAlignment)},
  PRIMARY KEY (shard_id, event_number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 1);

CREATE TABLE timer_store (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  schema_version integer NOT NULL,
  shards integer NOT NULL CHECK (shards BETWEEN 1 AND 4096),
  cluster_secret text NOT NULL,
  pinged_at timestamptz
) WITH (fillfactor = 50);

${readableView((at) => `to_timestamp(${at} / 1000.0)`, 'timer_payload', 'timer_uuid')};
`

export const MIGRATION_1 = `${TABLES}${COMMIT_FUNCTION}${BEAT_FUNCTION}`
