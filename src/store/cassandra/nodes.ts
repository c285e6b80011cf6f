// What each node of the database says of itself: settings that durability depends on, and how large its partitions are.

import type { Row, Session } from './session.ts'

export type DatabaseNode = {
  readonly address: string
  readonly version: string
  /** `periodic` acknowledges writes that a power failure takes; null where the node does not tell. */
  readonly commitLogSync: string | null
  /** The mean size of the partitions of shards, as the node last estimated it; zero while it knows of none. */
  readonly partitionBytes: number
}

const SETTINGS = ['system_views.settings', 'system.config'] // of Cassandra 4 and later, and of ScyllaDB

/** Of those that can be reached. */
export function readNodes(session: Session, keyspace: string): Promise<DatabaseNode[]> {
  return Promise.all(
    session.hosts.map(async (host) => {
      const ask = (query: string): Promise<Row[]> => session.run(query, { host }).catch(() => [])
      const [local] = await session.run('SELECT release_version FROM system.local', { host })
      const answers = SETTINGS.map((table) => ask(`SELECT value FROM ${table} WHERE name = 'commitlog_sync'`))
      const [setting] = (await Promise.all(answers)).flat()
      const sizes = await ask(
        `SELECT mean_partition_size FROM system.size_estimates WHERE keyspace_name = '${keyspace}' AND table_name = 'timers'`,
      )
      return {
        address: host.address,
        version: local!['release_version'] as string,
        commitLogSync: setting === undefined ? null : (setting['value'] as string).replaceAll('"', ''),
        partitionBytes: Math.max(0, ...sizes.map((row) => Number(row['mean_partition_size']))),
      }
    }),
  )
}

export function isDurable({ commitLogSync }: DatabaseNode): boolean {
  return commitLogSync === null || commitLogSync === 'batch' || commitLogSync === 'group'
}
