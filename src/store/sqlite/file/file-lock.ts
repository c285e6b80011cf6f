// One process per database file: a second one would fire every timer twice. The lock is an empty SQLite database
// beside the real one, held in an open exclusive transaction, so that the kernel gives it back whatever way the
// process ends. The database itself stays open to readers, which a backup or a curious shell need.

import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../store.ts'
import { makeSecret } from './connection.ts'
import { failureOf, isBusy, toStoreError } from '../failures.ts'

export type FileLock = { readonly release: () => void }

export function lockFile(path: string): FileLock {
  const lockPath = `${path}.lock`
  let db: DatabaseSync | null = null
  try {
    makeSecret(lockPath) // else anybody could hold it
    db = new DatabaseSync(lockPath, { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    if (!isBusy(error)) throw toStoreError(failureOf(error, { path: lockPath, doing: 'open' }))
    throw new StoreError(
      `${path} is in use by another process, and only one may serve it: stop that one first (\`fuser ${lockPath}\` names it), or give another path`,
      { retryable: true },
    )
  }
  const held = db
  return { release: () => held.close() }
}
