// What a Cassandra cluster tells about the tables of the service: whether this user may use them, how they are set, how large
// their partitions are.

import type { Session } from '../../../store/cassandra/session.ts'
import { bytesText } from '../check-disk.ts'
import type { Findings } from '../finding.ts'
import { messageOf } from '../finding.ts'

const PAGE = 'docs/operations/cassandra.md'
const MIB = 2 ** 20
const UNAUTHORIZED = 0x2100 // a code of the protocol
const TELLS_WITHIN_MS = 2_000
const PARTITION_WARN_BYTES = 2 ** 30
/** Of a row that is never there. */
const PROBE = `DELETE FROM cluster WHERE place = 'doctor' AND sort = '' IF EXISTS`

type Place = { readonly user: string | null; readonly keyspace: string; readonly isKeyspaceThere: boolean }

/** Of tables that are not there yet. Whoever makes them may use them afterwards. */
export async function judgeRightToMake(session: Session, place: Place, findings: Findings): Promise<void> {
  const { user, keyspace, isKeyspaceThere } = place
  const granted = user === null ? null : await permissionsOf(session, user)
  const places = ['<all keyspaces>', ...(isKeyspaceThere ? [`<keyspace ${keyspace}>`] : [])]
  const mayCreate = ({ resource, permission }: Permission) => permission === 'CREATE' && places.includes(resource)
  if (granted === null || granted.some(mayCreate)) return
  findings.fail(
    `the user may not CREATE ${isKeyspaceThere ? 'tables' : 'a keyspace'}`,
    `GRANT CREATE ON ${isKeyspaceThere ? `KEYSPACE ${keyspace}` : 'ALL KEYSPACES'} to it, or let somebody else run \`duetime migrate up\` and GRANT it SELECT and MODIFY.`,
  )
}

type Permission = { readonly resource: string; readonly permission: string }

/** Also those of its roles. Null where nobody is asked for rights, or this one may do everything. */
async function permissionsOf({ client }: Session, user: string): Promise<Permission[] | null> {
  const role = `"${user.replaceAll('"', '""')}"`
  const { rows: roles } = await client.execute(`LIST ROLES OF ${role}`).catch(() => ({ rows: [] }))
  if (roles.some((row) => row['super'] === true)) return null
  const answer = await client.execute(`LIST ALL PERMISSIONS OF ${role}`).catch(() => null)
  return answer === null ? null : (answer.rows as unknown as Permission[])
}

/** By doing it: reading, and a conditional write whose condition is not met, so that it writes nothing. */
export async function judgeRights(session: Session, keyspace: string, findings: Findings): Promise<boolean> {
  const { readSettings } = await import('../../../store/cassandra/setup.ts')
  const { statement } = await import('../../../store/cassandra/session.ts')
  const tries = { SELECT: () => readSettings(session), MODIFY: () => session.write([statement(PROBE)]) }
  for (const [right, attempt] of Object.entries(tries)) {
    try {
      await attempt()
    } catch (error) {
      const isDenied = ((error as Error).cause as { readonly code?: number } | undefined)?.code === UNAUTHORIZED
      if (isDenied)
        findings.fail(
          `the user has no right to ${right} in keyspace ${keyspace}`,
          `GRANT SELECT and MODIFY ON KEYSPACE ${keyspace} to it: both are needed for conditional writes.`,
        )
      else findings.fail(messageOf(error), `A majority of the replicas must answer. See ${PAGE}.`)
      return false
    }
  }
  findings.ok('the user may read and write, and conditional writes are answered')
  return true
}

/** `compaction` and `gc_grace_seconds`, compared with those that the first start gives them. */
export async function judgeTables(session: Session, keyspace: string, findings: Findings): Promise<void> {
  const { TABLES } = await import('../../../store/cassandra/schema.ts')
  const query = 'SELECT table_name, compaction, gc_grace_seconds FROM system_schema.tables WHERE keyspace_name = ?'
  const rows = await session.run(query, [keyspace])
  const others = TABLES.map(settingsIn).flatMap(({ table, compaction, grace }) => {
    const row = rows.find((one) => one['table_name'] === table)!
    const found = (row['compaction'] as Record<string, string>)['class']!.split('.').at(-1)!
    return [
      {
        table,
        name: 'compaction',
        found,
        expected: compaction,
        cql: `compaction = {'class': '${compaction}'}`,
        why: 'a row should be in few files, because every commit reads those that it has conditions on',
      },
      {
        table,
        name: 'gc_grace_seconds',
        found: String(row['gc_grace_seconds']),
        expected: grace,
        cql: `gc_grace_seconds = ${grace}`,
        why: 'a node of the database that was away for longer brings deleted timers back',
      },
    ].filter((setting) => setting.found !== setting.expected)
  })
  for (const { table, name, found, expected, cql, why } of others)
    findings.warn(
      `${name} of table ${table} is ${found}, and the service makes it with ${expected}: ${why}`,
      `ALTER TABLE ${keyspace}.${table} WITH ${cql}, unless you have a reason.`,
    )
  if (others.length === 0) findings.ok('compaction and gc_grace_seconds of the tables are as the service makes them')
}

function settingsIn(definition: string): {
  readonly table: string
  readonly compaction: string
  readonly grace: string
} {
  const part = (pattern: RegExp) => pattern.exec(definition)![1]!
  return { table: part(/EXISTS (\w+)/), compaction: part(/'class': '(\w+)'/), grace: part(/gc_grace_seconds = (\d+)/) }
}

/** As the nodes know it from their files: what is only in memory yet counts nothing. */
export async function judgeSize(session: Session, keyspace: string, findings: Findings): Promise<void> {
  const { readSettings } = await import('../../../store/cassandra/setup.ts')
  const settings = await readSettings(session)
  if (settings === null) return
  const [mean, largest] = await Promise.all([
    maximum(session, 'SELECT mean_partition_size AS size FROM system.size_estimates', keyspace),
    // Whole mebibytes; ScyllaDB has no such table.
    maximum(session, 'SELECT mebibytes AS size FROM system_views.max_partition_size', keyspace),
  ])
  const bytes = Math.max(mean ?? 0, (largest ?? 0) * MIB)
  const said = `${settings.shards} shards; the ${largest === null ? 'mean' : 'largest'} partition has about ${bytesText(bytes)}`
  if (bytes > PARTITION_WARN_BYTES)
    findings.warn(said, 'Shorten RETENTION, or make the partitions smaller with `duetime reshard`.')
  else findings.ok(`${said}, of the ${bytesText(PARTITION_WARN_BYTES)} that are fine`)
}

/** Of what the nodes tell; null when none does. */
async function maximum(session: Session, select: string, keyspace: string): Promise<number | null> {
  const query = `${select} WHERE keyspace_name = ? AND table_name = 'timers'`
  const answers = session.hosts.map((host) =>
    session.run(query, [keyspace], { host, withinMs: TELLS_WITHIN_MS }).catch(() => null),
  )
  const told = (await Promise.all(answers)).filter((rows) => rows !== null)
  return told.length === 0 ? null : Math.max(0, ...told.flat().map(({ size }) => Number(size)))
}
