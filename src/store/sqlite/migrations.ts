// The schema, as numbered steps that are never edited once released: a database remembers in user_version how
// many it has taken. schema.sql beside this file shows where they lead; a test compares the two.

import type { DatabaseSync } from 'node:sqlite'

/** 'Duet' in ASCII. Says in the file's header whose database this is; `file` and other tools show it. */
export const APPLICATION_ID = 0x44_75_65_74

const MIGRATIONS: readonly string[] = [
  // Shards and timers share one table, told apart by row_type (1 shard, 2 live timer, 3 finished timer), in the
  // order in which timers come due. timer_execute_at holds the wake time; see timer-row.ts for the other columns.
  // The hash of namespace and id is the unique key: 16 bytes instead of two texts.
  // timers_by_namespace is for listing small namespaces without reading the large ones. By creation time, new timers go
  // to its end; by wake time, each would touch a page of its own, which took a quarter of the write rate.
  `CREATE TABLE timers (
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
  CREATE UNIQUE INDEX timers_by_uuid ON timers (timer_uuid);
  CREATE INDEX timers_by_namespace ON timers (timer_namespace, timer_created_at);
  CREATE TABLE timer_counts (
    timer_namespace TEXT NOT NULL,
    timer_status INTEGER NOT NULL,
    timer_count INTEGER NOT NULL,
    PRIMARY KEY (timer_namespace, timer_status)
  ) STRICT, WITHOUT ROWID;`,
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** Brings an empty or older database to SCHEMA_VERSION, all steps or none; a newer one is the caller's to refuse. */
export function migrate(db: DatabaseSync): void {
  const from = schemaVersion(db)
  if (from >= SCHEMA_VERSION) return
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const step of MIGRATIONS.slice(from)) db.exec(step)
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

export function schemaVersion(db: DatabaseSync): number {
  return db.prepare('PRAGMA user_version').get()!['user_version'] as number
}

/** The schema as one text, for the snapshot. */
export function schemaText(db: DatabaseSync): string {
  const rows = db.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').all()
  return rows.map((row) => `${row['sql'] as string};\n`.replaceAll('\n    ', '\n  ').replace('\n  )', '\n)')).join('\n')
}
