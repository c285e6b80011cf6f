// Opens the database file and tunes the connection. Everything that can be wrong with a file is found here,
// before the service says that it is ready.

import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../store.ts'
import { APPLICATION_ID, migrate, SCHEMA_VERSION, schemaVersion } from './migrations.ts'
import { failureOf, toStoreError } from '../failures.ts'

export const PAGE_BYTES = 4_096 // 1,024 to 16,384 wrote at the same rate: a commit costs by pages touched, not by bytes
const BUSY_MS = 5_000 // someone's sqlite3 shell may hold the write lock for a moment
export const WAL_BYTES_KEPT = 128 * 1_024 * 1_024 // a file that grew during a backup is cut back to this

/** Payloads and headers of callbacks are in it. */
export const SECRET_MODE = 0o600

export type ConnectionOptions = {
  readonly path: string
  readonly cacheMiB: number
  /** A quota for the file. Writes beyond it fail as they do when the disk is full. */
  readonly maxPages?: number | undefined
}

/** For the writer: makes the file and its directory when missing, checks whose it is, migrates it. */
export function openForWriting(options: ConnectionOptions): DatabaseSync {
  return opening(options.path, () => {
    assertUsablePath(options.path)
    makeSecret(options.path)
    const db = new DatabaseSync(options.path, { timeout: BUSY_MS })
    try {
      assertOurs(db, options.path)
      applyPragmas(db, options.cacheMiB)
      if (options.maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${options.maxPages}`)
      migrate(db)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  })
}

/** Changes nothing, and does not wait for a service that has the file open. */
export function schemaState(path: string): { readonly found: number; readonly known: number } {
  return opening(path, () => {
    if (!existsSync(path)) return { found: 0, known: SCHEMA_VERSION }
    const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS })
    try {
      assertOurs(db, path)
      return { found: schemaVersion(db), known: SCHEMA_VERSION }
    } finally {
      db.close()
    }
  })
}

/** For everyone else. The file must be there and be ours. */
export function openForReading(options: ConnectionOptions): DatabaseSync {
  return opening(options.path, () => {
    if (!existsSync(options.path)) throw StoreError.lasting(`there is no database at ${options.path}: check the path`)
    const db = new DatabaseSync(options.path, { readOnly: true, timeout: BUSY_MS })
    try {
      assertOurs(db, options.path)
      if (schemaVersion(db) === 0) throw StoreError.lasting(`${options.path} is an empty database: check the path`)
      db.exec(`PRAGMA cache_size = -${options.cacheMiB * 1_024}; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON`)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  })
}

/**
 * What makes writes durable and fast. Checkpoints are the writer's own business: SQLite's automatic ones would run
 * inside a commit, before it is acknowledged.
 */
export function applyPragmas(db: DatabaseSync, cacheMiB = 256): void {
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}`)
  const { journal_mode: mode } = db.prepare('PRAGMA journal_mode = WAL').get()!
  if (mode !== 'wal')
    throw new Error(`journal_mode is ${String(mode)}, not wal: the file system must support shared memory`)
  db.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; -- for macOS, where a plain fsync leaves commits in the disk's cache
    PRAGMA cache_size = -${cacheMiB * 1_024};
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = ${WAL_BYTES_KEPT};
    PRAGMA temp_store = MEMORY;
  `)
}

/** Refuses paths that cannot become a database file; makes the directory. */
export function assertUsablePath(path: string): void {
  if (path === '' || path === ':memory:' || path.startsWith('file:')) {
    throw StoreError.lasting(
      `'${path}' is not a file path: give the path of a file, or use the memory store where nothing need be kept`,
    )
  }
  makeDirectory(dirname(path))
  if (existsSync(path) && statSync(path).isDirectory()) {
    throw StoreError.lasting(`${path} is a directory: give the path of a file in it, such as ${path}/duetime.db`)
  }
}

/** A new file is for its owner only, and SQLite gives its log the same rights. One that is there keeps what it has. */
export function makeSecret(path: string): void {
  if (existsSync(path)) return
  try {
    closeSync(openSync(path, 'a', SECRET_MODE))
  } catch {
    // Opening it says better what is wrong.
  }
}

/** mkdir's own `recursive` never returns where the system makes no directories, as in /proc. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return
  makeDirectory(dirname(directory))
  mkdirSync(directory)
}

function assertOurs(db: DatabaseSync, path: string): void {
  const id = db.prepare('PRAGMA application_id').get()!['application_id'] as number
  if (id !== APPLICATION_ID && hasTables(db)) {
    throw StoreError.lasting(
      `${path} is a SQLite database of another program (application_id ${id}): give a path of its own, nothing was changed in this file`,
    )
  }
  const version = schemaVersion(db)
  if (version > SCHEMA_VERSION) {
    throw StoreError.lasting(
      `${path} has schema version ${version} and this program knows up to ${SCHEMA_VERSION}: run the newer version that wrote it, or restore a backup`,
    )
  }
}

function hasTables(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined
}

function opening<T>(path: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    throw toStoreError(failureOf(error, { path, doing: 'open' }))
  }
}
