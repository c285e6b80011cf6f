// A Cassandra or ScyllaDB cluster, looked at without writing: can it be reached, does it sync what it acknowledges, are there
// enough replicas. What it tells about the tables is in cassandra-tables.ts.

import type { Clock } from '../../../runtime/clock/clock.ts'
import type { Config } from '../../../runtime/config/config.ts'
import type { CassandraLocation } from '../../../runtime/config/databases/cassandra.ts'
import type { CommitLogSync } from '../../../store/cassandra/nodes.ts'
import type { Session } from '../../../store/cassandra/session.ts'
import type { Replication } from '../../../store/cassandra/setup.ts'
import { skewOf } from '../../../store/keyed/clock-skew.ts'
import { measuredText } from '../../output/readable-time.ts'
import { bytesText } from '../check-disk.ts'
import type { Findings } from '../finding.ts'
import { messageOf } from '../finding.ts'
import { judgeRights, judgeRightToMake, judgeSize, judgeTables } from './cassandra-tables.ts'

const VERSION_MIN = 4
const REPLICAS_MIN = 3
const SKEW_WARN_MS = 100 // due times are compared on each node’s own clock
const PAYLOAD_BYTES_MAX = 4 * 2 ** 20 // a commit is a batch that is refused above half a segment of the commit log
const PAGE = 'docs/operations/cassandra.md'

export async function checkCassandra(
  location: CassandraLocation,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
  findings: Findings,
): Promise<void> {
  const { Session: Connected, placeOf } = await import('../../../store/cassandra/session.ts')
  const { readCommitLogSync } = await import('../../../store/cassandra/nodes.ts')
  const { hasTables, replicationOf } = await import('../../../store/cassandra/setup.ts')
  let session: Session | null = null
  try {
    session = await Connected.connect(location, clock)
    const { hosts, dataCenter } = session
    findings.ok(`${placeOf(location)} is reached: ${hosts.length} nodes in sight, data centre ${dataCenter}`)
    judgeVersions(hosts, findings)
    judgeSync(await readCommitLogSync(session), findings)
    await judgeClock(session, clock, findings)
    const replication = await replicationOf(session, location.keyspace)
    const { keyspace } = location
    const judgeMaking = async (what: string, isKeyspaceThere: boolean): Promise<void> => {
      findings.ok(`there ${what} yet; ${config.migrateAtStart ? 'the first start' : '`duetime migrate up`'} makes them`)
      if (config.migrateAtStart) await judgeRightToMake(session!, { ...location, isKeyspaceThere }, findings)
    }
    if (replication === null) return await judgeMaking(`is no keyspace ${keyspace} and no table`, false)
    judgeReplicas(replication, session.dataCenter, findings)
    if (!(await hasTables(session, keyspace))) return await judgeMaking('are no tables', true)
    await session.run(`USE "${keyspace}"`)
    await judgeTables(session, keyspace, findings)
    if (await judgeRights(session, keyspace, findings)) await judgeSize(session, keyspace, findings)
    if (config.payloadMaxBytes > PAYLOAD_BYTES_MAX)
      findings.warn(
        `PAYLOAD_MAX_BYTES is ${bytesText(config.payloadMaxBytes)}, and a batch of Cassandra must stay below half a commit log segment`,
        `Set it to ${bytesText(PAYLOAD_BYTES_MAX)} at most, or raise commitlog_segment_size on every node.`,
      )
  } catch (error) {
    findings.fail(
      messageOf(error),
      `Does DATABASE_URL name nodes of the database, and is the password right? See ${PAGE}.`,
    )
  } finally {
    await session?.client.shutdown()
  }
}

function judgeVersions(hosts: Session['hosts'], findings: Findings): void {
  const versions = [...new Set(hosts.map(({ cassandraVersion }) => cassandraVersion))]
  const isOld = versions.some((version) => Number.parseInt(version, 10) < VERSION_MIN)
  // ScyllaDB says that it is Cassandra 3.
  if (isOld)
    findings.warn(
      `the nodes say that they are version ${versions.join(', ')}`,
      'Cassandra 5 is tested; 4.1 and ScyllaDB are not.',
    )
  else findings.ok(`the nodes are version ${versions.join(', ')}`)
}

function judgeSync(nodes: readonly CommitLogSync[], findings: Findings): void {
  const unsafe = nodes.filter(({ isDurable }) => !isDurable)
  if (unsafe.length > 0)
    findings.fail(
      `commitlog_sync is ${unsafe[0]!.sync} on ${unsafe.map(({ host }) => host.address).join(', ')}: a power failure takes acknowledged timers`,
      'Set `commitlog_sync: batch` (or `group`) in cassandra.yaml of every node, and restart them one after the other.',
    )
  else if (nodes.some(({ sync }) => sync === null))
    findings.warn(
      'a node does not tell its commitlog_sync',
      'See that it is `batch` or `group` in the configuration of every node.',
    )
  else findings.ok('every node syncs its commit log before it acknowledges a write')
}

async function judgeClock(session: Session, clock: Clock, findings: Findings): Promise<void> {
  const sentAt = clock.now()
  const [row] = await session.run('SELECT toTimestamp(now()) AS now FROM system.local')
  const serverAt = (row!['now'] as Date).getTime()
  const skewMs = skewOf({ sentAt, answeredAt: clock.now() }, [serverAt, serverAt])
  if (Math.abs(skewMs) < SKEW_WARN_MS) findings.ok('this machine’s clock and the database’s agree')
  else
    findings.warn(
      `this machine’s clock is ${measuredText(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the database’s`,
      'Let chrony or systemd-timesyncd set both: timers fire by the clock of the node.',
    )
}

function judgeReplicas(replication: Replication, dataCenter: string, findings: Findings): void {
  const said = replication[dataCenter] ?? replication['replication_factor']
  if (said === undefined)
    return findings.fail(
      `the keyspace has no replicas in data centre ${dataCenter}`,
      'Name the right one with ?datacenter=, or ALTER KEYSPACE.',
    )
  if (Number.parseInt(said, 10) < REPLICAS_MIN)
    findings.warn(
      `there are ${said} replicas in data centre ${dataCenter}: the service stops when one node is away`,
      `Use three: ALTER KEYSPACE … WITH replication = {'class': 'NetworkTopologyStrategy', '${dataCenter}': 3}, then nodetool repair.`,
    )
  else findings.ok(`there are ${said} replicas in data centre ${dataCenter}`)
}
