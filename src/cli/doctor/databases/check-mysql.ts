// A MySQL, MariaDB or TiDB server, looked at on one connection that writes nothing: no table is made, no shard claimed.

import type { Connection } from 'mysql2/promise'
import type { Clock } from '../../../runtime/clock/clock.ts'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import type { Server, ServerKind } from '../../../store/mysql/setup/server-settings.ts'
import { bytesText } from '../check-disk.ts'
import { checkSchema } from './check-schema.ts'
import { judgeClock } from './database-clock.ts'
import type { Findings } from '../finding.ts'
import { messageOf } from '../finding.ts'

const CONNECT_MS = 5_000
const PACKET_SHARE = 0.25 // of a message; what one part of a commit may have (store/mysql/mysql-store.ts)
const ROOM_TO_GROW = 1.5
/** What the service does with its tables. */
const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'INDEX', 'ALTER', 'CREATE VIEW']

export type MysqlCheck = {
  readonly location: ServerLocation
  readonly poolSize: number
  readonly payloadMaxBytes: number
  readonly clock: Clock
}

export async function checkMysql(check: MysqlCheck, findings: Findings): Promise<void> {
  const { location, clock } = check
  const { connect } = await import('../../../store/mysql/connection/driver.ts')
  const { cut } = await import('../../../store/sql/server/connections.ts')
  const { FAILURES, isUnknownDatabase } = await import('../../../store/mysql/connection/failures.ts')
  let connection: Connection
  try {
    connection = await connect(location, CONNECT_MS)
  } catch (error) {
    if (isUnknownDatabase(error))
      return findings.warn(
        `there is no database ${location.database} at ${location.host}:${location.port} yet`,
        'The first start makes it, if the user may create databases.',
      )
    const { message } = FAILURES.failureOf(error, { location, stage: 'connect', effect: 'read' })
    return findings.fail(
      message,
      'Is the server running, and do MYSQL_HOST, MYSQL_PORT, MYSQL_USER, MYSQL_PASSWORD or DATABASE_URL name it?',
    )
  }
  try {
    const before = clock.monotonic()
    const [[time]] = await rows(connection, 'SELECT UNIX_TIMESTAMP(SYSDATE(3)) * 1000')
    const roundTripMs = clock.monotonic() - before
    const kind = await judgeServer(connection, check, findings)
    await judgeRights(connection, location, findings)
    judgeClock(clock.now() - roundTripMs / 2 - Number(time), roundTripMs, findings)
    const { setupOn } = await import('../../../store/mysql/setup/schema.ts')
    await checkSchema(setupOn(connection, location), findings)
    await judgeSize(connection, location, kind, findings)
  } catch (error) {
    findings.fail(messageOf(error), 'docs/operations/mysql.md says what the database needs.')
  } finally {
    cut(connection)
  }
}

async function judgeServer(connection: Connection, check: MysqlCheck, findings: Findings): Promise<ServerKind> {
  const { OLDEST, readServer } = await import('../../../store/mysql/setup/server-settings.ts')
  const { versionProblem } = await import('../../../store/sql/server/first-look.ts')
  const server = await readServer(connection)
  const { kind, version, isReadOnly, unsafe } = server
  const { host, port, database } = check.location
  const problem = versionProblem(kind, version, OLDEST[kind])
  if (problem !== null) findings.fail(problem, 'docs/operations/mysql.md lists the versions.')
  else findings.ok(`${host}:${port}/${database} is ${kind} ${version}`)
  if (isReadOnly) findings.fail('the server is read-only and takes no writes', 'Name the primary.')
  for (const what of unsafe ?? []) findings.fail(what, "Set it to 1 in the server's configuration.")
  if (unsafe?.length === 0) findings.ok('a commit is on disk before it is acknowledged')
  judgePackets(server, check, findings)
  await judgeConnections(connection, check, findings)
  return kind
}

function judgePackets({ packetBytesMax }: Server, { payloadMaxBytes }: MysqlCheck, findings: Findings): void {
  if (payloadMaxBytes <= packetBytesMax * PACKET_SHARE) return
  findings.warn(
    `PAYLOAD_MAX_BYTES is ${bytesText(payloadMaxBytes)}, and max_allowed_packet of the server ${bytesText(packetBytesMax)}`,
    `Set max_allowed_packet to ${bytesText(payloadMaxBytes / PACKET_SHARE)}: larger timers are refused by the database.`,
  )
}

async function judgeConnections(connection: Connection, { poolSize }: MysqlCheck, findings: Findings): Promise<void> {
  const [[max]] = await rows(connection, 'SELECT @@max_connections')
  // A user sees its own connections, or all of them if it may.
  const [[used]] = await rows(connection, 'SELECT count(*) FROM information_schema.processlist')
  const room = Number(max) === 0 ? Infinity : Number(max)
  const said = `${Number(used)} of ${room === Infinity ? 'any number of' : room} connections are in use, and a node may open ${poolSize} (MYSQL_POOL_SIZE)`
  if (room < poolSize) findings.fail(said, 'Raise max_connections or lower MYSQL_POOL_SIZE.')
  else if (room - Number(used) < poolSize)
    findings.warn(said, 'One more node may find no connection: raise max_connections or lower MYSQL_POOL_SIZE.')
  else findings.ok(said)
}

/** As the server last estimated it. */
async function judgeSize(
  ...[connection, { database }, kind, findings]: [Connection, ServerLocation, ServerKind, Findings]
): Promise<void> {
  const sizes = 'SELECT SUM(data_length), SUM(index_length) FROM information_schema.tables WHERE table_schema = ?'
  const [[data, indexes]] = (await rows(connection, sizes, [database])) as unknown as [[unknown, unknown]]
  if (data === null) return
  const bytes = Number(data) + Number(indexes)
  findings.ok(`the tables have about ${bytesText(bytes)}, ${bytesText(Number(indexes))} of it indexes`)
  // TiDB has this setting, and does not mean it.
  if (kind === 'TiDB') return
  const [[, pool]] = (await rows(connection, "SHOW VARIABLES LIKE 'innodb_buffer_pool_size'")) as unknown as [string[]]
  if (bytes > Number(pool))
    findings.warn(
      `the tables do not fit into innodb_buffer_pool_size, ${bytesText(Number(pool))}`,
      `Set it to ${bytesText(bytes * ROOM_TO_GROW)} or more if the machine has the memory: changes have to wait for pages from the disk.`,
    )
}

async function judgeRights(connection: Connection, { database }: ServerLocation, findings: Findings): Promise<void> {
  const grants = (await rows(connection, 'SHOW GRANTS')).map(([grant]) => String(grant).toUpperCase())
  const places = [' ON *.* ', ` ON \`${database.toUpperCase()}\`.* `]
  const own = grants.filter((grant) => places.some((place) => grant.replaceAll('\\', '').includes(place)))
  // A role may have them; what it has is not shown here.
  if (own.length === 0 || own.some((grant) => grant.includes('ALL PRIVILEGES'))) return
  const missing = RIGHTS.filter((right) => !own.some((grant) => new RegExp(`\\b${right}\\b`).test(grant)))
  if (missing.length > 0)
    findings.warn(
      `the user may not ${missing.join(', ')}`,
      `GRANT ALL ON \`${database}\`.* to it; the first start makes the tables.`,
    )
}

async function rows(connection: Connection, sql: string, values: string[] = []): Promise<[[unknown]]> {
  const [found] = await connection.query({ sql, values, rowsAsArray: true })
  return found as unknown as [[unknown]]
}
