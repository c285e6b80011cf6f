// The schema, as numbered steps that are never edited once released. Several nodes may start at once: one migrates under a
// lock, the others wait and find it done. schema.sql beside this file shows where the steps lead; a test compares the two.

import type { Client } from 'pg'
import type { Cell } from '../../row/columns.ts'
import { storeRow, stepsTaken, takeSteps } from '../../sql/server/migrate.ts'
import type { StoreRow } from '../../sql/server/migrate.ts'
import { answerLater } from '../../sql/statement.ts'
import type { Question } from '../../sql/statement.ts'
import { POSTGRES } from '../dialect.ts'
import { MIGRATION_1 } from './migration-1.ts'

const MIGRATIONS: readonly string[] = [MIGRATION_1]
export const SCHEMA_VERSION = MIGRATIONS.length

const LOCK_KEY = 0x44_75_65_74 // 'Duet' in ASCII; locks of other programs in the same database should have other numbers

// One look at both: another node may be making them.
const TABLES_SQL = `
  SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = ANY (current_schemas(false)) AND relname IN ('timers', 'timer_store')`

/** Brings an empty or older database to SCHEMA_VERSION, all steps or none. `shards` is for an empty one. */
export async function migrate(client: Client, shards: number): Promise<StoreRow> {
  if ((await schemaVersion(client)) === SCHEMA_VERSION) return answered(client, storeRow(POSTGRES))
  // Before the transaction, and until the connection ends: a transaction that had waited inside would not see the new tables.
  await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY])
  await client.query('BEGIN')
  try {
    const from = await schemaVersion(client)
    if (from < SCHEMA_VERSION) await answered(client, takeSteps(POSTGRES, MIGRATIONS, from, shards))
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
  return answered(client, storeRow(POSTGRES))
}

/** 0 for a database without any of our tables. */
export async function schemaVersion(client: Client): Promise<number> {
  const tables = (await client.query<{ relname: string }>(TABLES_SQL)).rows.map(({ relname }) => relname)
  return answered(client, stepsTaken(POSTGRES, tables, SCHEMA_VERSION))
}

function answered<T>(client: Client, question: Question<T>): Promise<T> {
  return answerLater(question, async ({ text, values }) => {
    const result = await client.query<Cell[]>({ text, values: [...values], rowMode: 'array' })
    return result.rows
  })
}
