CREATE TABLE timer_counter_log (
  counter_namespaces text[] NOT NULL,
  counter_slots bigint[] NOT NULL,
  counter_names text[] NOT NULL,
  counter_amounts bigint[] NOT NULL
) WITH (toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, vacuum_truncate=false);

CREATE TABLE timer_counters (
  slot_at bigint NOT NULL,
  counter_amount bigint NOT NULL,
  timer_namespace text COLLATE "C" NOT NULL,
  counter_name text COLLATE "C" NOT NULL,
  PRIMARY KEY (timer_namespace, slot_at, counter_name)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);

CREATE TABLE timer_nodes (
  node_beat bigint NOT NULL,
  node_clock_skew_ms bigint NOT NULL,
  node_beat_at bigint NOT NULL,
  node_leaving smallint NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  node_address text,
  node_labels text NOT NULL,
  PRIMARY KEY (node_id)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

CREATE TABLE timer_outbox (
  event_number bigint NOT NULL,
  event_at bigint NOT NULL,
  shard_id integer NOT NULL,
  timer_uuid uuid NOT NULL,
  timer_namespace text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_body text NOT NULL,
  PRIMARY KEY (shard_id, event_number)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=1);

CREATE TABLE timer_store (
  only_row boolean NOT NULL DEFAULT true,
  schema_version integer NOT NULL,
  shards integer NOT NULL,
  cluster_secret text NOT NULL,
  pinged_at timestamp with time zone,
  CHECK (only_row),
  PRIMARY KEY (only_row),
  CHECK (((shards >= 1) AND (shards <= 4096)))
) WITH (fillfactor=50);

CREATE TABLE timers (
  timer_execute_at bigint NOT NULL,
  timer_version bigint,
  timer_due_at bigint,
  timer_created_at bigint,
  shard_epoch bigint,
  shard_id integer NOT NULL,
  row_type smallint NOT NULL,
  timer_status smallint,
  timer_kind smallint,
  timer_uuid uuid NOT NULL,
  timer_namespace text COLLATE "C",
  timer_id text,
  timer_tenant text COLLATE "C",
  timer_payload text,
  timer_metadata text,
  timer_document text,
  shard_owner text,
  PRIMARY KEY (shard_id, row_type, timer_execute_at, timer_uuid)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_delay=1, autovacuum_vacuum_cost_limit=2000);

CREATE INDEX timer_counts ON timer_counters USING btree (timer_namespace, counter_name) WHERE (slot_at = '-1'::integer);

CREATE INDEX timers_by_due ON timers USING btree (row_type, timer_due_at, timer_uuid) WHERE (timer_due_at IS NOT NULL);

CREATE INDEX timers_by_metadata ON timers USING gin (timer_metadata_json(timer_metadata)) WITH (gin_pending_list_limit='256') WHERE (timer_metadata IS NOT NULL);

CREATE INDEX timers_by_namespace ON timers USING btree (timer_namespace, timer_created_at);

CREATE INDEX timers_by_rare_status ON timers USING btree (timer_namespace, timer_status) WHERE (timer_status = ANY (ARRAY[1, 2, 4, 5]));

CREATE UNIQUE INDEX timers_by_uuid ON timers USING btree (timer_uuid);

CREATE INDEX timers_of_cycles ON timers USING btree (timer_namespace, timer_created_at, timer_uuid) WHERE (timer_kind > 0);

CREATE OR REPLACE FUNCTION timer_metadata_json(p_metadata text)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
BEGIN
  RETURN p_metadata::jsonb;
EXCEPTION WHEN data_exception THEN
  RETURN regexp_replace(p_metadata, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g')::jsonb;
END
$function$;

CREATE OR REPLACE FUNCTION timers_beat_1(p_node text, p_address text, p_leaving integer, p_labels text, p_beat bigint, p_now bigint, p_kept_ms bigint)
 RETURNS TABLE(skew_ms bigint, nodes text, shards text)
 LANGUAGE plpgsql
AS $function$
DECLARE
  store_now bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  INSERT INTO timer_nodes (node_id, node_address, node_leaving, node_labels, node_beat, node_clock_skew_ms, node_beat_at)
  VALUES (p_node, p_address, p_leaving, p_labels, p_beat, p_now - store_now, store_now)
  ON CONFLICT (node_id) DO UPDATE SET node_address = excluded.node_address, node_leaving = excluded.node_leaving, node_labels = excluded.node_labels, node_beat = excluded.node_beat, node_clock_skew_ms = excluded.node_clock_skew_ms, node_beat_at = excluded.node_beat_at;

  DELETE FROM timer_nodes WHERE node_id IN (
    SELECT node_id FROM timer_nodes
    WHERE node_beat_at < store_now - p_kept_ms AND node_id <> p_node
      AND NOT EXISTS (SELECT FROM timers WHERE timer_namespace IS NULL AND row_type = 1 AND shard_owner = node_id)
    FOR UPDATE SKIP LOCKED
  );

  RETURN QUERY SELECT
    p_now - store_now,
    (
      SELECT json_agg(json_build_array(node_id, node_address, node_leaving, node_labels, node_beat, node_clock_skew_ms))
      FROM timer_nodes WHERE node_id <> p_node
    )::text,
    (
      SELECT json_agg(json_build_array(shard_id, shard_epoch, shard_owner) ORDER BY shard_id)
      FROM timers WHERE timer_namespace IS NULL AND row_type = 1
    )::text;
END
$function$;

CREATE OR REPLACE FUNCTION timers_commit_1(p_shard integer[], p_epoch bigint[], p_owner text[], p_part integer[], p_expected bigint[], p_keeps smallint[], p_row_type smallint[], p_timer_execute_at bigint[], p_timer_uuid uuid[], p_timer_namespace text[], p_timer_id text[], p_timer_version bigint[], p_timer_status smallint[], p_timer_kind smallint[], p_timer_due_at bigint[], p_timer_created_at bigint[], p_timer_tenant text[], p_timer_payload text[], p_timer_metadata text[], p_timer_document text[], p_deleted_part integer[], p_deleted_uuid uuid[], p_deleted_version bigint[], p_counter_namespace text[], p_counter_slot bigint[], p_counter_name text[], p_counter_amount bigint[], p_share_part integer[], p_share_counter integer[], p_share_amount bigint[], p_event_part integer[], p_event_timer_uuid uuid[], p_event_timer_namespace text[], p_event_event_type text[], p_event_event_id text[], p_event_event_at bigint[], p_event_event_body text[])
 RETURNS TABLE(part integer, missed uuid, existing json)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  locked_shards integer[];
  locked_epochs bigint[];
  locked_owners text[];
  writable integer[];
  missed_parts integer[] := '{}';
  all_writable boolean;
  written bigint;
  miss record;
  there timers;
BEGIN
  SELECT array_agg(shard_id), array_agg(shard_epoch), array_agg(shard_owner) INTO locked_shards, locked_epochs, locked_owners
  FROM (
    SELECT shard_id, shard_epoch, shard_owner FROM timers
    WHERE shard_id = ANY (p_shard) AND row_type = 1
    ORDER BY shard_id
    FOR NO KEY UPDATE
  ) AS shard;

  -- Parts come in the order of their shards.
  all_writable := coalesce(locked_shards = p_shard AND locked_epochs = p_epoch AND locked_owners = p_owner, false);
  IF NOT all_writable THEN
    SELECT coalesce(array_agg(one), '{}') INTO writable
    FROM generate_subscripts(p_shard, 1) AS one
    WHERE locked_epochs[array_position(locked_shards, p_shard[one])] = p_epoch[one]
      AND locked_owners[array_position(locked_shards, p_shard[one])] = p_owner[one];
    RETURN QUERY
    SELECT one, NULL::uuid, NULL::json FROM generate_subscripts(p_shard, 1) AS one WHERE one <> ALL (writable);
  END IF;

  FOR attempt IN CASE WHEN all_writable THEN 1 ELSE 2 END .. 2 LOOP
    IF attempt = 2 THEN
      writable := coalesce(writable, ARRAY(SELECT generate_subscripts(p_shard, 1)));
      FOR miss IN
        SELECT given.part, given.uuid, there
        FROM (
          SELECT part, uuid, version, coalesce(put.timer_namespace, p_timer_namespace[1]) AS namespace, id
          FROM unnest(p_part, p_timer_uuid, p_expected, p_timer_namespace, p_timer_id) AS put (part, uuid, version, timer_namespace, id)
          UNION ALL
          SELECT *, NULL, NULL FROM unnest(p_deleted_part, p_deleted_uuid, p_deleted_version) AS deleted (part, uuid, version)
        ) AS given
        LEFT JOIN timers AS there ON there.timer_uuid = given.uuid
        WHERE given.part = ANY (writable) AND (
          there.timer_version IS DISTINCT FROM given.version OR there.shard_id <> p_shard[given.part]
          OR there.timer_id <> given.id OR there.timer_namespace <> given.namespace
        )
      LOOP
        there := miss.there;
        part := miss.part;
        missed := miss.uuid;
        existing := CASE WHEN there.timer_uuid IS NOT NULL THEN json_build_array(
          there.row_type, there.timer_execute_at, translate(there.timer_uuid::text, '-', ''), there.timer_namespace, there.timer_id, there.timer_version, there.timer_status, there.timer_kind, there.timer_due_at, there.timer_created_at, there.timer_tenant, there.timer_payload, there.timer_metadata, there.timer_document
        ) END;
        missed_parts := missed_parts || part;
        RETURN NEXT;
      END LOOP;
      SELECT coalesce(array_agg(one), '{}') INTO writable FROM unnest(writable) AS one WHERE one <> ALL (missed_parts);
      all_writable := cardinality(writable) = cardinality(p_shard);
    END IF;

    BEGIN
      IF p_expected IS NULL OR array_position(p_expected, NULL) IS NOT NULL THEN
        INSERT INTO timers (shard_id, row_type, timer_execute_at, timer_uuid, timer_namespace, timer_id, timer_version, timer_status, timer_kind, timer_due_at, timer_created_at, timer_tenant, timer_payload, timer_metadata, timer_document)
        SELECT p_shard[part], coalesce(put.row_type, p_row_type[1]), put.timer_execute_at, put.timer_uuid, coalesce(put.timer_namespace, p_timer_namespace[1]), put.timer_id, coalesce(put.timer_version, p_timer_version[1]), coalesce(put.timer_status, p_timer_status[1]), coalesce(put.timer_kind, p_timer_kind[1]), put.timer_due_at, coalesce(put.timer_created_at, p_timer_created_at[1]), put.timer_tenant, put.timer_payload, put.timer_metadata, coalesce(put.timer_document, p_timer_document[1])
        FROM unnest(p_part, p_expected, p_keeps, p_row_type, p_timer_execute_at, p_timer_uuid, p_timer_namespace, p_timer_id, p_timer_version, p_timer_status, p_timer_kind, p_timer_due_at, p_timer_created_at, p_timer_tenant, p_timer_payload, p_timer_metadata, p_timer_document) AS put (part, expected, keeps, row_type, timer_execute_at, timer_uuid, timer_namespace, timer_id, timer_version, timer_status, timer_kind, timer_due_at, timer_created_at, timer_tenant, timer_payload, timer_metadata, timer_document)
        WHERE expected IS NULL AND (all_writable OR part = ANY (writable));
      END IF;

      IF p_expected IS NOT NULL THEN
        UPDATE timers SET
          row_type = coalesce(put.row_type, p_row_type[1]),
          timer_execute_at = put.timer_execute_at,
          timer_version = coalesce(put.timer_version, p_timer_version[1]),
          timer_status = coalesce(put.timer_status, p_timer_status[1]),
          timer_kind = coalesce(put.timer_kind, p_timer_kind[1]),
          timer_due_at = put.timer_due_at,
          timer_created_at = coalesce(put.timer_created_at, p_timer_created_at[1]),
          timer_tenant = put.timer_tenant,
          timer_payload = CASE keeps WHEN 1 THEN timers.timer_payload ELSE put.timer_payload END,
          timer_metadata = put.timer_metadata,
          timer_document = coalesce(put.timer_document, p_timer_document[1])
        FROM unnest(p_part, p_expected, p_keeps, p_row_type, p_timer_execute_at, p_timer_uuid, p_timer_namespace, p_timer_id, p_timer_version, p_timer_status, p_timer_kind, p_timer_due_at, p_timer_created_at, p_timer_tenant, p_timer_payload, p_timer_metadata, p_timer_document) AS put (part, expected, keeps, row_type, timer_execute_at, timer_uuid, timer_namespace, timer_id, timer_version, timer_status, timer_kind, timer_due_at, timer_created_at, timer_tenant, timer_payload, timer_metadata, timer_document)
        WHERE timers.timer_uuid = put.timer_uuid AND (all_writable OR put.part = ANY (writable))
          AND timers.timer_version = put.expected AND timers.timer_id = put.timer_id
          AND timers.timer_namespace IS NOT DISTINCT FROM coalesce(put.timer_namespace, p_timer_namespace[1])
          AND timers.shard_id IS NOT DISTINCT FROM p_shard[put.part];
        GET DIAGNOSTICS written = ROW_COUNT;
        IF attempt = 1 AND written < cardinality(array_remove(p_expected, NULL)) THEN
          RAISE SQLSTATE 'DT002';
        END IF;
      END IF;

      IF p_deleted_part IS NOT NULL THEN
        DELETE FROM timers USING unnest(p_deleted_part, p_deleted_uuid, p_deleted_version) AS deleted (deleted_part, deleted_uuid, deleted_version)
        WHERE timers.timer_uuid = deleted_uuid AND (all_writable OR deleted_part = ANY (writable))
          AND timers.timer_version = deleted_version AND timers.shard_id IS NOT DISTINCT FROM p_shard[deleted_part];
        GET DIAGNOSTICS written = ROW_COUNT;
        IF attempt = 1 AND written < cardinality(p_deleted_uuid) THEN
          RAISE SQLSTATE 'DT002';
        END IF;
      END IF;
      EXIT;
    EXCEPTION WHEN unique_violation OR SQLSTATE 'DT002' THEN
      IF attempt = 2 THEN
        RAISE;
      END IF;
    END;
  END LOOP;

  IF p_counter_name IS NOT NULL AND all_writable THEN
    INSERT INTO timer_counter_log (counter_namespaces, counter_slots, counter_names, counter_amounts)
    VALUES (p_counter_namespace, p_counter_slot, p_counter_name, p_counter_amount);
  ELSIF p_share_part IS NOT NULL THEN
    INSERT INTO timer_counter_log (counter_namespaces, counter_slots, counter_names, counter_amounts)
    SELECT array_agg(p_counter_namespace[counter]), array_agg(p_counter_slot[counter]), array_agg(p_counter_name[counter]), array_agg(amount)
    FROM (
      SELECT share_counter, sum(share_amount)::bigint FROM unnest(p_share_part, p_share_counter, p_share_amount) AS share (share_part, share_counter, share_amount)
      WHERE share_part = ANY (writable) GROUP BY share_counter
    ) AS counted (counter, amount)
    HAVING count(*) > 0;
  END IF;

  IF p_event_part IS NOT NULL THEN
    INSERT INTO timer_outbox (shard_id, timer_uuid, timer_namespace, event_type, event_id, event_at, event_body)
    SELECT p_shard[event_part], timer_uuid, timer_namespace, event_type, event_id, event_at, event_body
    FROM unnest(p_event_part, p_event_timer_uuid, p_event_timer_namespace, p_event_event_type, p_event_event_id, p_event_event_at, p_event_event_body) WITH ORDINALITY AS event (event_part, timer_uuid, timer_namespace, event_type, event_id, event_at, event_body, place)
    WHERE all_writable OR event_part = ANY (writable)
    ORDER BY place;
  END IF;
END
$function$;
