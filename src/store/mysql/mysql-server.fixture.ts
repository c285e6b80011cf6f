// Databases on the servers that the adapter is for. Each test has its own, which the store makes.

import { parseMysqlUrl } from '../../runtime/config/databases/mysql.ts'
import type { ServerLocation } from '../../runtime/config/databases/server-location.ts'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import type { RunningServer, ServerName } from '../../../scripts/servers/servers.ts'
import { describe } from 'node:test'

/** The first is the one of every run. */
const SERVERS: readonly ServerName[] = ['mariadb', 'mariadb-11.8', 'mysql', 'tidb']

let databases = 0

export function emptyDatabase(server: RunningServer): ServerLocation {
  return parseMysqlUrl(server.url(`timers_${process.pid}_${++databases}`))
}

export function onEveryMysql(tests: (name: ServerName, server: () => RunningServer) => void): void {
  const only = process.env['ENGINE']
  for (const name of SERVERS)
    if (only === undefined || only === name) describe(name, () => onServer(name, (server) => tests(name, server)))
}
