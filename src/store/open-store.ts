// The store of the database that the settings name. Its driver loads then, and not before: those of large databases are
// optional, so a program that does not use them need not install them.

import type { Config } from '../runtime/config/config.ts'
import type { DatabaseLocationOf, DatabaseType } from '../runtime/config/databases/databases.ts'
import { partLogger } from '../runtime/telemetry/logger.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import { assertMigrated } from './schema-state.ts'
import type { Store } from './store.ts'

type Open<Type extends DatabaseType> = (
  location: DatabaseLocationOf<Type>,
  settings: { readonly config: Config; readonly logger: Logger },
) => Promise<Store>

const BEAT_SHARE = 0.4 // of the lease: a connection that hangs is given up while there is time for another beat

const OPEN: { readonly [Type in DatabaseType]: Open<Type> } = {
  sqlite: async ({ path }) => {
    const { openSqliteStore } = await import('./sqlite/sqlite-store.ts')
    return openSqliteStore({ path })
  },
  postgres: async (location, { config, logger }) => {
    const { openPostgresStore } = await import('./postgres/postgres-store.ts')
    const { pgPoolSize: poolSize, pgStatementTimeoutMs: statementTimeoutMs } = config
    return openPostgresStore({ ...location, poolSize, statementTimeoutMs, logger, ...shared(config) })
  },
  mysql: async (location, { config, logger }) => {
    const { openMysqlStore } = await import('./mysql/mysql-store.ts')
    const { mysqlPoolSize: poolSize, mysqlStatementTimeoutMs: statementTimeoutMs } = config
    return openMysqlStore({ ...location, poolSize, statementTimeoutMs, logger, ...shared(config) })
  },
  dynamodb: async (location, { config }) => {
    const { openDynamodbStore } = await import('./dynamodb/dynamodb-store.ts')
    return openDynamodbStore({ ...location, ...shared(config) })
  },
  cassandra: async (location, { config, logger }) => {
    const { openCassandraStore } = await import('./cassandra/cassandra-store.ts')
    return openCassandraStore({ ...location, logger, ...shared(config) })
  },
  mongodb: async (location, { config }) => {
    const { openMongodbStore } = await import('./mongodb/mongodb-store.ts')
    return openMongodbStore({ ...location, ...shared(config) })
  },
  memory: async () => {
    const { MemoryStore } = await import('./memory/memory-store.ts')
    return new MemoryStore()
  },
}

export async function openStore(config: Config, logger: Logger): Promise<Store> {
  if (!config.migrateAtStart) await assertMigrated(config)
  return openAt(config.database, { config, logger: partLogger(logger, 'store') })
}

function openAt<Type extends DatabaseType>(
  location: DatabaseLocationOf<Type>,
  settings: Parameters<Open<Type>>[1],
): Promise<Store> {
  return OPEN[location.type](location, settings)
}

/** What stores for several nodes want to know. */
function shared({ leaseMs, shards }: Config): { readonly beatWithinMs: number; readonly shards?: number } {
  return { beatWithinMs: leaseMs * BEAT_SHARE, ...(shards !== null && { shards }) }
}
