CREATE TABLE timer_counts (
  timer_namespace TEXT NOT NULL,
  timer_status INTEGER NOT NULL,
  timer_count INTEGER NOT NULL,
  PRIMARY KEY (timer_namespace, timer_status)
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
  timer_payload TEXT,
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
  timer_correlation_id TEXT,
  shard_epoch INTEGER,
  shard_owner TEXT,
  PRIMARY KEY (shard_id, row_type, timer_execute_at, timer_uuid)
) STRICT, WITHOUT ROWID;

CREATE INDEX timers_by_namespace ON timers (timer_namespace, timer_created_at);

CREATE UNIQUE INDEX timers_by_uuid ON timers (timer_uuid);
