// The driver, loaded when a URL asks for it, and one connection of it.

import type { Connection } from 'mysql2/promise'
import { TlsMode } from '../../../runtime/config/databases/server-location.ts'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import { loadDriver } from '../../driver.ts'
import { tlsOptions } from '../../sql/server/tls.ts'

const KEEP_ALIVE_MS = 10_000

/** `database`: another one, or none. `onLost`: it has ended, whoever ended it. */
export async function connect(
  location: ServerLocation,
  withinMs: number,
  onLost: () => void = () => {},
  database: string | null = location.database,
): Promise<Connection> {
  const load = () => import('mysql2/promise')
  const { createConnection } = await loadDriver({ database: 'MySQL', name: 'mysql2' }, load)
  const { host, port, user, password, tls } = location
  const ssl = tlsOptions(tls, 'MYSQL')
  const connection = await createConnection({
    ...(host.startsWith('/') ? { socketPath: host } : { host, port }),
    user,
    password: password ?? '',
    ...(database !== null && { database }),
    ...(ssl !== false && { ssl: { ...ssl, verifyIdentity: tls.mode === TlsMode.verifyFull } as object }),
    charset: 'utf8mb4_bin',
    multipleStatements: true,
    jsonStrings: true,
    connectTimeout: withinMs,
    enableKeepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    connectAttributes: { program_name: 'duetime' },
  })
  // One that is cut ends the process unless somebody listens.
  connection.on('error', onLost)
  connection.on('end', onLost)
  return connection
}

/** What is under way fails at once, as when the network is cut. The driver's own destroy() waits for the server. */
export function cut(connection: Connection): void {
  ;(
    connection as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
  ).connection.stream.destroy()
}
