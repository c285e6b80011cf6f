// Everything that changes the database, on the one connection that may. Runs in the writer's worker thread.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StoreError } from '../store.ts'
import type { ShardClaim, ShardLease } from '../store.ts'
import { CELLS_PER_TIMER, RowType, TIMER_COLUMNS } from '../timer-row.ts'
import type { Cell } from '../timer-row.ts'
import { failureOf, toStoreError } from './failures.ts'
import { SCHEMA_VERSION } from './migrations.ts'
import { INSERT_SQL, SELECT_CELLS, UPDATE_SQL } from './statements.ts'
import { TimerCounts } from './timer-counts.ts'

/** A commit as flat arrays: one object per row would cost more to hand over than the row takes to write. */
export type CommitMessage = {
  /** Per part: shard, epoch, number of puts. */
  readonly parts: readonly number[]
  /** Per put: its cells, then the expected version (ABSENT for none) and that version's status code. */
  readonly cells: readonly Cell[]
}
export const PART_STRIDE = 3
export const PUT_STRIDE = CELLS_PER_TIMER + 2
export const ABSENT = -1

/** Per part: null when fenced, otherwise the puts that missed with the cells of the row in their way. */
export type CommitReply = readonly (readonly Miss[] | null)[]
export type Miss = { readonly index: number; readonly cells: readonly Cell[] | null }

// About 64 MiB. A checkpoint stops the writer for 50 to 100 ms almost regardless of its size (it ends in an fsync of the
// database), so it should be rare; much larger logs make recovery after a crash slow and lookups in the log slower.
const CHECKPOINT_PAGES = 16_000

export class Writer {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #counts: TimerCounts
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #epoch: StatementSync
  readonly #insert: StatementSync
  readonly #update: StatementSync
  readonly #select: StatementSync
  readonly #logSize: StatementSync

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#path = path
    this.#counts = new TimerCounts(db)
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#epoch = db.prepare(`SELECT shard_epoch FROM timers WHERE shard_id = ? AND row_type = ${RowType.shard}`)
    this.#insert = db.prepare(INSERT_SQL)
    this.#update = db.prepare(UPDATE_SQL)
    this.#select = db.prepare(`SELECT ${SELECT_CELLS} FROM timers WHERE timer_uuid = unhex(?)`)
    this.#select.setReturnArrays(true)
    this.#logSize = db.prepare('PRAGMA wal_checkpoint(NOOP)')
  }

  /** A real write: setting the version to what it is writes a page and syncs it. */
  ping(): void {
    this.#transaction(() => this.#db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`))
  }

  claim({ shard, expected, owner, leaseUntil }: ShardClaim): number | null {
    const epoch = expected + 1
    const claimed = this.#transaction(() => (expected === 0 ? this.#firstClaim(shard) : this.#raiseEpoch(shard, expected)))
    if (!claimed) return null
    this.#setOwner({ shard, epoch, owner, leaseUntil })
    return epoch
  }

  renew({ shard, epoch, leaseUntil }: ShardLease): boolean {
    const renewed = this.#transaction(() =>
      this.#db
        .prepare(`UPDATE timers SET shard_lease_until = ? WHERE ${SHARD_ROW} AND shard_epoch = ? AND shard_owner IS NOT NULL`)
        .run(leaseUntil, shard, epoch),
    )
    return renewed.changes === 1
  }

  release({ shard, epoch }: { readonly shard: number; readonly epoch: number }): void {
    this.#setOwner({ shard, epoch, owner: null, leaseUntil: 0 })
  }
}
