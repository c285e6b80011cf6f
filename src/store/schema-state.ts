// Which schema a database has, and which one this program knows, without changing anything: for `duetime migrate`, and for
// a service that is told not to migrate when it starts.

import type { Config } from '../runtime/config/config.ts'
import type { DatabaseLocation, DatabaseLocationOf, DatabaseType } from '../runtime/config/databases/databases.ts'
import { StoreError } from './store.ts'

/** `found` is 0 for a database that no service has used yet. A newer one than is known is refused with an error. */
export type SchemaState = { readonly found: number; readonly known: number }

/** Databases that are not here have no migrations: their first use makes all that there is. */
const STATES: { readonly [Type in DatabaseType]?: (location: DatabaseLocationOf<Type>) => Promise<SchemaState> } = {
  sqlite: async ({ path }) => (await import('./sqlite/file/connection.ts')).schemaState(path),
  mysql: async (location) => (await import('./mysql/setup/prepare-database.ts')).schemaState(location),
  postgres: async (location) => (await import('./postgres/setup/prepare-database.ts')).schemaState(location),
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
