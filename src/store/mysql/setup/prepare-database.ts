// The first look at a database: can it be reached, will it do, are the tables there. Everything that can be wrong with it is
// found here, before the service says that it is ready.

import type { Connection } from 'mysql2/promise'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import type { Logger } from '../../../runtime/telemetry/logger.ts'
import { storeRow, stepsTaken, takeSteps } from '../../sql/server/migrate.ts'
import type { StoreRow } from '../../sql/server/migrate.ts'
import { answerLater } from '../../sql/statement.ts'
import type { Question, Row } from '../../sql/statement.ts'
import type { Stage } from '../../sql/server/server-failure.ts'
import { StoreError } from '../../store.ts'
import { sessionSettings } from '../connection/connections.ts'
import { connect, cut } from '../connection/driver.ts'
import { failureOf, numberOf, UNKNOWN_DATABASE } from '../connection/failures.ts'
import { literal, written } from '../connection/literals.ts'
import { MYSQL } from '../dialect.ts'
import { MIGRATIONS, SCHEMA_VERSION } from './schema.ts'
import { readServer, serverProblem, unsafeSettings } from './server-settings.ts'

const CONNECT_MS = 10_000
const STATEMENT_MS = 600_000 // a later step may rewrite a large table
const LOCK_SECONDS = 300 // other nodes that start at the same time make the tables

export type PreparedDatabase = StoreRow & { readonly packetBytesMax: number }

export async function prepareDatabase(options: {
  readonly location: ServerLocation
  /** For a database that has no tables yet. */
  readonly shards: number
  readonly logger: Logger | null
}): Promise<PreparedDatabase> {
  const { location, shards, logger } = options
  let stage: Stage = 'connect'
  try {
    const connection = await connectOrCreate(location)
    stage = 'migrate'
    try {
      for (const statement of sessionSettings(STATEMENT_MS)) await connection.query(statement)
      const server = await readServer(connection)
      const problem = serverProblem(server)
      if (problem !== null) throw StoreError.lasting(problem)
      for (const text of unsafeSettings(server)) logger?.warn(text)
      return { ...(await migrate(connection, location, shards)), packetBytesMax: server.packetBytesMax }
    } finally {
      cut(connection)
    }
  } catch (error) {
    throw failureOf(error, { location, stage, effect: 'write' })
  }
}

/** A database that is not there is made, if this user may: names and texts need no settings of it. */
async function connectOrCreate(location: ServerLocation): Promise<Connection> {
  try {
    return await connect(location, CONNECT_MS)
  } catch (error) {
    if (numberOf(error) !== UNKNOWN_DATABASE) throw error
    const connection = await connect(location, CONNECT_MS, () => {}, null)
    try {
      const name = `\`${location.database.replaceAll('`', '``')}\``
      await connection.query(`CREATE DATABASE IF NOT EXISTS ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`)
    } catch {
      throw error
    } finally {
      cut(connection)
    }
    return connect(location, CONNECT_MS)
  }
}

/** Brings an empty or older database to SCHEMA_VERSION. One node at a time; others wait and find it done. */
async function migrate(connection: Connection, { database }: ServerLocation, shards: number): Promise<StoreRow> {
  if ((await schemaVersion(connection)) < SCHEMA_VERSION) {
    await connection.query(`SELECT GET_LOCK(${literal(`duetime-setup ${database}`.slice(0, 60))}, ${LOCK_SECONDS})`)
    const from = await schemaVersion(connection)
    for (const statement of MIGRATIONS.slice(from).flat()) await connection.query(statement)
    if (from < SCHEMA_VERSION)
      await answered(
        connection,
        takeSteps(
          MYSQL,
          MIGRATIONS.map(() => 'DO 0'),
          from,
          shards,
        ),
      )
  }
  return answered(connection, storeRow(MYSQL))
}

/** 0 for a database without any of our tables, and for one in which they were begun. */
export async function schemaVersion(connection: Connection): Promise<number> {
  const tables = await rowsOf(
    connection,
    `SELECT table_name FROM information_schema.tables
     WHERE table_schema = DATABASE() AND table_name IN ('timers', 'timer_store')`,
  )
  const names = tables.map(([name]) => String(name))
  return answered(connection, stepsTaken(MYSQL, names, SCHEMA_VERSION))
}

function answered<T>(connection: Connection, question: Question<T>): Promise<T> {
  return answerLater(question, (query) => rowsOf(connection, written(query)))
}

async function rowsOf(connection: Connection, sql: string): Promise<readonly Row[]> {
  const [rows] = await connection.query({ sql, rowsAsArray: true })
  return Array.isArray(rows) ? (rows as unknown as Row[]) : []
}
