// A PostgreSQL server, looked at in a read-only transaction on one connection: no table is made, no shard claimed.

import type { Clock } from '../../../runtime/clock/clock.ts'
import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import type { Findings } from '../finding.ts'
import { messageOf } from '../finding.ts'
import { checkSchema } from './check-schema.ts'
import { judgeClock } from './database-clock.ts'

const CONNECT_MS = 5_000

const SETTINGS_SQL = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
    current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS pages, current_setting('synchronous_commit') AS sync,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS room,
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    pg_is_in_recovery() AS standby`
type Settings = {
  readonly version: string
  readonly number: number
  readonly encoding: string
  readonly fsync: string
  readonly pages: string
  readonly sync: string
  readonly room: number
  readonly connections: number
  readonly standby: boolean
}

export type PostgresCheck = { readonly location: PostgresLocation; readonly poolSize: number; readonly clock: Clock }

export async function checkPostgres({ location, poolSize, clock }: PostgresCheck, findings: Findings): Promise<void> {
  const { default: pg } = await import('pg')
  const { clientConfig } = await import('../../../store/postgres/connection/connections.ts')
  const { FAILURES } = await import('../../../store/postgres/connection/failures.ts')
  const client = new pg.Client({
    ...clientConfig(location),
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: CONNECT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    const { message } = FAILURES.failureOf(error, { location, stage: 'connect', effect: 'read' })
    return findings.fail(
      message,
      'Is the server running, and do PG_HOST, PG_PORT, PG_USER, PG_PASSWORD or DATABASE_URL name it?',
    )
  }
  try {
    await client.query('BEGIN READ ONLY')
    const before = clock.monotonic()
    const { rows: times } = await client.query<{ ms: string }>(
      'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms',
    )
    const roundTripMs = clock.monotonic() - before
    const skewMs = clock.now() - roundTripMs / 2 - Number(times[0]!.ms)
    judgeSettings((await client.query<Settings>(SETTINGS_SQL)).rows[0]!, { location, poolSize }, findings)
    judgeClock(skewMs, roundTripMs, findings)
    const { setupOn } = await import('../../../store/postgres/setup/migrations.ts')
    await checkSchema(setupOn(client), findings)
  } catch (error) {
    findings.fail(messageOf(error), 'docs/operations/postgresql.md says what the database needs.')
  } finally {
    await client.end().catch(() => {})
  }
}

function judgeSettings(
  settings: Settings,
  { location, poolSize }: Omit<PostgresCheck, 'clock'>,
  findings: Findings,
): void {
  const place = `${location.host}:${location.port}/${location.database}`
  if (settings.number < 130_000)
    findings.fail(`${place} is PostgreSQL ${settings.version}`, 'Version 13 or newer is needed.')
  else findings.ok(`${place} is PostgreSQL ${settings.version}`)
  if (settings.standby) findings.fail('the server is a standby and takes no writes', 'Name the primary.')
  if (settings.encoding !== 'UTF8')
    findings.fail(`the database has the encoding ${settings.encoding}`, "Create one with ENCODING 'UTF8'.")
  if (settings.fsync === 'off') {
    findings.fail('fsync is off: a power failure can lose acknowledged timers', 'Set fsync = on in postgresql.conf.')
  }
  if (settings.pages === 'off') {
    findings.warn(
      'full_page_writes is off: a power failure can break the database',
      'Set it on unless the file system writes whole pages.',
    )
  }
  if (settings.sync === 'off')
    findings.ok('synchronous_commit is off by default; the service turns it on for its own connections')
  const free = settings.room - settings.connections
  const said = `${settings.connections} of ${settings.room} connections are in use, and a node may open ${poolSize} (PG_POOL_SIZE)`
  if (settings.room < poolSize) findings.fail(said, 'Raise max_connections or lower PG_POOL_SIZE.')
  else if (free < poolSize)
    findings.warn(said, 'One more node may find no connection: raise max_connections or lower PG_POOL_SIZE.')
  else findings.ok(said)
}
