// The schema, as numbered steps that are never edited once released: a database remembers in user_version how
// many it has taken. schema.sql beside this file shows where they lead; a test compares the two.

import type { DatabaseSync } from 'node:sqlite'
import { columnsOf, columnsWithKey, readableView } from '../../sql/ddl.ts'
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
const COLUMNS = columnsOf('timers', TYPES).replace('timer_payload TEXT', 'timer_payload ANY')

// Rows are where they were first written, and indexes lead there: when a timer changes or finishes, its row and its place in
// timers_in_order change, and neither timers_by_uuid nor timers_by_namespace does (decision 0084).
// A new timer, which is a pending one-shot as a rule, is in timers_in_order, timers_by_uuid and timers_by_namespace only:
// - timers_by_due holds the rows whose due time is not their place in the order: finished ones (which come due about
//   when they finish, so they go to the index's end), paused ones and those that wait for a retry.
// - timers_by_rare_status finds the few paused, executing, failed and canceled ones among the many others.
// - timers_of_cycles is timers_by_namespace for what repeats.
// timer_payloads has the large payloads; see payloads.ts.
// timer_metadata has a row for each entry of a timer's metadata; see sql/questions/metadata-entries.ts. Triggers would keep it, too, but
// an insert would take a quarter longer even for timers that have none.
// timer_outbox is AUTOINCREMENT: a number never comes twice, not even when the table was empty.
// timers_readable is for people who look with SQL.
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE timers (
${COLUMNS}
  ) STRICT;
  CREATE INDEX timers_in_order ON timers (shard_id, row_type, timer_execute_at, timer_uuid);
  CREATE UNIQUE INDEX timers_by_uuid ON timers (timer_uuid);
  CREATE INDEX timers_by_namespace ON timers (timer_namespace, timer_created_at);
  CREATE INDEX timers_by_due ON timers (row_type, timer_due_at) WHERE timer_due_at IS NOT NULL;
  CREATE INDEX timers_by_rare_status ON timers (timer_namespace, timer_status) WHERE timer_status <> 0 AND timer_status <> 3;
  CREATE INDEX timers_of_cycles ON timers (timer_namespace, timer_created_at) WHERE timer_kind > 0;
  CREATE TABLE timer_payloads (payload_id INTEGER PRIMARY KEY, payload TEXT NOT NULL) STRICT;
  CREATE TABLE timer_counters (
${columnsWithKey('timer_counters', TYPES)}
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX timer_counters_by_slot ON timer_counters (slot_at, timer_namespace);
  CREATE TABLE timer_metadata (
${columnsWithKey('timer_metadata', TYPES)}
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE timer_outbox (
  event_number INTEGER PRIMARY KEY AUTOINCREMENT,
${columnsOf('timer_outbox', TYPES)}
  ) STRICT;
  CREATE INDEX timer_outbox_by_shard ON timer_outbox (shard_id);
  ${readableView((at) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${at} / 1000.0, 'unixepoch')`, PAYLOAD_SQL, 'lower(hex(timer_uuid))')}`,
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
