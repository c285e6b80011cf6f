// Which database, when it may be one on a server: by URL, or by the variables PG_HOST or MYSQL_HOST and those that go with it.
// The two come down to one value.

import { MYSQL_PORT } from './databases/mysql.ts'
import { POSTGRES_PORT } from './databases/postgres.ts'
import { PLAINTEXT, TlsMode } from './databases/server-location.ts'
import type { ServerLocation, ServerTls } from './databases/server-location.ts'
import type { DatabaseLocation } from './databases/databases.ts'

const SERVERS = [
  { type: 'postgres', prefix: 'pg', env: 'PG', databaseEnv: 'PG_DB_NAME', title: 'PostgreSQL', port: POSTGRES_PORT },
  { type: 'mysql', prefix: 'mysql', env: 'MYSQL', databaseEnv: 'MYSQL_DATABASE', title: 'MySQL', port: MYSQL_PORT },
] as const
type Server = (typeof SERVERS)[number]
type Prefix = Server['prefix']

const TLS_FILES = ['TlsCaFile', 'TlsCertFile', 'TlsKeyFile'] as const

/** The settings that say where and how to get in, as they were read. */
export type ServerValues = {
  readonly [Key in `${Prefix}${'Host' | 'User' | 'Password' | 'Database' | (typeof TLS_FILES)[number]}`]: string | null
} & { readonly [Key in `${Prefix}Port`]: number | null } & { readonly [Key in `${Prefix}TlsMode`]: TlsMode | null }

type DatabaseValues = ServerValues & { readonly databaseUrl: DatabaseLocation; readonly timerDbPath: string | null }

export function databaseLocation(values: DatabaseValues): DatabaseLocation {
  if (values.timerDbPath !== null) return { type: 'sqlite', path: values.timerDbPath }
  for (const server of SERVERS) {
    const host = values[`${server.prefix}Host`]
    if (host !== null) return { type: server.type, ...fromVariables(values, server, host) }
  }
  const url = values.databaseUrl
  const server = SERVERS.find(({ type }) => type === url.type)
  return server === undefined ? url : withSecrets(url as Extract<DatabaseLocation, ServerLocation>, values, server)
}

function fromVariables(values: ServerValues, { prefix, port }: Server, host: string): ServerLocation {
  return {
    host,
    port: values[`${prefix}Port`] ?? port,
    user: values[`${prefix}User`] ?? '',
    password: values[`${prefix}Password`],
    database: values[`${prefix}Database`] ?? '',
    tls: tlsFrom(values, prefix, PLAINTEXT),
  }
}

/** A URL often stands in a file that everyone may read, and the password in one of its own. */
function withSecrets<Location extends ServerLocation>(
  url: Location,
  values: ServerValues,
  { prefix }: Server,
): Location {
  return { ...url, password: values[`${prefix}Password`] ?? url.password, tls: tlsFrom(values, prefix, url.tls) }
}

function tlsFrom(values: ServerValues, prefix: Prefix, otherwise: ServerTls): ServerTls {
  return {
    mode: values[`${prefix}TlsMode`] ?? otherwise.mode,
    caFile: values[`${prefix}TlsCaFile`] ?? otherwise.caFile,
    certFile: values[`${prefix}TlsCertFile`] ?? otherwise.certFile,
    keyFile: values[`${prefix}TlsKeyFile`] ?? otherwise.keyFile,
  }
}

/** What is right by itself and wrong together. `given` says how each setting was written. */
export function databaseConflicts(values: DatabaseValues, given: ReadonlyMap<string, string>): string[] {
  const places = ['databaseUrl', 'timerDbPath', ...SERVERS.map(({ prefix }) => `${prefix}Host`)]
  const named = places.filter((key) => given.has(key)).map((key) => given.get(key)!)
  const problems = SERVERS.flatMap((server) => serverConflicts(values, given, server))
  return named.length > 1
    ? [`${named.join(' and ')}: each says where the database is. Set one of them.`, ...problems]
    : problems
}

function serverConflicts(values: DatabaseValues, given: ReadonlyMap<string, string>, server: Server): string[] {
  const { type, prefix, env, databaseEnv, title } = server
  const problems: string[] = []
  const firstGiven = (...fields: readonly string[]) =>
    fields.map((field) => `${prefix}${field}`).find((key) => given.has(key))
  const host = given.get(`${prefix}Host`)
  const missing = [
    ...(values[`${prefix}User`] === null ? [`${env}_USER`] : []),
    ...(values[`${prefix}Database`] === null ? [databaseEnv] : []),
  ]
  if (host !== undefined && missing.length > 0) problems.push(`${host}: needs ${missing.join(' and ')} too.`)
  const details = firstGiven('Port', 'User', 'Database')
  if (host === undefined && details !== undefined)
    problems.push(`${given.get(details)}: goes with ${env}_HOST, which is not set.`)
  const isMeant = host !== undefined || values.databaseUrl.type === type
  const others = firstGiven('Password', 'TlsMode', ...TLS_FILES)
  if (!isMeant && details === undefined && others !== undefined) {
    problems.push(
      `${given.get(others)}: is for ${title}. Set ${env}_HOST, or a DATABASE_URL that begins with ${type}://.`,
    )
  }
  const location = databaseLocation(values)
  if (location.type === type) {
    const file = firstGiven(...TLS_FILES) ?? 'databaseUrl'
    problems.push(...tlsConflicts(location.tls, env).map((problem) => `${given.get(file)}: ${problem}`))
  }
  return problems
}

function tlsConflicts({ mode, caFile, certFile, keyFile }: ServerTls, env: Server['env']): string[] {
  const problems: string[] = []
  const hasFile = caFile !== null || certFile !== null || keyFile !== null
  if (mode === TlsMode.disable && hasFile)
    problems.push(`is for TLS, and the connection is not encrypted. Set ${env}_SSL=verify-full.`)
  if ((certFile === null) !== (keyFile === null))
    problems.push(`a certificate and its key go together: ${env}_SSL_CERT and ${env}_SSL_KEY.`)
  return problems
}
