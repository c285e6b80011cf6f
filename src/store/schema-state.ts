// Which schema a database has, and which one this program knows, without changing anything: for `duetime migrate`, and for
// a service that is told not to migrate when it starts.

import type { Config } from '../runtime/config/config.ts'
import type { DatabaseLocation, DatabaseLocationOf, DatabaseType } from '../runtime/config/databases/databases.ts'
import { systemClock } from '../runtime/clock/clock.ts'
import { FORMAT } from './keyed/store-settings.ts'
import type { StoreSettings } from './keyed/store-settings.ts'
import { schemaState as serverState } from './sql/server/first-look.ts'
import { StoreError } from './store.ts'

/** `found` is 0 for a database that no service has used yet. A newer one than is known is refused with an error. */
export type SchemaState = { readonly found: number; readonly known: number }

/** Databases that are not here have no migrations: their first use makes all that there is. */
const STATES: { readonly [Type in DatabaseType]?: (location: DatabaseLocationOf<Type>) => Promise<SchemaState> } = {
  sqlite: async ({ path }) => (await import('./sqlite/file/connection.ts')).schemaState(path),
  mysql: async (location) => serverState((await import('./mysql/setup/first-look.ts')).firstLook(location)),
  postgres: async (location) => serverState((await import('./postgres/setup/first-look.ts')).firstLook(location)),
  dynamodb: async (location) => {
    const { Table } = await import('./dynamodb/table.ts')
    const { describeTable, readSettings } = await import('./dynamodb/setup.ts')
    const table = await Table.connect(location, systemClock)
    try {
      return formatState((await describeTable(table)) && (await readSettings(table)))
    } finally {
      table.db.destroy()
    }
  },
  cassandra: async (location) => {
    const { Session } = await import('./cassandra/session.ts')
    const { hasTables, readSettings } = await import('./cassandra/setup.ts')
    const session = await Session.connect(location, systemClock)
    try {
      if (!(await hasTables(session, location.keyspace))) return formatState(null)
      await session.run(`USE "${location.keyspace}"`)
      return formatState(await readSettings(session))
    } finally {
      await session.client.shutdown()
    }
  },
  mongodb: async (location) => {
    const { Documents } = await import('./mongodb/documents.ts')
    const { readSettings } = await import('./mongodb/setup.ts')
    const documents = await Documents.connect(location, systemClock)
    try {
      return formatState(await readSettings(documents))
    } finally {
      await documents.client.close()
    }
  },
}

/** Other formats than the known one were refused when the settings were read. */
function formatState(settings: StoreSettings | null): SchemaState {
  return { found: settings === null ? 0 : FORMAT, known: FORMAT }
}

/** Null for a database without a schema that changes. */
export function schemaState(database: DatabaseLocation): Promise<SchemaState | null> {
  return stateAt(database)
}

async function stateAt<Type extends DatabaseType>(location: DatabaseLocationOf<Type>): Promise<SchemaState | null> {
  return (await STATES[location.type]?.(location)) ?? null
}

/** Where operators migrate by hand, a service that would need a step says so and changes nothing. */
export async function assertMigrated({ database }: Pick<Config, 'database'>): Promise<void> {
  const state = await schemaState(database)
  if (state === null || state.found === state.known) return
  throw StoreError.lasting(
    `the database has schema version ${state.found} and this program needs ${state.known}: run \`duetime migrate up\`, or set MIGRATE_AT_START=true`,
  )
}
