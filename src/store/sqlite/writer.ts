// Everything that changes the database, on the one connection that may. Runs in the writer's worker thread.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Millis } from '../../core/timer.ts'
import { StoreError } from '../store.ts'
import type { OwnedShard, ShardClaim } from '../store.ts'
import { CELLS_PER_TIMER } from '../timer-row.ts'
import type { Cell } from '../timer-row.ts'
import { Checkpoints } from './checkpoints.ts'
import type { FileLock } from './file-lock.ts'
import { ABSENT, PART_STRIDE, PUT_STRIDE, SAME } from './messages.ts'
import type { CommitMessage, CommitReply, Miss } from './messages.ts'
import { MetadataEntries } from './metadata-entries.ts'
import { SCHEMA_VERSION } from './migrations.ts'
import { OutboxWriter } from './outbox.ts'
import { ShardRows } from './shard-rows.ts'
import { INSERT_SQL, PRUNE_SQL, SELECT_CELLS, UPDATE_SQL } from './statements.ts'
import { TimerCounts } from './timer-counts.ts'
import { TimerTallies } from './timer-tallies.ts'
import { Transactions } from './transaction.ts'

// Where in a put's cells these columns are; see TIMER_COLUMNS.
const UUID = 2
const NAMESPACE = 3
const ID = 4
const STATUS = 6
const METADATA = 13
// And what follows them; see CommitMessage.
const KIND = CELLS_PER_TIMER
const EXPECTED_VERSION = CELLS_PER_TIMER + 1
const EXPECTED_STATUS = CELLS_PER_TIMER + 2
const EXPECTED_KIND = CELLS_PER_TIMER + 3
const EXPECTED_METADATA = CELLS_PER_TIMER + 4
const TALLIES = CELLS_PER_TIMER + 5

export class Writer {
  readonly #db: DatabaseSync
  readonly #lock: FileLock
  readonly #transactions: Transactions
  readonly #checkpoints: Checkpoints
  readonly #shards: ShardRows
  readonly #counts: TimerCounts
  readonly #tallies: TimerTallies
  readonly #metadata: MetadataEntries
  readonly #outbox: OutboxWriter
  readonly #insert: StatementSync
  readonly #update: StatementSync
  readonly #select: StatementSync
  readonly #prune: StatementSync

  constructor(db: DatabaseSync, { path, lock }: { readonly path: string; readonly lock: FileLock }) {
    this.#db = db
    this.#lock = lock
    this.#transactions = new Transactions(db, path)
    this.#checkpoints = new Checkpoints(db)
    this.#shards = new ShardRows(db)
    this.#counts = new TimerCounts(db)
    this.#tallies = new TimerTallies(db)
    this.#metadata = new MetadataEntries(db)
    this.#outbox = new OutboxWriter(db)
    this.#insert = db.prepare(INSERT_SQL)
    this.#update = db.prepare(UPDATE_SQL)
    this.#select = db.prepare(`SELECT ${SELECT_CELLS} FROM timers WHERE timer_uuid = unhex(?)`)
    this.#select.setReturnArrays(true)
    this.#prune = db.prepare(PRUNE_SQL)
    this.#prune.setReturnArrays(true)
  }

  /** A real write: setting the version to what it is writes a page and syncs it. */
  ping(): void {
    this.#transactions.run(() => this.#db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`))
  }

  claim(claim: ShardClaim): number | null {
    return this.#transactions.run(() => this.#shards.claim(claim))
  }

  release(owned: OwnedShard): void {
    this.#transactions.run(() => this.#shards.release(owned))
  }

  commit(message: CommitMessage): CommitReply {
    return this.#counted(() => {
      const reply = this.#writeParts(message)
      if (message.events !== null) this.#outbox.add(message.events, message, reply)
      return reply
    })
  }

  removeEvents(numbers: readonly number[]): void {
    this.#transactions.run(() => this.#outbox.remove(numbers))
  }

  /** Finished timers by the end of their retention, which is where their key begins. */
  prune({ now, limit }: { readonly now: Millis; readonly limit: number }): number {
    return this.#counted(() => {
      let pruned = 0
      for (const shard of this.#shards.ids()) {
        const rows = this.#prune.all(shard, now, limit - pruned) as unknown as [string, number, number, string, string | null][]
        for (const [namespace, status, kind, uuid, metadata] of rows) {
          this.#counts.add(namespace, status, -1, kind)
          this.#metadata.replace({ namespace, uuid, before: metadata, after: null })
        }
        pruned += rows.length
        if (pruned >= limit) break
      }
      this.#tallies.prune(now)
      return pruned
    })
  }

  /** Work that can wait until the caller has its answer. */
  afterReply(): void {
    this.#checkpoints.runIfDue()
  }

  close(): void {
    this.#db.close()
    this.#lock.release()
  }

  /** The counters are written at the end of the transaction, or forgotten with it. */
  #counted<T>(change: () => T): T {
    try {
      return this.#transactions.run(() => {
        const result = change()
        this.#counts.flush()
        this.#tallies.flush()
        return result
      })
    } catch (error) {
      this.#counts.forget()
      this.#tallies.forget()
      throw error
    }
  }

  #writeParts({ parts, owners, cells }: CommitMessage): CommitReply {
    const reply: (Miss[] | null)[] = []
    let offset = 0
    for (let at = 0; at < parts.length; at += PART_STRIDE) {
      const shard = parts[at]!
      const end = offset + parts[at + 2]! * PUT_STRIDE
      const isCurrent = this.#shards.isOwned(shard, parts[at + 1]!, owners[at / PART_STRIDE]!)
      reply.push(isCurrent ? this.#writePuts(shard, cells, offset, end) : null)
      offset = end
    }
    return reply
  }

  #writePuts(shard: number, cells: readonly Cell[], begin: number, end: number): Miss[] {
    const missed: Miss[] = []
    for (let offset = begin; offset < end; offset += PUT_STRIDE) {
      if (this.#writePut(shard, cells, offset)) continue
      missed.push({ index: (offset - begin) / PUT_STRIDE, cells: this.#rowInTheWay(cells, offset) })
    }
    return missed
  }

  #writePut(shard: number, cells: readonly Cell[], offset: number): boolean {
    const namespace = cells[offset + NAMESPACE] as string
    const row = cells.slice(offset, offset + CELLS_PER_TIMER)
    const expectedVersion = cells[offset + EXPECTED_VERSION]!
    if (expectedVersion === ABSENT) {
      if (this.#insert.run(...row, shard).changes === 0) return false
    } else {
      if (this.#update.run(...row, shard, expectedVersion).changes === 0) return false
      this.#counts.add(namespace, cells[offset + EXPECTED_STATUS] as number, -1, cells[offset + EXPECTED_KIND] as number)
    }
    this.#counts.add(namespace, cells[offset + STATUS] as number, 1, cells[offset + KIND] as number)
    this.#tallies.add(namespace, cells[offset + TALLIES] as string)
    const before = cells[offset + EXPECTED_METADATA] as string | null | typeof SAME
    const [uuid, after] = [cells[offset + UUID] as string, cells[offset + METADATA] as string | null]
    if (before !== SAME) this.#metadata.replace({ namespace, uuid, before, after })
    return true
  }

  #rowInTheWay(cells: readonly Cell[], offset: number): readonly Cell[] | null {
    const uuid = cells[offset + UUID]!
    const row = this.#select.get(uuid) as unknown as Cell[] | undefined
    if (row === undefined) return null
    if (row[NAMESPACE] === cells[offset + NAMESPACE] && row[ID] === cells[offset + ID]) return row
    throw new StoreError(
      `timers ${row[NAMESPACE]}/${row[ID]} and ${cells[offset + NAMESPACE]}/${cells[offset + ID]} have the same uuid ${uuid}: rename one`,
      { retryable: false },
    )
  }
}
