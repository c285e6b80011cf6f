// The checks of each kind of database; see runtime/config/databases.

import type { Clock } from '../../../runtime/clock/clock.ts'
import type { Config } from '../../../runtime/config/config.ts'
import type { DatabaseLocationOf, DatabaseType } from '../../../runtime/config/databases/databases.ts'
import { checkCassandra } from './check-cassandra.ts'
import { checkDynamodb } from './check-dynamodb.ts'
import { checkMongodb } from './check-mongodb.ts'
import { checkMysql } from './check-mysql.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkSqlite } from './check-sqlite.ts'
import { Findings } from '../finding.ts'
import type { Finding } from '../finding.ts'

type Check<Type extends DatabaseType> = (
  location: DatabaseLocationOf<Type>,
  settings: { readonly config: Config; readonly clock: Clock },
  findings: Findings,
) => Promise<void>

const CHECKS: { readonly [Type in DatabaseType]: Check<Type> } = {
  sqlite: ({ path }, { clock }, findings) => checkSqlite(path, clock, findings),
  postgres: (location, { config, clock }, findings) =>
    checkPostgres({ location, poolSize: config.pgPoolSize, clock }, findings),
  mysql: (location, { config, clock }, findings) =>
    checkMysql({ location, poolSize: config.mysqlPoolSize, payloadMaxBytes: config.payloadMaxBytes, clock }, findings),
  dynamodb: checkDynamodb,
  cassandra: checkCassandra,
  mongodb: checkMongodb,
  memory: async (_location, _settings, findings) =>
    findings.warn(
      'timers are kept in memory only and are lost when the service stops',
      'Set DATABASE_URL to sqlite:<path> or postgres://… for timers that last.',
    ),
}

export async function checkDatabase(config: Config, clock: Clock): Promise<readonly Finding[]> {
  const findings = new Findings('database')
  await check(config.database, { config, clock }, findings)
  return findings.all
}

function check<Type extends DatabaseType>(
  location: DatabaseLocationOf<Type>,
  settings: Parameters<Check<Type>>[1],
  findings: Findings,
): Promise<void> {
  return CHECKS[location.type](location, settings, findings)
}
