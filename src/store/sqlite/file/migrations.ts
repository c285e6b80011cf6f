// The schema, as numbered steps that are never edited once released: a database remembers in user_version how
// many it has taken. schema.sql beside this file shows where they lead; a test compares the two.

import type { DatabaseSync } from 'node:sqlite'
import { timersColumns } from '../../sql/ddl.ts'
import { PAYLOAD_SQL } from '../payloads.ts'

/** 'Duet' in ASCII. Says in the file's header whose database this is; `file` and other tools show it. */
export const APPLICATION_ID = 0x44_75_65_74

const TYPES = {
  small: 'INTEGER',
  shard: 'INTEGER',
  integer: 'INTEGER',
  time: 'INTEGER',
  uuid: 'BLOB',
  name: 'TEXT',
  text: 'TEXT',
} as const

/** A payload is text, or the number of one in timer_payloads. */
const COLUMNS = timersColumns(TYPES).replace('timer_payload TEXT', 'timer_payload ANY')

// A new timer, which is a pending one-shot as a rule, is in timers_by_uuid and timers_by_namespace only:
// - timers_by_due holds the rows whose due time is not their place in the order: finished ones (which come due about
//   when they finish, so they go to the index's end), paused ones and those that wait for a retry.
// - timers_by_rare_status finds the few paused, executing, failed and canceled ones among the many others.
// - timers_of_cycles is timers_by_namespace for what repeats.
// timer_payloads has the large payloads; see payloads.ts.
// timer_metadata has a row for each entry of a timer's metadata; see metadata-entries.ts. Triggers would keep it, too, but
// an insert would take a quarter longer even for timers that have none.
// timer_outbox is AUTOINCREMENT: a number never comes twice, not even when the table was empty.
// timers_readable is for people who look with SQL.
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE timers (
${COLUMNS}
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX timers_by_uuid ON timers (timer_uuid);
  CREATE INDEX timers_by_namespace ON timers (timer_namespace, timer_created_at);
  CREATE INDEX timers_by_due ON timers (row_type, timer_due_at) WHERE timer_due_at IS NOT NULL;
  CREATE INDEX timers_by_rare_status ON timers (timer_namespace, timer_status) WHERE timer_status <> 0 AND timer_status <> 3;
  CREATE INDEX timers_of_cycles ON timers (timer_namespace, timer_created_at) WHERE timer_kind > 0;
  CREATE TABLE timer_payloads (payload_id INTEGER PRIMARY KEY, payload TEXT NOT NULL) STRICT;
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
  CREATE VIEW timers_readable AS
    SELECT timer_namespace AS namespace, timer_id AS id,
      CASE timer_status WHEN 0 THEN 'pending' WHEN 1 THEN 'paused' WHEN 2 THEN 'executing'
        WHEN 3 THEN 'completed' WHEN 4 THEN 'failed' ELSE 'canceled' END AS status,
      strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(timer_due_at, timer_execute_at) / 1000.0, 'unixepoch') AS due_at,
      strftime('%Y-%m-%dT%H:%M:%fZ', timer_created_at / 1000.0, 'unixepoch') AS created_at,
      timer_version AS version, ${PAYLOAD_SQL} AS payload,
      timer_metadata AS metadata, timer_document AS document,
      shard_id AS shard, lower(hex(timer_uuid)) AS uuid
    FROM timers WHERE row_type > 1;`,
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
