// The first schema. Never edited once released: a later change is a new step in migrations.ts.

// Shards and timers share one table, told apart by row_type (1 shard, 2 live timer, 3 finished timer), keyed in the
// order in which timers come due; timer_execute_at holds the wake time, see timer-row.ts for the other columns.
// Columns stand in the order of their alignment, which saves 20 bytes a row; uuid compares by bytes, as the order asks.
// The hash of namespace and id is the unique key: 16 bytes instead of two texts. timers_by_namespace lets a small
// namespace be listed without reading the large ones, and finds the rows of shards, which have no namespace. A due time
// is there only where it is not the wake time, so pages by due time merge two indexes. The others hold few rows.
//
// JSON that jsonb cannot hold (an escaped NUL, half a surrogate pair) is legal in a timer's metadata: such escapes are
// searched as a replacement character.
//
// Every timer is written, rewritten and deleted, so dead rows are swept when 1 % have died instead of 20 %; room is
// left in the pages for changes that move no key. What is written all the time, counters and beats, has half its
// pages empty: there a change reuses the row's own page.
//
// timer_tally_log holds what commits have counted and nobody has added to timer_counts and timer_tallies yet. Its rows are
// not compressed and moved out at 2 kB, as they would be by default: they are read once, soon, and deleted. Its empty end
// is not given back, since that takes a lock that every commit would wait for.
const TABLES = `
CREATE TABLE timers (
  timer_execute_at bigint NOT NULL,
  timer_created_at bigint,
  timer_version bigint,
  timer_due_at bigint,
  timer_updated_at bigint,
  timer_executed_at bigint,
  timer_finished_at bigint,
  shard_epoch bigint,
  shard_id integer NOT NULL,
  timer_firing integer,
  timer_attempts integer,
  timer_callback_timeout_ms integer,
  row_type smallint NOT NULL,
  timer_status smallint,
  timer_target_type smallint,
  timer_kind smallint,
  timer_uuid uuid NOT NULL,
  timer_namespace text COLLATE "C",
  timer_id text,
  timer_protocol text,
  timer_target_address text,
  timer_target_options text,
  timer_payload text,
  timer_metadata text,
  timer_retry_policy text,
  timer_progress text,
  timer_schedule text,
  timer_cycle text,
  timer_traceparent text,
  timer_message text,
  timer_fingerprint text,
  timer_tenant text,
  shard_owner text,
  PRIMARY KEY (shard_id, row_type, timer_execute_at, timer_uuid)
) WITH (
  fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1, autovacuum_vacuum_cost_limit = 2000
);
CREATE UNIQUE INDEX timers_by_uuid ON timers (timer_uuid);
CREATE INDEX timers_by_namespace ON timers (timer_namespace, row_type, timer_execute_at, timer_uuid);
CREATE INDEX timers_by_creation ON timers (timer_namespace, timer_created_at, timer_uuid);
CREATE INDEX timers_by_due ON timers (timer_namespace, timer_due_at, timer_uuid) WHERE timer_due_at IS NOT NULL;
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

CREATE TABLE timer_counts (
  timer_namespace text COLLATE "C" NOT NULL,
  timer_status smallint NOT NULL,
  timer_kind smallint NOT NULL,
  timer_count bigint NOT NULL,
  PRIMARY KEY (timer_namespace, timer_status, timer_kind)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE timer_tallies (
  timer_namespace text COLLATE "C" NOT NULL,
  slot_at bigint NOT NULL,
  tally_name text COLLATE "C" NOT NULL,
  tally_amount bigint NOT NULL,
  PRIMARY KEY (timer_namespace, slot_at, tally_name)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE timer_tally_log (
  sum_namespaces text[] NOT NULL,
  sum_slots bigint[] NOT NULL,
  sum_names text[] NOT NULL,
  sum_amounts bigint[] NOT NULL
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);

CREATE TABLE timer_nodes (
  node_id text PRIMARY KEY,
  node_address text,
  node_leaving boolean NOT NULL,
  node_beat bigint NOT NULL,
  node_beat_at bigint NOT NULL,
  node_clock_skew_ms bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE timer_store (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  schema_version integer NOT NULL,
  shards integer NOT NULL CHECK (shards BETWEEN 1 AND 4096),
  cluster_secret text NOT NULL,
  pinged_at timestamptz
) WITH (fillfactor = 50);
`

const PUTS = `unnest(
          p_part, p_round, p_expected_version, p_kind,
          p_row_type, p_execute_at, p_uuid, p_namespace, p_id, p_version, p_status, p_due_at, p_protocol,
          p_target_type, p_target_address, p_target_options, p_payload, p_metadata, p_retry_policy,
          p_callback_timeout_ms, p_created_at, p_updated_at, p_executed_at, p_finished_at, p_firing, p_attempts,
          p_progress, p_schedule, p_cycle, p_traceparent, p_message, p_fingerprint, p_tenant
        ) AS put (
          part, round, expected_version, kind,
          row_type, execute_at, uuid, namespace, id, version, status, due_at, protocol,
          target_type, target_address, target_options, payload, metadata, retry_policy,
          callback_timeout_ms, created_at, updated_at, executed_at, finished_at, firing, attempts,
          progress, schedule, cycle, traceparent, message, fingerprint, tenant
        )`

// A commit in one round trip. A function rather than one statement, because each statement in it sees what was
// committed before that statement: the rows in the way of a put are read after the put has waited for them.
//
// The fence: every shard's row is locked, in the order of the shards so that two commits cannot lock each other out,
// and its epoch and owner are read under the lock. A claim that came first is waited for and then seen; one that comes later
// waits until this commit is over. The lock excludes other commits too: one whose connection was lost and that the
// server is still busy with ends before its repetition is judged; one that it has not begun is ended with its session
// (connections.ts).
//
// Under that lock nobody else inserts a timer of the shard, and a uuid belongs to one shard: looking whether it is there is
// enough. ON CONFLICT would cost a second look and a record in the log for every row. It is a subquery for each row, and not
// NOT EXISTS, so that it goes by the uuid, too, whatever the table looked like when the plan was made.
//
// IS NOT DISTINCT FROM keeps the planner, which may have seen only an empty table, from looking for a timer by its
// namespace: it must go by the uuid.
//
// Puts on one uuid must be applied in order, so the n-th one of each uuid goes into round n; there is hardly ever
// more than one. Returned are the fenced parts and the puts that missed, numbered from 1, with the cells of the row in the
// way as JSON, in the order of TIMER_COLUMNS: a column for each would have to be described with every answer.
//
// Inserts and updates are statements of their own, so that a commit of one kind does not pay for the other.
//
// Counts and tallies come added up, as if every put were written, and once more by put: from those, what was not written is
// taken off. They are kept as one row of arrays; adding them to dozens of rows here would be a third of a commit. See
// tally-log.ts.
const COMMIT = `
CREATE FUNCTION timers_commit_1 (
  p_shards integer[],
  p_epochs bigint[],
  p_owners text[],
  p_rounds integer,
  p_part integer[],
  p_round integer[],
  p_expected_version bigint[],
  p_kind smallint[],
  p_row_type smallint[],
  p_execute_at bigint[],
  p_uuid uuid[],
  p_namespace text[],
  p_id text[],
  p_version bigint[],
  p_status smallint[],
  p_due_at bigint[],
  p_protocol text[],
  p_target_type smallint[],
  p_target_address text[],
  p_target_options text[],
  p_payload text[],
  p_metadata text[],
  p_retry_policy text[],
  p_callback_timeout_ms integer[],
  p_created_at bigint[],
  p_updated_at bigint[],
  p_executed_at bigint[],
  p_finished_at bigint[],
  p_firing integer[],
  p_attempts integer[],
  p_progress text[],
  p_schedule text[],
  p_cycle text[],
  p_traceparent text[],
  p_message text[],
  p_fingerprint text[],
  p_tenant text[],
  p_sum_namespace text[],
  p_sum_slot bigint[],
  p_sum_name text[],
  p_sum_amount bigint[],
  p_tally_put integer[],
  p_tally_sum integer[],
  p_tally_amount bigint[]
) RETURNS TABLE (fenced_part integer, missed_put integer, existing json)
LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  locked_shards integer[];
  locked_epochs bigint[];
  locked_owners text[];
  current_parts integer[];
  all_current boolean;
  has_inserts boolean;
  written uuid[];
  miss record;
  there timers;
  missed integer[];
  reduced integer[];
  reductions bigint[];
BEGIN
  SELECT array_agg(shard_id), array_agg(shard_epoch), array_agg(shard_owner) INTO locked_shards, locked_epochs, locked_owners
  FROM (
    SELECT shard_id, shard_epoch, shard_owner FROM timers
    WHERE shard_id = ANY (p_shards) AND row_type = 1
    ORDER BY shard_id
    FOR NO KEY UPDATE
  ) AS shard;

  SELECT coalesce(array_agg(part), '{}') INTO current_parts
  FROM generate_subscripts(p_shards, 1) AS part
  CROSS JOIN LATERAL (SELECT array_position(locked_shards, p_shards[part]) AS place) AS locked
  WHERE locked_epochs[place] = p_epochs[part] AND locked_owners[place] = p_owners[part];

  all_current := cardinality(current_parts) = cardinality(p_shards);
  IF NOT all_current THEN
    RETURN QUERY
    SELECT part, NULL::integer, NULL::json FROM generate_subscripts(p_shards, 1) AS part WHERE part <> ALL (current_parts);
  END IF;

  has_inserts := p_expected_version IS NULL OR array_position(p_expected_version, NULL) IS NOT NULL;

  FOR current_round IN 1 .. p_rounds LOOP
    written := '{}';

    IF has_inserts THEN
      WITH inserted AS (
        INSERT INTO timers (
          shard_id, row_type, timer_execute_at, timer_uuid, timer_namespace, timer_id, timer_version, timer_status,
          timer_due_at, timer_protocol, timer_target_type, timer_target_address, timer_target_options, timer_payload,
          timer_metadata, timer_retry_policy, timer_callback_timeout_ms, timer_created_at, timer_updated_at,
          timer_executed_at, timer_finished_at, timer_firing, timer_attempts, timer_progress, timer_schedule,
          timer_cycle, timer_traceparent, timer_message, timer_fingerprint, timer_tenant, timer_kind
        )
        SELECT
          p_shards[part], row_type, execute_at, uuid, namespace, id, version, status,
          due_at, protocol, target_type, target_address, target_options, payload,
          metadata, retry_policy, callback_timeout_ms, created_at, updated_at,
          executed_at, finished_at, firing, attempts, progress, schedule,
          cycle, traceparent, message, fingerprint, tenant, nullif(kind, 0)
        FROM ${PUTS}
        WHERE expected_version IS NULL
          AND (all_current OR part = ANY (current_parts)) AND (p_rounds = 1 OR round = current_round)
          AND (SELECT true FROM timers WHERE timer_uuid = put.uuid) IS NULL
        RETURNING timer_uuid
      )
      SELECT coalesce(array_agg(timer_uuid), '{}') INTO written FROM inserted;
    END IF;

    IF p_expected_version IS NOT NULL THEN
      WITH updated AS (
        UPDATE timers SET
          row_type = put.row_type,
          timer_execute_at = put.execute_at,
          timer_version = put.version,
          timer_status = put.status,
          timer_due_at = put.due_at,
          timer_protocol = put.protocol,
          timer_target_type = put.target_type,
          timer_target_address = put.target_address,
          timer_target_options = put.target_options,
          timer_payload = put.payload,
          timer_metadata = put.metadata,
          timer_retry_policy = put.retry_policy,
          timer_callback_timeout_ms = put.callback_timeout_ms,
          timer_created_at = put.created_at,
          timer_updated_at = put.updated_at,
          timer_executed_at = put.executed_at,
          timer_finished_at = put.finished_at,
          timer_firing = put.firing,
          timer_attempts = put.attempts,
          timer_progress = put.progress,
          timer_schedule = put.schedule,
          timer_cycle = put.cycle,
          timer_traceparent = put.traceparent,
          timer_message = put.message,
          timer_fingerprint = put.fingerprint,
          timer_tenant = put.tenant,
          timer_kind = nullif(put.kind, 0)
        FROM ${PUTS}
        WHERE put.expected_version IS NOT NULL
          AND (all_current OR put.part = ANY (current_parts)) AND (p_rounds = 1 OR put.round = current_round)
          AND timers.timer_uuid = put.uuid AND timers.timer_version = put.expected_version
          AND (timers.shard_id, timers.timer_namespace, timers.timer_id) IS NOT DISTINCT FROM (p_shards[put.part], put.namespace, put.id)
        RETURNING put.uuid
      )
      SELECT written || coalesce(array_agg(uuid), '{}') INTO written FROM updated;
    END IF;

    IF p_rounds > 1 OR NOT all_current OR cardinality(written) < cardinality(p_uuid) THEN
      FOR miss IN
        SELECT put.number, put.uuid, put.namespace, put.id, there
        FROM unnest(p_part, p_round, p_uuid, p_namespace, p_id) WITH ORDINALITY AS put (part, round, uuid, namespace, id, number)
        LEFT JOIN timers AS there ON there.timer_uuid = put.uuid
        WHERE (all_current OR put.part = ANY (current_parts)) AND (p_rounds = 1 OR put.round = current_round)
          AND put.uuid NOT IN (SELECT unnest(written))
      LOOP
        there := miss.there;
        IF there.timer_namespace <> miss.namespace OR there.timer_id <> miss.id THEN
          RAISE EXCEPTION 'timers %/% and %/% have the same uuid %: rename one',
            there.timer_namespace, there.timer_id, miss.namespace, miss.id, miss.uuid USING ERRCODE = 'DT001';
        END IF;
        fenced_part := NULL;
        missed_put := miss.number;
        existing := CASE WHEN there.timer_uuid IS NOT NULL THEN json_build_array(
          there.row_type, there.timer_execute_at, translate(there.timer_uuid::text, '-', ''), there.timer_namespace, there.timer_id,
          there.timer_version, there.timer_status, there.timer_due_at, there.timer_protocol, there.timer_target_type,
          there.timer_target_address, there.timer_target_options, there.timer_payload, there.timer_metadata,
          there.timer_retry_policy, there.timer_callback_timeout_ms, there.timer_created_at, there.timer_updated_at,
          there.timer_executed_at, there.timer_finished_at, there.timer_firing, there.timer_attempts, there.timer_progress,
          there.timer_schedule, there.timer_cycle, there.timer_traceparent, there.timer_message,
          there.timer_fingerprint, there.timer_tenant
        ) END;
        missed := missed || missed_put;
        RETURN NEXT;
      END LOOP;
    END IF;
  END LOOP;

  IF p_sum_name IS NOT NULL AND missed IS NULL AND all_current THEN
    INSERT INTO timer_tally_log (sum_namespaces, sum_slots, sum_names, sum_amounts)
    VALUES (p_sum_namespace, p_sum_slot, p_sum_name, p_sum_amount);
  ELSIF p_sum_name IS NOT NULL THEN
    SELECT array_agg(sum_number), array_agg(amount) INTO reduced, reductions
    FROM (
      SELECT sum_number, sum(amount)::bigint AS amount
      FROM unnest(p_tally_put, p_tally_sum, p_tally_amount) AS tally (put, sum_number, amount)
      WHERE put IN (SELECT unnest(missed)) OR p_part[put] <> ALL (current_parts)
      GROUP BY sum_number
    ) AS unwritten;
    INSERT INTO timer_tally_log (sum_namespaces, sum_slots, sum_names, sum_amounts)
    SELECT array_agg(namespace), array_agg(slot), array_agg(name), array_agg(kept)
    FROM (
      SELECT namespace, slot, name, amount - coalesce(reductions[array_position(reduced, number::integer)], 0) AS kept
      FROM unnest(p_sum_namespace, p_sum_slot, p_sum_name, p_sum_amount) WITH ORDINALITY AS one (namespace, slot, name, amount, number)
    ) AS sums
    WHERE kept <> 0 HAVING count(*) > 0;
  END IF;
END
$function$;
`

// A beat in one round trip. A function for the same reason as a commit: a claim of this node's shards that holds on to the
// node's row is waited for by the first statement, and its outcome is seen by the last one, in which a node reads that it
// still owns its shards. The list of nodes has all but the one that asks, which the caller adds. Lists come as JSON:
// thousands of shards are parsed in a fraction of the time that as many rows would take.
//
// The time of a beat is for people, and for removing the rows of nodes that are long gone; nobody is taken for dead by it.
const BEAT = `
CREATE FUNCTION timers_beat_1 (p_node text, p_address text, p_leaving boolean, p_beat bigint, p_now bigint, p_kept_ms bigint)
RETURNS TABLE (skew_ms bigint, nodes text, shards text)
LANGUAGE plpgsql AS $function$
DECLARE
  store_now bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  INSERT INTO timer_nodes (node_id, node_address, node_leaving, node_beat, node_beat_at, node_clock_skew_ms)
  VALUES (p_node, p_address, p_leaving, p_beat, store_now, p_now - store_now)
  ON CONFLICT (node_id) DO UPDATE SET
    node_address = excluded.node_address, node_leaving = excluded.node_leaving, node_beat = excluded.node_beat,
    node_beat_at = excluded.node_beat_at, node_clock_skew_ms = excluded.node_clock_skew_ms;

  DELETE FROM timer_nodes WHERE node_id IN (
    SELECT node_id FROM timer_nodes
    WHERE node_beat_at < store_now - p_kept_ms AND node_id <> p_node
      AND NOT EXISTS (SELECT FROM timers WHERE timer_namespace IS NULL AND row_type = 1 AND shard_owner = node_id)
    FOR UPDATE SKIP LOCKED
  );

  RETURN QUERY SELECT
    p_now - store_now,
    (
      SELECT json_agg(json_build_array(node_id, node_address, node_leaving, node_beat, node_clock_skew_ms))
      FROM timer_nodes WHERE node_id <> p_node
    )::text,
    (
      SELECT json_agg(json_build_array(shard_id, shard_epoch, shard_owner) ORDER BY shard_id)
      FROM timers WHERE timer_namespace IS NULL AND row_type = 1
    )::text;
END
$function$;
`

export const MIGRATION_1 = `${TABLES}${COMMIT}${BEAT}`
