// What a server is, and which of its settings would break a promise. Read at the start, and by `duetime doctor`.

import type { Connection } from 'mysql2/promise'

export type ServerKind = 'MySQL' | 'MariaDB' | 'TiDB'
export type Server = {
  readonly kind: ServerKind
  readonly version: string
  readonly packetBytesMax: number
  readonly isReadOnly: boolean
  /** Null where the setting means nothing. */
  readonly flushAtCommit: number | null
  readonly syncBinlog: number | null
}

/** The oldest that tests have run on, or that has all that is used: common table expressions, and what is told of locks. */
const OLDEST: Readonly<Record<ServerKind, readonly [major: number, minor: number]>> = {
  MySQL: [8, 0],
  MariaDB: [10, 6],
  TiDB: [7, 5],
}

const NAMES = 'max_allowed_packet|read_only|innodb_read_only|innodb_flush_log_at_trx_commit|log_bin|sync_binlog'

/** TiDB has some of these settings, and does not mean them. */
export async function readServer(connection: Connection): Promise<Server> {
  const sql = `SELECT 'version', VERSION(); SHOW VARIABLES WHERE Variable_name REGEXP '^(${NAMES})$'`
  const [rows] = await connection.query({ sql, rowsAsArray: true })
  const values = new Map((rows as unknown as [string, string][][]).flat())
  const isOn = (name: string) => /^(ON|1)$/i.test(values.get(name) ?? '')
  const version = values.get('version')!
  const isTidb = /TiDB/i.test(version)
  return {
    kind: isTidb ? 'TiDB' : /MariaDB/i.test(version) ? 'MariaDB' : 'MySQL',
    version: isTidb ? version.replace(/^.*TiDB-v?/i, '') : version,
    packetBytesMax: Number(values.get('max_allowed_packet')),
    isReadOnly: isOn('read_only') || isOn('innodb_read_only'),
    flushAtCommit: isTidb ? null : Number(values.get('innodb_flush_log_at_trx_commit')),
    syncBinlog: isOn('log_bin') && !isTidb ? Number(values.get('sync_binlog')) : null,
  }
}

/** Null: it will do. */
export function serverProblem({ kind, version }: Pick<Server, 'kind' | 'version'>): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST[kind]
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null
  return `the server is ${kind} ${version}: version ${oldestMajor}.${oldestMinor} or newer is needed`
}

export function unsafeSettings({ flushAtCommit, syncBinlog }: Server): string[] {
  const problems: string[] = []
  if (flushAtCommit !== null && flushAtCommit !== 1)
    problems.push(
      `innodb_flush_log_at_trx_commit is ${flushAtCommit}: a power failure of the server can lose acknowledged timers; set it to 1`,
    )
  if (syncBinlog !== null && syncBinlog !== 1)
    problems.push(
      `sync_binlog is ${syncBinlog}: after a power failure of the server a replica may have other timers than it; set it to 1`,
    )
  return problems
}
