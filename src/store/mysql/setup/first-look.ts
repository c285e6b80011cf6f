// The first look at a database of MySQL, MariaDB or TiDB: whether the server will do.

import type { Connection } from 'mysql2/promise'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import { cut } from '../../sql/server/connections.ts'
import { versionProblem } from '../../sql/server/first-look.ts'
import type { FirstLook } from '../../sql/server/first-look.ts'
import { sessionSettings } from '../connection/connections.ts'
import { connect } from '../connection/driver.ts'
import { FAILURES, isUnknownDatabase } from '../connection/failures.ts'
import { setupOn } from './schema.ts'
import { OLDEST, readServer } from './server-settings.ts'
import type { Server } from './server-settings.ts'

const STATEMENT_MS = 600_000 // a later step may rewrite a large table

export function firstLook(location: ServerLocation): FirstLook<Connection, Server> {
  return {
    location,
    failures: FAILURES,
    open: (effect) =>
      connect(location).catch(async (error: unknown) => {
        if (effect === 'read' || !isUnknownDatabase(error)) throw error
        await createDatabase(location).catch(() => {
          throw error
        })
        return connect(location)
      }),
    close: cut,
    check: async (connection) => {
      await connection.query(sessionSettings(STATEMENT_MS).join(';\n'))
      const server = await readServer(connection)
      const problem = versionProblem(server.kind, server.version, OLDEST[server.kind])
      return { problem, warnings: (server.unsafe ?? []).map((text) => `${text}; set it to 1`), found: server }
    },
    setupOn: (connection) => setupOn(connection, location),
  }
}

/** If this user may: names and texts need no settings of it. */
async function createDatabase({ database, ...server }: ServerLocation): Promise<void> {
  const connection = await connect({ ...server, database: null })
  const creation = `CREATE DATABASE IF NOT EXISTS \`${database.replaceAll('`', '``')}\``
  await connection.query(creation).finally(() => cut(connection))
}
