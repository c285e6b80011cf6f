// The schema, as numbered steps that are never edited once released: a database remembers in user_version how
// many it has taken. schema.sql beside this file shows where they lead; a test compares the two.

import type { DatabaseSync } from 'node:sqlite'

/** 'Duet' in ASCII. Says in the file's header whose database this is; `file` and other tools show it. */
export const APPLICATION_ID = 0x44_75_65_74

const KIND_SQL = `CASE WHEN json_extract(timer_cycle, '$.anchorAt') IS NULL THEN 0 WHEN timer_schedule GLOB 'R/*' THEN 2 ELSE 1 END`

const MIGRATIONS: readonly string[] = [
  // Shards and timers share one table, told apart by row_type (1 shard, 2 live timer, 3 finished timer), in the
  // order in which timers come due. timer_execute_at holds the wake time; see timer-row.ts for the other columns.
  // The hash of namespace and id is the unique key: 16 bytes instead of two texts. The payload is the last column: what
  // stands behind a large one is only found by going through all its pages.
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
  CREATE UNIQUE INDEX timers_by_uuid ON timers (timer_uuid);
  CREATE INDEX timers_by_namespace ON timers (timer_namespace, timer_created_at);
  CREATE TABLE timer_counts (
    timer_namespace TEXT NOT NULL,
    timer_status INTEGER NOT NULL,
    timer_count INTEGER NOT NULL,
    PRIMARY KEY (timer_namespace, timer_status)
  ) STRICT, WITHOUT ROWID;`,

  // For lists by page and for statistics. New timers, which are pending one-shots as a rule, are in none of the new
  // indexes, so that creating one costs what it did before:
  // - timers_by_due holds the rows whose due time is not their place in the order: finished ones (which come due about
  //   when they finish, so they go to the index's end), paused ones and those that wait for a retry.
  // - timers_by_rare_status finds the few paused, executing, failed and canceled ones among the many others.
  // - timers_of_cycles is timers_by_namespace for cycles, and one-shots in a time zone.
  // timer_metadata has a row for each entry of a timer's metadata; see metadata-entries.ts. Triggers would keep it, too, but
  // an insert would take a quarter longer even for timers that have none.
  `DROP TABLE timer_counts;
  CREATE TABLE timer_counts (
    timer_namespace TEXT NOT NULL,
    timer_status INTEGER NOT NULL,
    timer_kind INTEGER NOT NULL,
    timer_count INTEGER NOT NULL,
    PRIMARY KEY (timer_namespace, timer_status, timer_kind)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO timer_counts
    SELECT timer_namespace, timer_status, ${KIND_SQL} AS kind, count(*) FROM timers
    WHERE timer_namespace IS NOT NULL GROUP BY timer_namespace, timer_status, kind;
  CREATE TABLE timer_tallies (
    timer_namespace TEXT NOT NULL,
    slot_at INTEGER NOT NULL,
    tally_name TEXT NOT NULL,
    tally_amount INTEGER NOT NULL,
    PRIMARY KEY (timer_namespace, slot_at, tally_name)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO timer_tallies
    SELECT timer_namespace, 0, CASE WHEN timer_execute_at - coalesce(timer_updated_at, timer_created_at) <= 172800000
      THEN 'wake.h.' || (timer_execute_at / 3600000) ELSE 'wake.d.' || (timer_execute_at / 86400000) END AS name, count(*)
    FROM timers WHERE row_type = 2 AND timer_status <> 1 GROUP BY timer_namespace, name;
  UPDATE timers SET timer_due_at = timer_execute_at WHERE row_type = 3 AND timer_due_at IS NULL;
  CREATE INDEX timers_by_due ON timers (row_type, timer_due_at) WHERE timer_due_at IS NOT NULL;
  CREATE INDEX timers_by_rare_status ON timers (timer_namespace, timer_status) WHERE timer_status <> 0 AND timer_status <> 3;
  CREATE INDEX timers_of_cycles ON timers (timer_namespace, timer_created_at) WHERE timer_cycle IS NOT NULL;
  CREATE TABLE timer_metadata (
    metadata_key TEXT NOT NULL,
    metadata_value ANY NOT NULL,
    timer_namespace TEXT NOT NULL,
    timer_uuid BLOB NOT NULL,
    PRIMARY KEY (metadata_key, metadata_value, timer_namespace, timer_uuid)
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO timer_metadata
    SELECT substr(key, 1, 100), CASE type WHEN 'text' THEN substr(atom, 1, 100) WHEN 'true' THEN x'01' WHEN 'false' THEN x'00'
      WHEN 'integer' THEN atom WHEN 'real' THEN atom ELSE x'' END, timer_namespace, timer_uuid
    FROM timers, json_each(timer_metadata) WHERE timer_metadata IS NOT NULL AND json_type(timer_metadata) = 'object';`,

  // Events that wait to be published. AUTOINCREMENT: a number never comes twice, not even when the table was empty.
  `CREATE TABLE timer_outbox (
    event_number INTEGER PRIMARY KEY AUTOINCREMENT,
    shard_id INTEGER NOT NULL,
    timer_uuid BLOB NOT NULL,
    timer_namespace TEXT NOT NULL,
    event_type TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event_at INTEGER NOT NULL,
    event_body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX timer_outbox_by_shard ON timer_outbox (shard_id);`,
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** Brings an empty or older database to SCHEMA_VERSION, all steps or none; a newer one is the caller's to refuse. `to` is for tests. */
export function migrate(db: DatabaseSync, to = SCHEMA_VERSION): void {
  const from = schemaVersion(db)
  if (from >= to) return
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const step of MIGRATIONS.slice(from, to)) db.exec(step)
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${to}`)
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
