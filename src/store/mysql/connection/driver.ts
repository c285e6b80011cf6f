// The driver, loaded when a URL asks for it.

import type { Connection, PoolConnection, PoolOptions } from 'mysql2/promise'
import { TlsMode } from '../../../runtime/config/databases/server-location.ts'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import { loadDriver } from '../../driver.ts'
import { CONNECT_MS, cut } from '../../sql/server/connections.ts'
import type { Pool } from '../../sql/server/connections.ts'
import { knownAdvice } from '../../sql/server/failures/known-failures.ts'
import { tlsOptions } from '../../sql/server/tls.ts'
import { StoreError } from '../../store.ts'

const KEEP_ALIVE_MS = 10_000

function driver() {
  return loadDriver({ database: 'MySQL', name: 'mysql2' }, () => import('mysql2/promise'))
}

/** `database`: null for none, when it is to be made. */
export async function connect(
  location: Omit<ServerLocation, 'database'> & { readonly database: string | null },
  withinMs = CONNECT_MS,
): Promise<Connection> {
  const { createConnection } = await driver()
  const connection = await createConnection(connectionOptions(location, withinMs))
  // One that is cut ends the process unless somebody listens.
  connection.on('error', () => {})
  return connection
}

function connectionOptions(location: Parameters<typeof connect>[0], connectTimeout: number): PoolOptions {
  const { host, port, user, password, database, tls } = location
  const ssl = tlsOptions(tls, 'MYSQL')
  return {
    ...(host.startsWith('/') ? { socketPath: host } : { host, port }),
    user,
    password: password ?? '',
    ...(database !== null && { database }),
    ...(ssl !== false && { ssl: { ...ssl, verifyIdentity: tls.mode === TlsMode.verifyFull } as object }),
    charset: 'utf8mb4_bin',
    multipleStatements: true,
    jsonStrings: true,
    connectTimeout,
    enableKeepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    connectAttributes: { program_name: 'duetime' },
  }
}

/** Of the driver, which waits for a free connection for as long as it takes; not so here. */
export function driverPool(
  location: ServerLocation,
  max: number,
  withinMs: number,
): Omit<Pool<PoolConnection>, 'prepare'> {
  const options = { ...connectionOptions(location, withinMs), connectionLimit: max }
  const pool = driver().then(({ createPool }) => createPool(options))
  // The driver makes a new object each time that it hands out a connection.
  const known = new WeakMap<object, PoolConnection>()
  return {
    take: async () => {
      const coming = (await pool).getConnection()
      const { promise: tooLate, reject } = Promise.withResolvers<never>()
      const late = setTimeout(() => {
        coming.then((connection) => connection.release()).catch(() => {})
        reject(new StoreError(knownAdvice('MYSQL').noneFree))
      }, withinMs)
      const taken = await Promise.race([coming, tooLate]).finally(() => clearTimeout(late))
      const connection = known.get(taken.connection) ?? taken
      known.set(taken.connection, connection)
      return connection
    },
    giveBack: (connection, isSpent) => {
      if (!isSpent) return connection.release()
      connection.destroy()
      cut(connection)
    },
    end: async () => (await pool).end(),
  }
}
