// A SQLite file as of one moment, read-only: to list everything in it while the service goes on writing. It takes no
// lock but a reader's, and holds it until it is closed; the log beside the file grows meanwhile.

import type { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../store.ts'
import type { ListPage, ListQuery, NamespaceScope, Store, StoreStats } from '../../store.ts'
import { timersOf } from '../../row/timer-row.ts'
import { openForReading } from './connection.ts'
import { failureOf, toStoreError } from '../failures.ts'
import { SCHEMA_VERSION, schemaVersion } from './migrations.ts'
import { Reader } from '../reader.ts'

export type SqliteSnapshot = Pick<Store, 'list' | 'stats' | 'close'> & {
  readonly capabilities: { readonly name: string }
}

const CACHE_MIB = 16 // every page is read about once

/** Synchronous inside: for commands, not for the thread that fires timers. */
export function openSqliteSnapshot(path: string): SqliteSnapshot {
  const db = openForReading({ path, cacheMiB: CACHE_MIB })
  const answer = async <T>(read: () => T): Promise<T> => {
    try {
      return read()
    } catch (error) {
      throw toStoreError(failureOf(error, { path, doing: 'read' }))
    }
  }
  assertMigrated(db, path)
  db.exec('BEGIN')
  const reader = new Reader(db)
  // A deferred transaction sees the moment of its first read.
  reader.answer({ name: 'shards', argument: null })
  return {
    capabilities: { name: 'sqlite' },
    list: (query: ListQuery): Promise<ListPage> =>
      answer(() => {
        const { cells, next } = reader.answer({ name: 'list', argument: query })
        return { timers: timersOf(cells, query.omit), next }
      }),
    stats: (scope: NamespaceScope = {}): Promise<StoreStats> =>
      answer(() => reader.answer({ name: 'stats', argument: scope })),
    close: () => answer(() => reader.close()),
  }
}

/** Only the writer may migrate, and the service that writes may be of another version. */
function assertMigrated(db: DatabaseSync, path: string): void {
  const version = schemaVersion(db)
  if (version === SCHEMA_VERSION) return
  db.close()
  const advice = 'start the service of this version on it once'
  throw StoreError.lasting(`${path} has schema version ${version} and this program reads ${SCHEMA_VERSION}: ${advice}`)
}
