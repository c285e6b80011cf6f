// The tables in MySQL, MariaDB and TiDB, from the tables of columns. Texts are compared byte by byte: names are ASCII, and
// whatever else is a key has a binary collation.

import { columnsOf, columnsWithKey } from '../sql/ddl.ts'
import type { SqlTypes } from '../sql/ddl.ts'

const TYPES: SqlTypes = {
  small: 'SMALLINT',
  shard: 'INT',
  integer: 'BIGINT',
  time: 'BIGINT',
  uuid: 'BINARY(16)',
  name: 'VARCHAR(255) COLLATE utf8mb4_bin',
  text: 'LONGTEXT COLLATE utf8mb4_bin',
}

// A key of names is short enough for InnoDB: 3,072 bytes are 768 characters, and entries of metadata have 100 at most.
const KEY_TYPES: SqlTypes = { ...TYPES, name: 'VARCHAR(160) COLLATE utf8mb4_bin' }

export const TABLES: readonly string[] = [
  `CREATE TABLE timers (
${columnsWithKey('timers', TYPES)},
  UNIQUE KEY timers_by_uuid (timer_uuid),
  KEY timers_by_namespace (timer_namespace, timer_created_at),
  KEY timers_by_due (row_type, timer_due_at),
  KEY timers_by_rare_status (timer_namespace, timer_status),
  KEY timers_of_cycles (timer_namespace, timer_kind, timer_created_at)
)`,
  `CREATE TABLE timer_counters (
${columnsWithKey('timer_counters', TYPES)},
  KEY timer_counters_by_slot (slot_at, timer_namespace)
)`,
  `CREATE TABLE timer_metadata (
${columnsWithKey('timer_metadata', KEY_TYPES)}
)`,
  `CREATE TABLE timer_outbox (
  event_number BIGINT NOT NULL AUTO_INCREMENT,
${columnsOf('timer_outbox', TYPES)},
  PRIMARY KEY (shard_id, event_number),
  KEY timer_outbox_by_number (event_number)
)`,
]
