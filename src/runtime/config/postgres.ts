// Which database, when it may be PostgreSQL: by URL, or by the variables PG_HOST and those that go with it. The two
// come down to one value.

import { PLAINTEXT, POSTGRES_PORT, PostgresTlsMode } from './postgres-location.ts'
import type { PostgresLocation, PostgresTls } from './postgres-location.ts'
import type { DatabaseLocation } from './databases/databases.ts'

/** The settings that say where and how to get in, as they were read. */
export type PostgresValues = {
  readonly pgHost: string | null
  readonly pgPort: number | null
  readonly pgUser: string | null
  readonly pgPassword: string | null
  readonly pgDatabase: string | null
  readonly pgTlsMode: PostgresTlsMode | null
  readonly pgTlsCaFile: string | null
  readonly pgTlsCertFile: string | null
  readonly pgTlsKeyFile: string | null
}

type DatabaseValues = PostgresValues & { readonly databaseUrl: DatabaseLocation; readonly timerDbPath: string | null }

export function databaseLocation(values: DatabaseValues): DatabaseLocation {
  if (values.timerDbPath !== null) return { type: 'sqlite', path: values.timerDbPath }
  if (values.pgHost !== null) return { type: 'postgres', ...fromVariables(values, values.pgHost) }
  return values.databaseUrl.type === 'postgres' ? withSecrets(values.databaseUrl, values) : values.databaseUrl
}

function fromVariables(values: PostgresValues, host: string): PostgresLocation {
  const { pgPort, pgUser, pgPassword, pgDatabase } = values
  return {
    host,
    port: pgPort ?? POSTGRES_PORT,
    user: pgUser ?? '',
    password: pgPassword,
    database: pgDatabase ?? '',
    tls: tlsFrom(values, PLAINTEXT),
  }
}

/** A URL often stands in a file that everyone may read, and the password in one of its own. */
function withSecrets<Location extends PostgresLocation>(url: Location, values: PostgresValues): Location {
  return { ...url, password: values.pgPassword ?? url.password, tls: tlsFrom(values, url.tls) }
}

function tlsFrom(
  { pgTlsMode, pgTlsCaFile, pgTlsCertFile, pgTlsKeyFile }: PostgresValues,
  otherwise: PostgresTls,
): PostgresTls {
  return {
    mode: pgTlsMode ?? otherwise.mode,
    caFile: pgTlsCaFile ?? otherwise.caFile,
    certFile: pgTlsCertFile ?? otherwise.certFile,
    keyFile: pgTlsKeyFile ?? otherwise.keyFile,
  }
}

/** What is right by itself and wrong together. `given` says how each setting was written. */
export function databaseConflicts(values: DatabaseValues, given: ReadonlyMap<string, string>): string[] {
  const problems: string[] = []
  const places = ['databaseUrl', 'timerDbPath', 'pgHost'].filter((key) => given.has(key)).map((key) => given.get(key)!)
  if (places.length > 1) problems.push(`${places.join(' and ')}: each says where the database is. Set one of them.`)
  const missing = [
    ...(values.pgUser === null ? ['PG_USER'] : []),
    ...(values.pgDatabase === null ? ['PG_DB_NAME'] : []),
  ]
  if (given.has('pgHost') && missing.length > 0)
    problems.push(`${given.get('pgHost')}: needs ${missing.join(' and ')} too.`)
  const details = ['pgPort', 'pgUser', 'pgDatabase'].find((key) => given.has(key))
  if (!given.has('pgHost') && details !== undefined)
    problems.push(`${given.get(details)}: goes with PG_HOST, which is not set.`)
  const isPostgres = given.has('pgHost') || values.databaseUrl.type === 'postgres'
  const forPostgres = ['pgPassword', 'pgTlsMode', ...TLS_FILES].find((key) => given.has(key))
  if (!isPostgres && details === undefined && forPostgres !== undefined) {
    problems.push(
      `${given.get(forPostgres)}: is for PostgreSQL. Set PG_HOST, or a DATABASE_URL that begins with postgres://.`,
    )
  }
  const location = databaseLocation(values)
  if (location.type === 'postgres') {
    const file = TLS_FILES.find((key) => given.has(key)) ?? 'databaseUrl'
    problems.push(...tlsConflicts(location.tls).map((problem) => `${given.get(file)}: ${problem}`))
  }
  return problems
}

const TLS_FILES = ['pgTlsCaFile', 'pgTlsCertFile', 'pgTlsKeyFile'] as const

function tlsConflicts({ mode, caFile, certFile, keyFile }: PostgresTls): string[] {
  const problems: string[] = []
  const hasFile = caFile !== null || certFile !== null || keyFile !== null
  if (mode === PostgresTlsMode.disable && hasFile)
    problems.push('is for TLS, and the connection is not encrypted. Set PG_SSL=verify-full.')
  if ((certFile === null) !== (keyFile === null))
    problems.push('a certificate and its key go together: PG_SSL_CERT and PG_SSL_KEY.')
  return problems
}
