// Copies a database that is in use: consistent as of one moment, without stopping the writer. Works from the
// service itself and from another process (`duetime backup`), since it takes no lock but a reader's.

import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup } from 'node:sqlite'
import { StoreError } from '../../store.ts'
import { openForReading, SECRET_MODE } from './connection.ts'
import { failureOf, toStoreError } from '../failures.ts'

const PAGES_PER_STEP = 250 // 1 MB, about a millisecond on a thread of the pool; then others may have it
const CACHE_MIB = 4 // every page is read once

export type BackupOptions = {
  readonly path: string
  /** Must not exist. Appears under this name when it is complete. */
  readonly to: string
  /** In pages. */
  readonly onProgress?: (done: number, total: number) => void
}

export async function backupSqliteFile({ path, to, onProgress }: BackupOptions): Promise<void> {
  if (existsSync(to))
    throw StoreError.lasting(`${to} exists already: a backup never overwrites a file, give another name`)
  const partial = `${to}.partial`
  await reserve(partial)
  try {
    await copy({ path, to: partial, ...(onProgress === undefined ? {} : { onProgress }) })
    await rename(partial, to)
    await syncDirectory(dirname(to))
  } catch (error) {
    await rm(partial, { force: true })
    throw toStoreError(failureOf(error, { path: to, doing: 'write' }))
  }
}

/** Two backups into one file would spoil each other. */
async function reserve(partial: string): Promise<void> {
  try {
    await (await open(partial, 'wx', SECRET_MODE)).close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new StoreError(
        `${partial} exists: another backup to this name is under way, or one was interrupted; if so, delete it`,
      )
    }
    throw toStoreError(failureOf(error, { path: partial, doing: 'write' }))
  }
}

async function copy({ path, to, onProgress }: BackupOptions): Promise<void> {
  const db = openForReading({ path, cacheMiB: CACHE_MIB })
  try {
    // Without a transaction of ours each step would see a newer database, and SQLite would begin anew at every commit.
    db.exec('BEGIN')
    const pages = db.prepare('PRAGMA page_count').get()!['page_count'] as number
    await backup(db, to, {
      rate: PAGES_PER_STEP,
      progress: ({ remainingPages }) => onProgress?.(pages - remainingPages, pages),
    })
    onProgress?.(pages, pages)
  } finally {
    db.close()
  }
}

/** Otherwise a power loss could take the new name with it. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory)
  await handle.sync()
}
