// The keyspace, its tables, and what is fixed when they are first used. They are made at the first start where the user may do
// that; else the message says what to make.

import type { CassandraLocation } from '../../runtime/config/databases/cassandra.ts'
import { newSettings, settingsOf } from '../keyed/store-settings.ts'
import type { KeyedOptions, StoredSettings, StoreSettings } from '../keyed/store-settings.ts'
import { TABLES } from './schema.ts'
import { statement } from './session.ts'
import type { Session } from './session.ts'

const REPLICAS_MAX = 3
const CHANGE_WITHIN_MS = 30_000 // all nodes must agree on the schema
const MAKE_SETTINGS = `INSERT INTO cluster (place, sort, item) VALUES ('settings', '', ?) IF NOT EXISTS`
const READ_SETTINGS = `SELECT item FROM cluster WHERE place = 'settings' AND sort = ''`

type Options = CassandraLocation & KeyedOptions
/** Replicas by data centre, or as `replication_factor`. */
export type Replication = Readonly<Record<string, string>>

export async function prepareKeyspace(session: Session, options: Options): Promise<StoreSettings> {
  const { keyspace } = options
  // All of it through the same node of the database, which does one change of the schema after the other: two nodes that make
  // the same table at the same moment would make two.
  const change = { host: session.hosts[0]!, withinMs: CHANGE_WITHIN_MS }
  if ((await replicationOf(session, keyspace)) === null) {
    const { hosts, dataCenter } = session
    const replicas = Math.min(REPLICAS_MAX, hosts.filter(({ datacenter }) => datacenter === dataCenter).length)
    const replication = `{'class': 'NetworkTopologyStrategy', '${dataCenter.replaceAll("'", "''")}': ${replicas}}`
    await session.run(`CREATE KEYSPACE IF NOT EXISTS "${keyspace}" WITH replication = ${replication}`, [], change)
  }
  await session.run(`USE "${keyspace}"`)
  if (!(await hasTables(session, keyspace))) for (const table of TABLES) await session.run(table, [], change)
  await session.write([statement(MAKE_SETTINGS, JSON.stringify(newSettings(options)))])
  return (await readSettings(session))!
}

/** Null when there is no such keyspace. */
export async function replicationOf(session: Session, keyspace: string): Promise<Replication | null> {
  const [row] = await session.run('SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?', [keyspace])
  return row === undefined ? null : (row['replication'] as Replication)
}

/** The last one that is made is there. */
export async function hasTables({ client }: Session, keyspace: string): Promise<boolean> {
  return (await client.metadata.getTable(keyspace, 'cluster')) !== null
}

/** Null for tables that no service has used yet. */
export async function readSettings(session: Session): Promise<StoreSettings | null> {
  const [row] = await session.run(READ_SETTINGS, [], { isSerial: true })
  return row === undefined ? null : settingsOf(JSON.parse(row['item'] as string) as StoredSettings, 'the keyspace')
}
