// The first look at a database of MySQL, MariaDB or TiDB: whether the server will do, and its tables.

import type { Connection } from 'mysql2/promise'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import type { Logger } from '../../../runtime/telemetry/logger.ts'
import { onFirstConnection } from '../../sql/server/first-connection.ts'
import type { FirstConnection } from '../../sql/server/first-connection.ts'
import { migrate, schemaVersion } from '../../sql/server/migrate.ts'
import type { StoreRow } from '../../sql/server/migrate.ts'
import { StoreError } from '../../store.ts'
import { sessionSettings } from '../connection/connections.ts'
import { connect, cut } from '../connection/driver.ts'
import { failureOf, numberOf, UNKNOWN_DATABASE } from '../connection/failures.ts'
import { MIGRATIONS, setupOn } from './schema.ts'
import { readServer, serverProblem, unsafeSettings } from './server-settings.ts'

const CONNECT_MS = 10_000
const STATEMENT_MS = 600_000 // a later step may rewrite a large table

export type PreparedDatabase = StoreRow & { readonly packetBytesMax: number }

export function prepareDatabase(
  location: ServerLocation,
  shards: number,
  logger: Logger | null,
): Promise<PreparedDatabase> {
  return onFirstConnection(first(location, connectOrCreate), 'write', async (connection) => {
    for (const statement of sessionSettings(STATEMENT_MS)) await connection.query(statement)
    const server = await readServer(connection)
    const problem = serverProblem(server)
    if (problem !== null) throw StoreError.lasting(problem)
    for (const text of unsafeSettings(server)) logger?.warn(text)
    return { ...(await migrate(setupOn(connection, location), shards)), packetBytesMax: server.packetBytesMax }
  })
}

/** Changes nothing, and does not wait for a node that migrates. */
export function schemaState(location: ServerLocation): Promise<{ readonly found: number; readonly known: number }> {
  return onFirstConnection(first(location, connectTo), 'read', async (connection) => {
    return { found: await schemaVersion(setupOn(connection, location)), known: MIGRATIONS.length }
  })
}

function first(
  location: ServerLocation,
  open: (at: ServerLocation) => Promise<Connection>,
): FirstConnection<Connection> {
  return { location, open: () => open(location), close: cut, failureOf }
}

function connectTo(location: Parameters<typeof connect>[0]): Promise<Connection> {
  return connect(location, CONNECT_MS)
}

/** A database that is not there is made, if this user may: names and texts need no settings of it. */
async function connectOrCreate(location: ServerLocation): Promise<Connection> {
  const connection = await connectTo({ ...location, database: null })
  const name = `\`${location.database.replaceAll('`', '``')}\``
  try {
    await connection.query(`USE ${name}`).catch(async (error: unknown) => {
      if (numberOf(error) !== UNKNOWN_DATABASE) throw error
      await connection.query(`CREATE DATABASE IF NOT EXISTS ${name}; USE ${name}`).catch(() => {
        throw error
      })
    })
    return connection
  } catch (error) {
    cut(connection)
    throw error
  }
}
