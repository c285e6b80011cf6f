// The first look at a PostgreSQL database: whether the server will do, and its tables.

import pg from 'pg'
import type { Logger } from '../../../runtime/telemetry/logger.ts'
import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import { onFirstConnection } from '../../sql/server/first-connection.ts'
import type { FirstConnection } from '../../sql/server/first-connection.ts'
import { migrate, schemaVersion } from '../../sql/server/migrate.ts'
import type { StoreRow } from '../../sql/server/migrate.ts'
import { StoreError } from '../../store.ts'
import { clientConfig } from '../connection/connections.ts'
import { failureOf } from '../connection/failures.ts'
import { SCHEMA_VERSION, setupOn } from './migrations.ts'

const SERVER_VERSION_MIN = 130_000 // the oldest with the sorts and settings that the statements use

export type PrepareOptions = {
  readonly location: PostgresLocation
  /** For a database that has no tables yet. */
  readonly shards: number
  readonly logger: Logger | null
}

export function prepareDatabase({ location, shards, logger }: PrepareOptions): Promise<StoreRow> {
  return onFirstConnection(firstConnection(location), 'write', async (client) => {
    await checkServer(client, logger)
    // A later step may rewrite a large table: it has the time it needs.
    await client.query('SET statement_timeout = 0')
    return migrate(setupOn(client), shards)
  })
}

/** Changes nothing, and does not wait for a node that migrates. */
export function schemaState(location: PostgresLocation): Promise<{ readonly found: number; readonly known: number }> {
  return onFirstConnection(firstConnection(location), 'read', async (client) => {
    await checkServer(client, null)
    return { found: await schemaVersion(setupOn(client)), known: SCHEMA_VERSION }
  })
}

function firstConnection(location: PostgresLocation): FirstConnection<pg.Client> {
  const open = async () => {
    const client = new pg.Client(clientConfig(location))
    client.on('error', () => {})
    await client.connect()
    return client
  }
  return { location, open, close: (client) => client.end().catch(() => {}), failureOf }
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
