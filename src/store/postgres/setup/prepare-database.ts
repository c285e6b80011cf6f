// The first look at a database: can it be reached, will it do, are the tables there. Everything that can be wrong with
// it is found here, before the service says that it is ready.

import pg from 'pg'
import type { Logger } from '../../../runtime/telemetry/logger.ts'
import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import type { StoreRow } from '../../sql/server/migrate.ts'
import type { Stage } from '../../sql/server/server-failure.ts'
import { StoreError } from '../../store.ts'
import { clientConfig } from '../connection/connections.ts'
import { failureOf } from '../connection/failures.ts'
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrations.ts'

const SERVER_VERSION_MIN = 130_000 // the oldest with the sorts and settings that the statements use

export type PrepareOptions = {
  readonly location: PostgresLocation
  /** For a database that has no tables yet. */
  readonly shards: number
  readonly logger: Logger | null
}

export function prepareDatabase({ location, shards, logger }: PrepareOptions): Promise<StoreRow> {
  return connected(location, 'write', async (client) => {
    await checkServer(client, logger)
    // A later step may rewrite a large table: it has the time it needs.
    await client.query('SET statement_timeout = 0')
    return migrate(client, shards)
  })
}

/** Changes nothing, and does not wait for a node that migrates. */
export function schemaState(location: PostgresLocation): Promise<{ readonly found: number; readonly known: number }> {
  return connected(location, 'read', async (client) => {
    await checkServer(client, null)
    return { found: await schemaVersion(client), known: SCHEMA_VERSION }
  })
}

async function connected<T>(
  location: PostgresLocation,
  effect: 'read' | 'write',
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  let stage: Stage = 'connect'
  try {
    const client = new pg.Client(clientConfig(location))
    client.on('error', () => {})
    await client.connect()
    stage = 'migrate'
    try {
      return await work(client)
    } finally {
      await client.end().catch(() => {})
    }
  } catch (error) {
    throw failureOf(error, { location, stage, effect })
  }
}

async function checkServer(client: pg.Client, logger: Logger | null): Promise<void> {
  const { rows } = await client.query<Record<'version' | 'number' | 'encoding' | 'fsync', string>>(`
    SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
      current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync`)
  const { version, number, encoding, fsync } = rows[0]!
  assertServerVersion(version, Number(number))
  if (encoding !== 'UTF8') {
    const advice = `not every text can be stored in it: create one with ENCODING 'UTF8'`
    throw StoreError.lasting(`the database has the encoding ${encoding}, and ${advice}`)
  }
  if (fsync === 'off')
    logger?.warn('fsync is off in the PostgreSQL server: a power failure there can lose acknowledged timers')
}

export function assertServerVersion(version: string, number: number): void {
  if (number >= SERVER_VERSION_MIN) return
  const oldest = SERVER_VERSION_MIN / 10_000
  throw StoreError.lasting(`the server is PostgreSQL ${version}: version ${oldest} or newer is needed`)
}
