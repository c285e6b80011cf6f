// What a server is, and which of its settings would break a promise. Read at the start, and by `duetime doctor`.

import type { Connection } from 'mysql2/promise'

export type ServerKind = 'MySQL' | 'MariaDB' | 'TiDB'
export type Server = {
  readonly kind: ServerKind
  readonly version: string
  readonly packetBytesMax: number
  readonly isReadOnly: boolean
  /** Settings that have to be 1 and are not, with what can happen. Null where they mean nothing. */
  readonly unsafe: readonly string[] | null
}

/** The oldest that tests have run on, or that has all that is used: common table expressions, and what is told of locks. */
export const OLDEST: Readonly<Record<ServerKind, readonly number[]>> = { MySQL: [8, 0], MariaDB: [10, 6], TiDB: [7, 5] }

const FLUSH = 'innodb_flush_log_at_trx_commit'
const RISKS = {
  [FLUSH]: 'a power failure of the server can lose acknowledged timers',
  sync_binlog: 'after a power failure of the server a replica may have other timers than it',
} as const
const NAMES = ['max_allowed_packet', 'read_only', 'innodb_read_only', 'log_bin', ...Object.keys(RISKS)].join('|')

/** TiDB has some of these settings, and does not mean them. */
export async function readServer(connection: Connection): Promise<Server> {
  const sql = `SELECT 'version', VERSION(); SHOW VARIABLES WHERE Variable_name REGEXP '^(${NAMES})$'`
  const [rows] = await connection.query({ sql, rowsAsArray: true })
  const values = new Map((rows as unknown as [string, string][][]).flat())
  const isOn = (name: string) => /^(ON|1)$/i.test(values.get(name) ?? '')
  const version = values.get('version')!
  const kind = /TiDB/i.test(version) ? 'TiDB' : /MariaDB/i.test(version) ? 'MariaDB' : 'MySQL'
  const durable: readonly (keyof typeof RISKS)[] = isOn('log_bin') ? [FLUSH, 'sync_binlog'] : [FLUSH]
  const unsafe = durable.filter((name) => values.get(name) !== '1')
  return {
    kind,
    version: version.replace(/^.*TiDB-v?/i, ''),
    packetBytesMax: Number(values.get('max_allowed_packet')),
    isReadOnly: isOn('read_only') || isOn('innodb_read_only'),
    unsafe: kind === 'TiDB' ? null : unsafe.map((name) => `${name} is ${values.get(name)}: ${RISKS[name]}`),
  }
}
