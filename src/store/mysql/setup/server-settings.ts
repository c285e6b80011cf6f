// What a server is, and which of its settings would break a promise. Read at the start, and by `duetime doctor`.

import type { Connection } from 'mysql2/promise'

export type ServerKind = 'MySQL' | 'MariaDB' | 'TiDB'
export type Server = {
  readonly kind: ServerKind
  readonly version: string
  readonly packetBytesMax: number
  readonly isReadOnly: boolean
  /** Null where the server has no such setting. */
  readonly flushAtCommit: number | null
  readonly isBinlogOn: boolean
  readonly syncBinlog: number | null
}

/** The oldest that tests have run on, or that has all that is used: common table expressions, and what is told of locks. */
const OLDEST: Readonly<Record<ServerKind, readonly [major: number, minor: number]>> = {
  MySQL: [8, 0],
  MariaDB: [10, 6],
  TiDB: [7, 5],
}

const NAMES = [
  'max_allowed_packet',
  'read_only',
  'innodb_read_only',
  'innodb_flush_log_at_trx_commit',
  'log_bin',
  'sync_binlog',
]

export async function readServer(connection: Connection): Promise<Server> {
  const [rows] = await connection.query({
    sql: `SELECT VERSION(); SHOW VARIABLES WHERE Variable_name IN (${NAMES.map((name) => `'${name}'`).join(', ')})`,
    rowsAsArray: true,
  })
  const [[[version]], variables] = rows as unknown as [[[string]], (readonly [name: string, value: string])[]]
  const values = new Map(variables)
  const number = (name: string) => (values.has(name) ? Number(values.get(name)) : null)
  const isOn = (name: string) => /^(ON|1)$/i.test(values.get(name) ?? '')
  const kind = /TiDB/i.test(version) ? 'TiDB' : /MariaDB/i.test(version) ? 'MariaDB' : 'MySQL'
  return {
    kind,
    version: kind === 'TiDB' ? version.replace(/^.*TiDB-v?/i, '') : version,
    packetBytesMax: number('max_allowed_packet') ?? 2 ** 24,
    isReadOnly: isOn('read_only') || isOn('innodb_read_only'),
    flushAtCommit: kind === 'TiDB' ? null : number('innodb_flush_log_at_trx_commit'),
    isBinlogOn: kind !== 'TiDB' && isOn('log_bin'),
    syncBinlog: kind === 'TiDB' ? null : number('sync_binlog'),
  }
}

/** Null: it will do. */
export function serverProblem({ kind, version }: Pick<Server, 'kind' | 'version'>): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST[kind]
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null
  return `the server is ${kind} ${version}: version ${oldestMajor}.${oldestMinor} or newer is needed`
}

export function unsafeSettings({ flushAtCommit, isBinlogOn, syncBinlog }: Server): string[] {
  const problems: string[] = []
  if (flushAtCommit !== null && flushAtCommit !== 1)
    problems.push(
      `innodb_flush_log_at_trx_commit is ${flushAtCommit}: a power failure of the server can lose acknowledged timers; set it to 1`,
    )
  if (isBinlogOn && syncBinlog !== 1)
    problems.push(
      `sync_binlog is ${syncBinlog}: after a power failure of the server a replica may have other timers than it; set it to 1`,
    )
  return problems
}
