// The keyspace, its tables, and what is fixed when they are first used. They are made at the first start where the user may do
// that; else the message says what to make.

import { randomBytes } from 'node:crypto'
import type { CassandraLocation } from '../../runtime/config/databases/cassandra.ts'
import { StoreError } from '../store.ts'
import { TABLES } from './schema.ts'
import type { Row, Session } from './session.ts'

const FORMAT = 1
const SECRET_BYTES = 32
const REPLICAS_MAX = 3
const CHANGE_WITHIN_MS = 30_000 // all nodes must agree on the schema
const AT_SETTINGS = `place = 'settings' AND kind = '' AND name = ''`
const UNAUTHORIZED = 0x2100

export type StoreSettings = { readonly shards: number; readonly secret: string }

export async function prepareKeyspace(
  session: Session,
  { keyspace }: CassandraLocation,
  shards: number,
): Promise<StoreSettings> {
  // All of it through the same node of the database, which does one change of the schema after the other: two nodes that make
  // the same table at the same moment would make two.
  const change = { host: session.hosts[0]!, withinMs: CHANGE_WITHIN_MS }
  try {
    if ((await replicationOf(session, keyspace)) === null) {
      const replicas = Math.min(
        REPLICAS_MAX,
        session.hosts.filter((one) => one.datacenter === session.dataCenter).length,
      )
      const replication = `{'class': 'NetworkTopologyStrategy', '${session.dataCenter.replaceAll("'", "''")}': ${replicas}}`
      await session.run(`CREATE KEYSPACE IF NOT EXISTS "${keyspace}" WITH replication = ${replication}`, change)
    }
    await session.run(`USE "${keyspace}"`)
    if (!(await hasTables(session, keyspace))) for (const table of TABLES) await session.run(table, change)
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: number }
    if (code !== UNAUTHORIZED) throw error
    throw new StoreError(
      `${(error as Error).message}: make the keyspace and the tables, as docs/operations/cassandra.md has them, or let this user do it`,
      { retryable: false, cause: error },
    )
  }
  const secret = randomBytes(SECRET_BYTES).toString('base64')
  const made = `INSERT INTO cluster (place, kind, name, format, shards, secret) VALUES ('settings', '', '', ?, ?, ?) IF NOT EXISTS`
  await session.write([{ query: made, params: [FORMAT, shards, secret] }])
  return (await readSettings(session))!
}

/** Null when there is no such keyspace. */
export async function replicationOf(session: Session, keyspace: string): Promise<ReadonlyMap<string, string> | null> {
  const query = 'SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?'
  const [row] = await session.read(query, [keyspace])
  return row === undefined ? null : (row['replication'] as ReadonlyMap<string, string>)
}

export async function hasTables(session: Session, keyspace: string): Promise<boolean> {
  const query = 'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?'
  const names = (await session.read(query, [keyspace])).map((row: Row) => row['table_name'])
  return ['timers', 'cluster'].every((name) => names.includes(name))
}

/** Null for tables that no service has used yet. */
export async function readSettings(session: Session): Promise<StoreSettings | null> {
  const [row] = await session.read(`SELECT format, shards, secret FROM cluster WHERE ${AT_SETTINGS}`, [], {
    isSerial: true,
  })
  if (row === undefined) return null
  if (row['format'] !== FORMAT)
    throw StoreError.lasting(`the tables have format ${String(row['format'])}, and this program knows ${FORMAT}`)
  return { shards: row['shards'] as number, secret: row['secret'] as string }
}
