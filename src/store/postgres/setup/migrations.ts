// The schema, as numbered steps that are never edited once released. schema.sql beside this file shows where the steps lead; a
// test compares the two.

import type { Client } from 'pg'
import type { Cell } from '../../row/columns.ts'
import type { Setup } from '../../sql/server/migrate.ts'
import { POSTGRES } from '../dialect.ts'
import { MIGRATION_1 } from './migration-1.ts'

const LOCK_KEY = 0x44_75_65_74 // 'Duet' in ASCII; locks of other programs in the same database should have other numbers

const SETUP: Omit<Setup, 'run'> = {
  dialect: POSTGRES,
  steps: [MIGRATION_1],
  tablesSql: `
  SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = ANY (current_schemas(false)) AND relname IN ('timers', 'timer_store')`,
  lockSql: `SELECT pg_advisory_lock(${LOCK_KEY})`,
}

export const SCHEMA_VERSION = SETUP.steps.length

export function setupOn(client: Client): Setup {
  return {
    ...SETUP,
    run: async ({ text, values }) => (await client.query<Cell[]>({ text, values: [...values], rowMode: 'array' })).rows,
  }
}
