// Every kind of database, by the scheme of its URL. A new one is a file beside this one with its part of the settings, its line
// here, a folder in store/ with its line in store/open-store.ts, and what `duetime doctor` looks at in cli/doctor.

import { resolve } from 'node:path'
import { parseCassandraUrl } from './cassandra.ts'
import type { CassandraLocation } from './cassandra.ts'
import { parseMysqlUrl } from './mysql.ts'
import { parsePostgresUrl } from './postgres.ts'
import type { PostgresLocation } from './postgres.ts'
import type { ServerLocation } from './server-location.ts'
import { parseDynamodbUrl } from './dynamodb.ts'
import type { DynamodbLocation } from './dynamodb.ts'
import { parseMongodbUrl } from './mongodb.ts'
import type { MongodbLocation } from './mongodb.ts'
import { parseSqlitePath } from './sqlite.ts'

/** Where each kind of database is, by its type. */
type Locations = {
  readonly sqlite: { readonly path: string }
  readonly postgres: PostgresLocation
  readonly mysql: ServerLocation
  readonly dynamodb: DynamodbLocation
  readonly cassandra: CassandraLocation
  readonly mongodb: MongodbLocation
  readonly memory: object
}
export type DatabaseType = keyof Locations
export type DatabaseLocationOf<Type extends DatabaseType> = { readonly type: Type } & Locations[Type]
export type DatabaseLocation = { [Type in DatabaseType]: DatabaseLocationOf<Type> }[DatabaseType]

type DatabaseKind<Type extends DatabaseType> = {
  readonly schemes: readonly string[]
  /** How its URL is written. */
  readonly form: string
  /** Throws a RangeError that says what is right, without repeating what was given. */
  readonly parse: (url: string) => Locations[Type]
  /** Where timers are, for people: goes on after “Timers are”. It has no secrets. */
  readonly place: (location: Locations[Type]) => string
  /** It ends with its process. */
  readonly isFleeting?: true
}

const DATABASES: { readonly [Type in DatabaseType]: DatabaseKind<Type> } = {
  sqlite: {
    schemes: ['sqlite'],
    form: 'sqlite:<path>',
    parse: (url) => ({ path: parseSqlitePath(url.replace(/^sqlite:(?:\/\/)?/i, '')) }),
    place: ({ path }) => `stored in ${resolve(path)}`,
  },
  postgres: {
    schemes: ['postgres', 'postgresql'],
    form: 'postgres://user:password@host/database',
    parse: parsePostgresUrl,
    place: ({ database, host, port }) => `stored in PostgreSQL, in database ${database} at ${host}:${port}`,
  },
  mysql: {
    schemes: ['mysql', 'mariadb', 'tidb'],
    form: 'mysql://user:password@host/database',
    parse: parseMysqlUrl,
    place: ({ database, host, port }) => `stored in MySQL, in database ${database} at ${host}:${port}`,
  },
  dynamodb: {
    schemes: ['dynamodb'],
    form: 'dynamodb://region/table',
    parse: parseDynamodbUrl,
    place: ({ table, region, endpoint }) =>
      `stored in DynamoDB, in table ${table} ${endpoint === null ? `in ${region}` : `at ${endpoint}`}`,
  },
  cassandra: {
    schemes: ['cassandra'],
    form: 'cassandra://user:password@host,host/keyspace',
    parse: parseCassandraUrl,
    place: ({ keyspace, hosts }) => `stored in Cassandra, in keyspace ${keyspace} at ${hosts.join(', ')}`,
  },
  mongodb: {
    schemes: ['mongodb', 'mongodb+srv'],
    form: 'mongodb://user:password@host/database',
    parse: parseMongodbUrl,
    place: ({ database, hosts }) => `stored in MongoDB, in database ${database} at ${hosts}`,
  },
  memory: {
    schemes: ['memory'],
    form: 'memory:',
    parse: () => ({}),
    place: () => 'kept in memory only and are lost when it stops',
    isFleeting: true,
  },
}

export const DATABASE_FORMS: readonly string[] = Object.values(DATABASES).map(({ form }) => form)

export function parseDatabaseUrl(text: string): DatabaseLocation {
  const forms = `${DATABASE_FORMS.join(', ')} (kept in memory, lost at exit)`
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) throw new RangeError(`a URL: ${forms}`)
  for (const [type, kind] of Object.entries(DATABASES))
    if (kind.schemes.includes(scheme)) return { type, ...kind.parse(text) } as DatabaseLocation
  throw new RangeError(`one of the known databases: ${forms}; \`${scheme}:\` is none of them`)
}

export function databasePlace<Type extends DatabaseType>(location: DatabaseLocationOf<Type>): string {
  return DATABASES[location.type].place(location)
}

/** What is stored there is still there when the process has ended. */
export function isLasting({ type }: DatabaseLocation): boolean {
  return DATABASES[type].isFleeting !== true
}
