// Room in the write-ahead log before it is needed. A log that grows with every commit makes the file system find blocks and write
// its own tables with every sync: on ext4 a commit of 32 timers took two to three times the CPU time of one that overwrites.
// After the first checkpoint the log is overwritten anyway, but until then it grows by 128 MiB, and so after every start.

import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { PAGE_BYTES, WAL_BYTES_KEPT } from './connection.ts'

const FRAME_BYTES = PAGE_BYTES + 24
const HEADER_BYTES = 32
const LEAST_BYTES = 1_024 * 1_024 // a file that is hardly written to gets no room
const AHEAD_BYTES_MAX = 8 * LEAST_BYTES // takes some 20 ms, during which commits wait
const ZEROS = new Uint8Array(LEAST_BYTES)

export class LogSpace {
  readonly #db: DatabaseSync
  readonly #path: string
  #file: number | null = null
  /** Up to here the file is there, or could not be made longer; it is never shorter, but for what SQLite cuts off above WAL_BYTES_KEPT. */
  #bytes = 0

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#path = path
  }

  /** `frames`: how many the log has. As much room ahead as there is log. */
  prepare(frames: number): void {
    const used = HEADER_BYTES + frames * FRAME_BYTES
    const wanted = Math.min(used + Math.min(used, AHEAD_BYTES_MAX), WAL_BYTES_KEPT)
    if (used < LEAST_BYTES || wanted - this.#bytes < LEAST_BYTES) return
    this.#file ??= openSync(`${this.#path}-wal`, 'r+')
    this.#bytes = fstatSync(this.#file).size
    if (wanted - this.#bytes >= LEAST_BYTES) this.#extend(this.#file, wanted)
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }

  /** In a transaction, so that nobody else writes to the log: zeros go only behind its end, which must not move meanwhile. */
  #extend(file: number, wanted: number): void {
    this.#db.exec('BEGIN IMMEDIATE')
    const end = fstatSync(file).size
    try {
      for (this.#bytes = end; this.#bytes < wanted;) this.#bytes += writeSync(file, ZEROS, 0, ZEROS.length, this.#bytes)
      fdatasyncSync(file)
    } catch (error) {
      // A full disk gets back what is not needed yet. It is not filled again with every commit, only once the log has grown by LEAST_BYTES.
      this.#bytes = wanted
      ftruncateSync(file, end)
      throw error
    } finally {
      this.#db.exec('ROLLBACK')
    }
  }
}
