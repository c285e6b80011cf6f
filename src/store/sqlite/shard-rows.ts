// Who owns a shard: its one row of row_type 1, in the same table and the same transactions as its timers.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ShardClaim } from '../store.ts'
import { RowType } from '../timer-row.ts'

const ROW = `shard_id = ? AND row_type = ${RowType.shard}`
// The uuid of a shard's row only has to be unlike all others: the shard's number as text, which no 16 bytes equal.
const INSERT = `
  INSERT INTO timers (shard_id, row_type, timer_execute_at, timer_uuid, shard_epoch, shard_owner)
  VALUES (?1, ${RowType.shard}, 0, CAST(CAST(?1 AS INTEGER) AS BLOB), 1, ?2)
  ON CONFLICT DO NOTHING`

/** Shard rows have no namespace, and timers_by_namespace begins with them. */
export const SHARDS_SQL = `
  SELECT shard_id, shard_epoch, shard_owner
  FROM timers WHERE timer_namespace IS NULL AND row_type = ${RowType.shard} ORDER BY shard_id`

export class ShardRows {
  readonly #epoch: StatementSync
  readonly #insert: StatementSync
  readonly #raise: StatementSync
  readonly #release: StatementSync
  readonly #all: StatementSync
  readonly #dataVersion: StatementSync
  readonly #epochs = new Map<number, number>()
  #seenVersion = -1

  constructor(db: DatabaseSync) {
    this.#epoch = db.prepare(`SELECT shard_epoch FROM timers WHERE ${ROW}`)
    this.#insert = db.prepare(INSERT)
    this.#raise = db.prepare(`UPDATE timers SET shard_epoch = shard_epoch + 1, shard_owner = ? WHERE ${ROW} AND shard_epoch = ?`)
    this.#release = db.prepare(`UPDATE timers SET shard_owner = NULL WHERE ${ROW} AND shard_epoch = ?`)
    this.#all = db.prepare(SHARDS_SQL)
    this.#dataVersion = db.prepare('PRAGMA data_version')
  }

  /** Undefined for a shard that nobody ever owned. Read again only when another connection has written, which the lock should keep out. */
  epochOf(shard: number): number | undefined {
    const version = this.#dataVersion.get()!['data_version'] as number
    if (version !== this.#seenVersion) this.#epochs.clear()
    this.#seenVersion = version
    const known = this.#epochs.get(shard)
    if (known !== undefined) return known
    const epoch = this.#epoch.get(shard)?.['shard_epoch'] as number | undefined
    if (epoch !== undefined) this.#epochs.set(shard, epoch)
    return epoch
  }

  claim({ shard, expected, owner }: ShardClaim): number | null {
    this.#epochs.delete(shard)
    const { changes } = expected === 0 ? this.#insert.run(shard, owner) : this.#raise.run(owner, shard, expected)
    return changes === 1 ? expected + 1 : null
  }

  release({ shard, epoch }: { readonly shard: number; readonly epoch: number }): void {
    this.#release.run(shard, epoch)
  }

  ids(): number[] {
    return this.#all.all().map((row) => row['shard_id'] as number)
  }
}
