// Who owns a shard: its one row of row_type 1, in the same table and the same transactions as its timers.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { claimedEpoch } from '../store.ts'
import type { OwnedShard, ShardClaim } from '../store.ts'
import { RowType } from '../row/columns.ts'

const ROW = `shard_id = ? AND row_type = ${RowType.shard}`
// The uuid of a shard's row only has to be unlike all others: the shard's number as text, which no 16 bytes equal.
const INSERT = `
  INSERT INTO timers (shard_id, row_type, timer_execute_at, timer_uuid, shard_epoch, shard_owner)
  VALUES (?1, ${RowType.shard}, 0, CAST(CAST(?1 AS INTEGER) AS BLOB), ?3, ?2)
  ON CONFLICT DO NOTHING`

type Fence = { readonly epoch: number; readonly owner: string | null }

export class ShardRows {
  readonly #fence: StatementSync
  readonly #insert: StatementSync
  readonly #raise: StatementSync
  readonly #release: StatementSync
  readonly #dataVersion: StatementSync
  readonly #fences = new Map<number, Fence>()
  #seenVersion = -1

  constructor(db: DatabaseSync) {
    this.#fence = db.prepare(`SELECT shard_epoch AS epoch, shard_owner AS owner FROM timers WHERE ${ROW}`)
    this.#insert = db.prepare(INSERT)
    this.#raise = db.prepare(
      `UPDATE timers SET shard_epoch = ?, shard_owner = ? WHERE ${ROW} AND shard_epoch = ? AND shard_owner IS ?`,
    )
    this.#release = db.prepare(
      `UPDATE timers SET shard_owner = NULL WHERE ${ROW} AND shard_epoch = ? AND shard_owner = ?`,
    )
    this.#dataVersion = db.prepare('PRAGMA data_version')
  }

  /** Read again only when another connection has written, which the lock should keep out. */
  isOwned(shard: number, epoch: number, owner: string): boolean {
    const version = this.#dataVersion.get()!['data_version'] as number
    if (version !== this.#seenVersion) this.#fences.clear()
    this.#seenVersion = version
    const fence = this.#fences.get(shard) ?? (this.#fence.get(shard) as Fence | undefined)
    if (fence !== undefined) this.#fences.set(shard, fence)
    return fence?.epoch === epoch && fence.owner === owner
  }

  /** Nobody beats in a file for one node, so no claim is refused for a beat. */
  claim(claim: ShardClaim): number | null {
    const { shard, expected, from, owner } = claim
    this.#fences.delete(shard)
    const epoch = claimedEpoch(claim)
    const { changes } =
      expected === 0 ? this.#insert.run(shard, owner, epoch) : this.#raise.run(epoch, owner, shard, expected, from)
    return changes === 1 ? epoch : null
  }

  release({ shard, epoch, owner }: OwnedShard): void {
    this.#fences.delete(shard)
    this.#release.run(shard, epoch, owner)
  }
}
