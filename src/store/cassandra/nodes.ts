// A setting of the nodes of the database that durability depends on.

import type { Host } from 'cassandra-driver'
import type { Session } from './session.ts'

const SETTINGS = ['system_views.settings', 'system.config'] // of Cassandra 4 and later, and of ScyllaDB
const DURABLE = ['batch', 'group']

/** How nodes sync their commit logs; null where they do not tell. `periodic` acknowledges writes that a power failure takes. */
export type CommitLogSync = { readonly host: Host; readonly sync: string | null; readonly isDurable: boolean }

/** Of the nodes that can be reached. */
export function readCommitLogSync(session: Session): Promise<CommitLogSync[]> {
  return Promise.all(
    session.hosts.map(async (host) => {
      const queries = SETTINGS.map((table) => `SELECT value FROM ${table} WHERE name = 'commitlog_sync'`)
      const answers = await Promise.all(queries.map((query) => session.run(query, [], { host }).catch(() => [])))
      const sync = (answers.flat()[0]?.['value'] as string | undefined)?.replaceAll('"', '') ?? null
      return { host, sync, isDurable: sync === null || DURABLE.includes(sync) }
    }),
  )
}
