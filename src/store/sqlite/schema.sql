CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE timer_counts (
  timer_namespace TEXT NOT NULL,
  timer_status INTEGER NOT NULL,
  timer_kind INTEGER NOT NULL,
  timer_count INTEGER NOT NULL,
  PRIMARY KEY (timer_namespace, timer_status, timer_kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE timer_metadata (
  metadata_key TEXT NOT NULL,
  metadata_value ANY NOT NULL,
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

CREATE TABLE timer_tallies (
  timer_namespace TEXT NOT NULL,
  slot_at INTEGER NOT NULL,
  tally_name TEXT NOT NULL,
  tally_amount INTEGER NOT NULL,
  PRIMARY KEY (timer_namespace, slot_at, tally_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE timers (
  shard_id INTEGER NOT NULL,
  row_type INTEGER NOT NULL,
  timer_execute_at INTEGER NOT NULL,
  timer_uuid BLOB NOT NULL,
  timer_namespace TEXT,
  timer_id TEXT,
  timer_version INTEGER,
  timer_status INTEGER,
  timer_due_at INTEGER,
  timer_protocol TEXT,
  timer_target_type INTEGER,
  timer_target_address TEXT,
  timer_target_options TEXT,
  timer_metadata TEXT,
  timer_retry_policy TEXT,
  timer_callback_timeout_ms INTEGER,
  timer_created_at INTEGER,
  timer_updated_at INTEGER,
  timer_executed_at INTEGER,
  timer_finished_at INTEGER,
  timer_firing INTEGER,
  timer_attempts INTEGER,
  timer_progress TEXT,
  timer_schedule TEXT,
  timer_cycle TEXT,
  timer_traceparent TEXT,
  timer_message TEXT,
  timer_fingerprint TEXT,
  timer_tenant TEXT,
  shard_epoch INTEGER,
  shard_owner TEXT,
  timer_payload TEXT,
  PRIMARY KEY (shard_id, row_type, timer_execute_at, timer_uuid)
) STRICT, WITHOUT ROWID;

CREATE INDEX timers_by_due ON timers (row_type, timer_due_at) WHERE timer_due_at IS NOT NULL;

CREATE INDEX timers_by_namespace ON timers (timer_namespace, timer_created_at);

CREATE INDEX timers_by_rare_status ON timers (timer_namespace, timer_status) WHERE timer_status <> 0 AND timer_status <> 3;

CREATE UNIQUE INDEX timers_by_uuid ON timers (timer_uuid);

CREATE INDEX timers_of_cycles ON timers (timer_namespace, timer_created_at) WHERE timer_cycle IS NOT NULL;
