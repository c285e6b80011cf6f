// The schema, as numbered steps that are never edited once released; timer_store remembers how many the database has
// taken. Several nodes may start at once: one migrates under a lock, the others wait and find it done.
// schema.sql beside this file shows where the steps lead; a test compares the two.

import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { StoreError } from '../../store.ts'
import { MIGRATION_1 } from './migration-1.ts'

const MIGRATIONS: readonly string[] = [MIGRATION_1]
export const SCHEMA_VERSION = MIGRATIONS.length

const LOCK_KEY = 0x44_75_65_74 // 'Duet' in ASCII; locks of other programs in the same database should have other numbers
const SECRET_BYTES = 32

// One look at both: another node may be making them.
const TABLES_SQL = `
  SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = ANY (current_schemas(false)) AND relname IN ('timers', 'timer_store')`

/** What is fixed when a database is first used. */
export type StoreRow = { readonly shards: number; readonly clusterSecret: string }

/** Brings an empty or older database to SCHEMA_VERSION, all steps or none. `shards` is for an empty one. */
export async function migrate(client: Client, shards: number): Promise<StoreRow> {
  if ((await schemaVersion(client)) === SCHEMA_VERSION) return storeRow(client)
  // Before the transaction, and until the connection ends: a transaction that had waited inside would not see the new tables.
  await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY])
  await client.query('BEGIN')
  try {
    await takeSteps(client, await schemaVersion(client), shards)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
  return storeRow(client)
}

/** 0 for a database without any of our tables. */
export async function schemaVersion(client: Client): Promise<number> {
  const tables = (await client.query<{ relname: string }>(TABLES_SQL)).rows.map(({ relname }) => relname)
  const [ours, taken] = [tables.includes('timer_store'), tables.includes('timers')]
  if (!ours && taken) {
    const advice = 'give this service a database of its own, nothing was changed'
    throw new StoreError(`the database has a table \`timers\` of another program: ${advice}`, { retryable: false })
  }
  if (!ours) return 0
  const version = (await client.query<{ schema_version: number }>('SELECT schema_version FROM timer_store')).rows[0]!
    .schema_version
  if (version > SCHEMA_VERSION) {
    throw new StoreError(
      `the database has schema version ${version} and this program knows up to ${SCHEMA_VERSION}: run the newer version that migrated it`,
      { retryable: false },
    )
  }
  return version
}

async function takeSteps(client: Client, from: number, shards: number): Promise<void> {
  for (const step of MIGRATIONS.slice(from)) await client.query(step)
  if (from === 0) {
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const row = 'INSERT INTO timer_store (schema_version, shards, cluster_secret) VALUES ($1, $2, $3)'
    await client.query(row, [SCHEMA_VERSION, shards, secret])
  } else if (from < SCHEMA_VERSION) {
    await client.query('UPDATE timer_store SET schema_version = $1', [SCHEMA_VERSION])
  }
}

async function storeRow(client: Client): Promise<StoreRow> {
  const { rows } = await client.query<{ shards: number; cluster_secret: string }>(
    'SELECT shards, cluster_secret FROM timer_store',
  )
  return { shards: rows[0]!.shards, clusterSecret: rows[0]!.cluster_secret }
}
