CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE timer_counters (
  timer_namespace TEXT NOT NULL,
  slot_at INTEGER NOT NULL,
  counter_name TEXT NOT NULL,
  counter_amount INTEGER NOT NULL,
  PRIMARY KEY (timer_namespace, slot_at, counter_name)
) STRICT, WITHOUT ROWID;

CREATE INDEX timer_counters_by_slot ON timer_counters (slot_at, timer_namespace);

CREATE TABLE timer_metadata (
  metadata_key TEXT NOT NULL,
  metadata_value TEXT NOT NULL,
  timer_namespace TEXT NOT NULL,
  timer_uuid BLOB NOT NULL,
  PRIMARY KEY (metadata_key, metadata_value, timer_namespace, timer_uuid)
) STRICT, WITHOUT ROWID;

CREATE TABLE timer_outbox (
  event_number INTEGER PRIMARY KEY AUTOINCREMENT,
  shard_id INTEGER NOT NULL,
  timer_uuid BLOB NOT NULL,
  timer_namespace TEXT NOT NULL,
  event_type TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_at INTEGER NOT NULL,
  event_body TEXT NOT NULL
) STRICT;

CREATE INDEX timer_outbox_by_shard ON timer_outbox (shard_id);

CREATE TABLE timer_payloads (payload_id INTEGER PRIMARY KEY, payload TEXT NOT NULL) STRICT;

CREATE TABLE timers (
  shard_id INTEGER NOT NULL,
  row_type INTEGER NOT NULL,
  timer_execute_at INTEGER NOT NULL,
  timer_uuid BLOB NOT NULL,
  timer_namespace TEXT,
  timer_id TEXT,
  timer_version INTEGER,
  timer_status INTEGER,
  timer_kind INTEGER,
  timer_due_at INTEGER,
  timer_created_at INTEGER,
  timer_tenant TEXT,
  timer_payload ANY,
  timer_metadata TEXT,
  timer_document TEXT,
  shard_epoch INTEGER,
  shard_owner TEXT
) STRICT;

CREATE INDEX timers_by_due ON timers (row_type, timer_due_at) WHERE timer_due_at IS NOT NULL;

CREATE INDEX timers_by_namespace ON timers (timer_namespace, timer_created_at);

CREATE INDEX timers_by_rare_status ON timers (timer_namespace, timer_status) WHERE timer_status <> 0 AND timer_status <> 3;

CREATE UNIQUE INDEX timers_by_uuid ON timers (timer_uuid);

CREATE INDEX timers_in_order ON timers (shard_id, row_type, timer_execute_at, timer_uuid);

CREATE INDEX timers_of_cycles ON timers (timer_namespace, timer_created_at) WHERE timer_kind > 0;

CREATE VIEW timers_readable AS
  SELECT timer_namespace AS namespace, timer_id AS id,
    CASE timer_status WHEN 0 THEN 'pending' WHEN 1 THEN 'paused' WHEN 2 THEN 'executing'
      WHEN 3 THEN 'completed' WHEN 4 THEN 'failed' ELSE 'canceled' END AS status,
    strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(timer_due_at, timer_execute_at) / 1000.0, 'unixepoch') AS due_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', timer_created_at / 1000.0, 'unixepoch') AS created_at,
    timer_version AS version, CASE typeof(timer_payload) WHEN 'integer' THEN (SELECT payload FROM timer_payloads WHERE payload_id = timer_payload) ELSE timer_payload END AS payload,
    timer_metadata AS metadata, timer_document AS document,
    shard_id AS shard, lower(hex(timer_uuid)) AS uuid
  FROM timers WHERE row_type > 1;
