// What went wrong in SQLite or the file system, said so that the reader knows what to do. Errors cross from a
// worker thread to the main thread as plain values.

import { lasting, passing, withAdvice } from '../sql/failure-advice.ts'
import type { Advice } from '../sql/failure-advice.ts'
import { StoreError } from '../store.ts'

export type Failure = Pick<StoreError, 'message' | 'retryable' | 'outcomeUnknown' | 'isFull'>
type Context = { readonly path: string; readonly doing: 'open' | 'read' | 'write' | 'commit' }

const IOERR = 10
const FULL = 13

const LOCKED = passing('another program holds its lock: close that program')
// By SQLite's primary result code.
const ADVICE: Readonly<Record<number, Advice>> = {
  5: LOCKED,
  6: LOCKED,
  7: passing('the process is out of memory'),
  8: passing('it cannot be written to: make the file and its directory writable for this user'),
  [IOERR]: passing('the disk or file system failed: look at its health and at the system log'),
  11: lasting('the file is damaged: stop the service, keep a copy of the file, and restore a backup'),
  [FULL]: passing('the disk (or the quota of this file) is full: free some space, and writing goes on by itself'),
  14: passing('the file cannot be opened: check that its directory exists and that this user may read and write both'),
  26: lasting('it is not a SQLite database, or its header is damaged: give another path, or restore a backup'),
}

export function failureOf(error: unknown, { path, doing }: Context): Failure {
  if (error instanceof StoreError) return error
  const code = primaryCode(error) ?? fileSystemCode(error)
  const known = code === null ? undefined : ADVICE[code]
  const detail = error instanceof Error ? error.message : String(error)
  return {
    message: `cannot ${doing === 'commit' ? 'write' : doing} ${path}: ${withAdvice(known?.advice, detail)}`,
    retryable: known?.retryable ?? false,
    // A failed fsync leaves the commit in the log file: a crash now could bring it back. In all other cases
    // the last frame of the commit is not there, and what is there of it does not count.
    outcomeUnknown: doing === 'commit' && code === IOERR,
    isFull: code === FULL,
  }
}

export function toStoreError(failure: Failure): StoreError {
  return failure instanceof StoreError ? failure : new StoreError(failure.message, failure)
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5
}

/** Extended codes carry the primary one in their low byte. */
function primaryCode(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 0xff : null
}

/** Errors of mkdir and stat, as the SQLite code that means the same. */
function fileSystemCode(error: unknown): number | null {
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (code === 'ENOSPC' || code === 'EDQUOT') return FULL
  if (code === 'EROFS') return 8
  if (code === 'EACCES' || code === 'EPERM' || code === 'ENOENT' || code === 'ENOTDIR' || code === 'EEXIST') return 14
  return null
}
