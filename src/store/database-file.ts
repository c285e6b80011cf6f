// A database that is a file of this machine: it can be read and copied as of one moment without owning it, also while a service
// writes to it. Databases behind a server have ways of their own for that.

import type { DatabaseLocation } from '../runtime/config/databases/databases.ts'
import type { SqliteSnapshot } from './sqlite/file/snapshot.ts'

export type DatabaseFile = {
  readonly path: string
  readonly openSnapshot: () => Promise<SqliteSnapshot>
  readonly backUp: (to: string, onProgress: (done: number, total: number) => void) => Promise<void>
}

/** Null: it is none. */
export function databaseFile(location: DatabaseLocation): DatabaseFile | null {
  if (location.type !== 'sqlite') return null
  const { path } = location
  return {
    path,
    openSnapshot: async () => (await import('./sqlite/file/snapshot.ts')).openSqliteSnapshot(path),
    backUp: async (to, onProgress) =>
      (await import('./sqlite/file/backup.ts')).backupSqliteFile({ path, to, onProgress }),
  }
}
