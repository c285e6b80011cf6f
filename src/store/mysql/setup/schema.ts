// The tables in MySQL, MariaDB and TiDB, from the tables of columns, as numbered steps that are never edited once released. A
// step is statements that can be done again: a statement that makes a table is a transaction of its own, and what comes after
// it may not have been done.
//
// Names are bytes: they are compared byte by byte, and a space at the end counts. Texts of which JSON is read are texts.
// Rows of timers and of the outbox lie by shard, those of the log by a number that is drawn: so TiDB spreads them. The hash of
// namespace and id is the unique key: 16 bytes instead of two texts.
//
// Numbers of events come from one counter for all shards. A commit holds the lock of its shard's row when it draws them and
// until it is over, so within a shard their order is the order of the commits. TiDB has to be told to give them out in order.

import type { Connection } from 'mysql2/promise'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import { columnsOf, columnsWithKey, readableView } from '../../sql/ddl.ts'
import type { SqlTypes } from '../../sql/ddl.ts'
import type { Setup } from '../../sql/server/migrate.ts'
import type { Row } from '../../sql/statement.ts'
import { literal, written } from '../connection/literals.ts'
import { MYSQL } from '../dialect.ts'

const TYPES: SqlTypes = {
  small: 'SMALLINT',
  shard: 'INT',
  integer: 'BIGINT',
  time: 'BIGINT',
  uuid: 'BINARY(16)',
  name: 'VARBINARY(640)', // 160 characters of four bytes, and three of them are a key that InnoDB takes
  text: 'LONGTEXT',
}
const LOCK_SECONDS = 300 // other nodes that start at the same time make the tables

const TABLES: Readonly<Record<string, string>> = {
  timer_store: `
  only_row TINYINT NOT NULL DEFAULT 1 PRIMARY KEY,
  schema_version INT NOT NULL,
  shards INT NOT NULL,
  cluster_secret VARCHAR(100) NOT NULL,
  pinged_at BIGINT`,
  timers: `
${columnsWithKey('timers', TYPES)},
  UNIQUE KEY timers_by_uuid (timer_uuid),
  KEY timers_by_namespace (timer_namespace, timer_created_at),
  KEY timers_by_due (row_type, timer_due_at),
  KEY timers_by_rare_status (timer_namespace, timer_status),
  KEY timers_of_cycles (timer_namespace, timer_kind, timer_created_at)`,
  timer_counters: `
${columnsWithKey('timer_counters', TYPES)},
  KEY timer_counters_by_slot (slot_at, timer_namespace)`,
  timer_counter_log: `
  commit_id BIGINT NOT NULL,
${columnsOf('timer_counters', TYPES)},
  PRIMARY KEY (commit_id, timer_namespace, slot_at, counter_name)`,
  timer_metadata: columnsWithKey('timer_metadata', TYPES),
  timer_outbox: `
  event_number BIGINT NOT NULL AUTO_INCREMENT,
${columnsOf('timer_outbox', TYPES)},
  PRIMARY KEY (shard_id, event_number),
  KEY timer_outbox_by_number (event_number)`,
  timer_nodes: columnsWithKey('timer_nodes', TYPES),
}
const OPTIONS =
  'ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /*T![auto_id_cache] AUTO_ID_CACHE = 1 */'
const VIEW = readableView((at) => `FROM_UNIXTIME(${at} / 1000)`, 'timer_payload', 'LOWER(HEX(timer_uuid))')
  .replace('CREATE VIEW', 'CREATE OR REPLACE VIEW')
  .replace('timer_namespace AS', 'CONVERT(timer_namespace USING utf8mb4) AS')

const MIGRATION_1 = [
  ...Object.entries(TABLES).map(([name, columns]) => `CREATE TABLE IF NOT EXISTS ${name} (${columns}) ${OPTIONS}`),
  VIEW,
].join(';\n')

export const MIGRATIONS: readonly string[] = [MIGRATION_1]

export function setupOn(connection: Connection, { database }: ServerLocation): Setup {
  return {
    dialect: MYSQL,
    steps: MIGRATIONS,
    tablesSql: `SELECT table_name FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_name IN ('timers', 'timer_store')`,
    lockSql: `SELECT GET_LOCK(${literal(`duetime-setup ${database}`.slice(0, 60))}, ${LOCK_SECONDS})`,
    run: async (query) => {
      const [rows] = await connection.query({ sql: written(query), rowsAsArray: true })
      return rows as unknown as readonly Row[]
    },
  }
}
