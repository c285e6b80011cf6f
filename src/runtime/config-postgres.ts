// Which database, when it may be PostgreSQL: by URL, or by the variables PG_HOST and those that go with it. The two
// come down to one value.

import { POSTGRES_PORT, PostgresTlsMode } from './postgres-location.ts'
import type { PostgresLocation } from './postgres-location.ts'
import type { DatabaseLocation } from './config-places.ts'

/** The settings that say where and how to get in, as they were read. */
export type PostgresValues = {
  readonly pgHost: string | null
  readonly pgPort: number | null
  readonly pgUser: string | null
  readonly pgPassword: string | null
  readonly pgDatabase: string | null
  readonly pgTlsMode: PostgresTlsMode | null
  readonly pgTlsCaFile: string | null
}

type DatabaseValues = PostgresValues & { readonly databaseUrl: DatabaseLocation; readonly timerDbPath: string | null }

export function databaseLocation(values: DatabaseValues): DatabaseLocation {
  if (values.timerDbPath !== null) return { type: 'sqlite', path: values.timerDbPath }
  if (values.pgHost !== null) return { type: 'postgres', ...fromVariables(values, values.pgHost) }
  return values.databaseUrl.type === 'postgres' ? withSecrets(values.databaseUrl, values) : values.databaseUrl
}

function fromVariables(values: PostgresValues, host: string): PostgresLocation {
  const { pgPort, pgUser, pgPassword, pgDatabase, pgTlsMode, pgTlsCaFile } = values
  return {
    host,
    port: pgPort ?? POSTGRES_PORT,
    user: pgUser ?? '',
    password: pgPassword,
    database: pgDatabase ?? '',
    tls: { mode: pgTlsMode ?? PostgresTlsMode.disable, caFile: pgTlsCaFile },
  }
}

/** A URL often stands in a file that everyone may read, and the password in one of its own. */
function withSecrets<Location extends PostgresLocation>(url: Location, { pgPassword, pgTlsMode, pgTlsCaFile }: PostgresValues): Location {
  return {
    ...url,
    password: pgPassword ?? url.password,
    tls: { mode: pgTlsMode ?? url.tls.mode, caFile: pgTlsCaFile ?? url.tls.caFile },
  }
}

/** What is right by itself and wrong together. `given` says how each setting was written. */
export function databaseConflicts(values: DatabaseValues, given: ReadonlyMap<string, string>): string[] {
  const problems: string[] = []
  const places = ['databaseUrl', 'timerDbPath', 'pgHost'].filter((key) => given.has(key)).map((key) => given.get(key)!)
  if (places.length > 1) problems.push(`${places.join(' and ')}: each says where the database is. Set one of them.`)
  const missing = [...(values.pgUser === null ? ['PG_USER'] : []), ...(values.pgDatabase === null ? ['PG_DB_NAME'] : [])]
  if (given.has('pgHost') && missing.length > 0) problems.push(`${given.get('pgHost')}: needs ${missing.join(' and ')} too.`)
  const details = ['pgPort', 'pgUser', 'pgDatabase'].find((key) => given.has(key))
  if (!given.has('pgHost') && details !== undefined) problems.push(`${given.get(details)}: goes with PG_HOST, which is not set.`)
  const isPostgres = given.has('pgHost') || values.databaseUrl.type === 'postgres'
  const forPostgres = ['pgPassword', 'pgTlsMode', 'pgTlsCaFile'].find((key) => given.has(key))
  if (!isPostgres && details === undefined && forPostgres !== undefined) {
    problems.push(`${given.get(forPostgres)}: is for PostgreSQL. Set PG_HOST, or a DATABASE_URL that begins with postgres://.`)
  }
  return problems
}
