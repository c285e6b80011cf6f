// Everything that changes the database, on the one connection that may. Runs in the writer's worker thread.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Millis } from '../../core/timer/timer.ts'
import { CellAt, CELLS_PER_TIMER } from '../row/columns.ts'
import type { Cell } from '../row/columns.ts'
import type { OwnedShard, ShardClaim } from '../store.ts'
import { Checkpoints } from './file/checkpoints.ts'
import { ADD_ON_CONFLICT, deleteZeroCounter, forgetSlots, insertCounter } from '../sql/counter-sql.ts'
import { deleteEntry, entriesOf, insertEntry } from '../sql/questions/metadata-entries.ts'
import { insertEvent } from '../sql/questions/outbox.ts'
import type { Answered, QuestionName } from '../sql/questions/questions.ts'
import { answer } from '../sql/statement.ts'
import { deleteTimer, insertTimer, moveTimer, selectByUuid, updateTimer } from '../sql/timer-sql.ts'
import { SQLITE } from './dialect.ts'
import type { FileLock } from './file/file-lock.ts'
import { Prepared } from './prepared.ts'
import { questionOf } from './reader.ts'
import type { Ask } from './reader.ts'
import {
  ABSENT,
  COUNTER_STRIDE,
  DELETE_STRIDE,
  DeleteAt,
  EVENT_STRIDE,
  Keeps,
  PutAt,
  SAME,
} from './threads/messages.ts'
import type { CommitReply, Miss, PackedMove, PackedPart } from './threads/messages.ts'
import { SCHEMA_VERSION } from './file/migrations.ts'
import { PAYLOAD_ID_SQL, Payloads } from './payloads.ts'
import { ShardRows } from './shard-rows.ts'
import { Transactions } from './transaction.ts'

export class Writer {
  readonly #db: DatabaseSync
  readonly #lock: FileLock
  readonly #transactions: Transactions
  readonly #checkpoints: Checkpoints
  readonly #shards: ShardRows
  readonly #payloads: Payloads
  readonly #prepared: Prepared
  readonly #addEvent: StatementSync
  readonly #addCounter: StatementSync
  readonly #removeZeroCounter: StatementSync
  readonly #addEntry: StatementSync
  readonly #removeEntry: StatementSync
  readonly #insert: StatementSync
  readonly #update: StatementSync
  readonly #updateKeepingPayload: StatementSync
  readonly #updateKeepingCreation: StatementSync
  readonly #delete: StatementSync
  readonly #select: StatementSync
  readonly #move: StatementSync

  constructor(db: DatabaseSync, { path, lock }: { readonly path: string; readonly lock: FileLock }) {
    this.#db = db
    this.#lock = lock
    this.#transactions = new Transactions(db, path)
    this.#checkpoints = new Checkpoints(db, path)
    this.#shards = new ShardRows(db)
    this.#payloads = new Payloads(db)
    this.#prepared = new Prepared(db)
    this.#addEvent = db.prepare(insertEvent(SQLITE))
    this.#addCounter = db.prepare(insertCounter(SQLITE) + ADD_ON_CONFLICT)
    this.#removeZeroCounter = db.prepare(deleteZeroCounter(SQLITE))
    // Texts that are no Unicode are stored with replacement characters, and two of them may be the same.
    this.#addEntry = db.prepare(`${insertEntry(SQLITE)} ON CONFLICT DO NOTHING`)
    this.#removeEntry = db.prepare(deleteEntry(SQLITE))
    this.#insert = db.prepare(`${insertTimer(SQLITE)} ON CONFLICT DO NOTHING`)
    this.#update = db.prepare(updateTimer(SQLITE, { keepsPayload: false }))
    this.#updateKeepingPayload = db.prepare(updateTimer(SQLITE, { keepsPayload: true }))
    this.#updateKeepingCreation = db.prepare(updateTimer(SQLITE, { keepsPayload: true, keepsCreation: true }))
    this.#delete = db.prepare(`${deleteTimer(SQLITE)} RETURNING ${PAYLOAD_ID_SQL} AS payloadId`)
    this.#select = db.prepare(selectByUuid(SQLITE))
    this.#select.setReturnArrays(true)
    this.#move = db.prepare(moveTimer(SQLITE))
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

  /** A commit has one part as a rule: a SQLite file has one shard. */
  commit(parts: readonly PackedPart[]): CommitReply {
    const [only] = parts
    if (only !== undefined && parts.length === 1)
      return [this.#transactions.runIf(() => this.#writePart(only), isWritten)]
    return this.#transactions.run(() =>
      parts.map((part) => this.#transactions.nestedIf(() => this.#writePart(part), isWritten)),
    )
  }

  /** Timers of one shard become timers of another. False when a fence is not the current one. */
  move({ from, to, uuids }: PackedMove): boolean {
    const isOwned = [from, to].every(({ shard, epoch, owner }) => this.#shards.isOwned(shard, epoch, owner))
    if (isOwned)
      this.#transactions.run(() => {
        for (const uuid of uuids) this.#move.run(uuid, from.shard, to.shard)
      })
    return isOwned
  }

  /** Of a question that changes something. */
  answer<Name extends QuestionName>(ask: Ask<Name>): Answered<Name> {
    return this.#transactions.run(() => answer(questionOf(ask), (query) => this.#prepared.rows(query)))
  }

  forgetCounters(slotsBefore: Millis): boolean {
    return this.#transactions.run(() => answer(forgetSlots(SQLITE, slotsBefore), (query) => this.#prepared.rows(query)))
  }

  /** Work that can wait until the caller has its answer. */
  afterReply(): void {
    this.#checkpoints.runIfDue()
  }

  close(): void {
    this.#checkpoints.close()
    this.#db.close()
    this.#lock.release()
  }

  /** Null when it is fenced, otherwise the rows in the way; whatever was written before they were met is rolled back by the caller. */
  #writePart(part: PackedPart): Miss[] | null {
    if (!this.#shards.isOwned(part.shard, part.epoch, part.owner)) return null
    const missed: Miss[] = []
    for (let index = 0; index < part.puts.count; index++) this.#writePut(part, index, missed)
    for (let offset = 0; offset < part.deletes.length; offset += DELETE_STRIDE) this.#deleteRow(part, offset, missed)
    if (missed.length > 0) return missed
    for (let at = 0; at < part.counters.length; at += COUNTER_STRIDE)
      this.#count(part.counters.slice(at, at + COUNTER_STRIDE))
    for (let at = 0; at < part.events.length; at += EVENT_STRIDE)
      this.#addEvent.run(part.shard, ...part.events.slice(at, at + EVENT_STRIDE))
    return missed
  }

  #writePut({ shard, puts: { columns } }: PackedPart, index: number, missed: Miss[]): void {
    const row: Cell[] = []
    for (let at = 0; at < CELLS_PER_TIMER; at++) row.push(cellOf(columns[at]!, index))
    const expectedVersion = cellOf(columns[PutAt.expectedVersion]!, index) as number
    if (this.#writeRow(row, shard, expectedVersion, cellOf(columns[PutAt.keeps]!, index) as number)) {
      const before = cellOf(columns[PutAt.metadataBefore]!, index) as string | null | typeof SAME
      if (before === SAME) return
      const [namespace, uuid] = [row[CellAt.timer_namespace] as string, row[CellAt.timer_uuid] as string]
      this.#replaceEntries([namespace, uuid], before, row[CellAt.timer_metadata] as string | null)
    } else {
      const uuid = row[CellAt.timer_uuid] as string
      missed.push([uuid, this.#rowOf(uuid)])
    }
  }

  #writeRow(row: Cell[], shard: number, expectedVersion: number, keeps: number): boolean {
    if (keeps !== Keeps.nothing) {
      const update = keeps === Keeps.payload ? this.#updateKeepingPayload : this.#updateKeepingCreation
      return update.run(...row, shard, expectedVersion).changes === 1
    }
    if (expectedVersion !== ABSENT) this.#payloads.removeOf(row[CellAt.timer_uuid] as string)
    const cells: (Cell | bigint)[] = row
    cells[CellAt.timer_payload] = this.#payloads.place(row[CellAt.timer_payload]!)
    if (expectedVersion === ABSENT) return this.#insert.run(...cells, shard).changes === 1
    return this.#update.run(...cells, shard, expectedVersion).changes === 1
  }

  #deleteRow({ shard, deletes }: PackedPart, offset: number, missed: Miss[]): void {
    const uuid = deletes[offset + DeleteAt.uuid] as string
    const deleted = this.#delete.get(uuid, shard, deletes[offset + DeleteAt.version]!)
    if (deleted !== undefined) {
      if (deleted['payloadId'] !== null) this.#payloads.remove(deleted['payloadId'] as number)
      const [namespace, before] = [
        deletes[offset + DeleteAt.namespace] as string,
        deletes[offset + DeleteAt.metadata] as string | null,
      ]
      this.#replaceEntries([namespace, uuid], before, null)
    } else {
      missed.push([uuid, this.#rowOf(uuid)])
    }
  }

  /** A counter that stands for nothing is not kept. */
  #count(counter: readonly Cell[]): void {
    this.#addCounter.run(...counter)
    if ((counter.at(-1) as number) < 0) this.#removeZeroCounter.run(...counter.slice(0, -1))
  }

  #replaceEntries(
    timer: readonly [namespace: string, uuid: string],
    before: string | null,
    after: string | null,
  ): void {
    for (const entry of entriesOf(before)) this.#removeEntry.run(...entry, ...timer)
    for (const entry of entriesOf(after)) this.#addEntry.run(...entry, ...timer)
  }

  #rowOf(uuid: string): readonly Cell[] | null {
    return (this.#select.get(uuid) as unknown as Cell[] | undefined) ?? null
  }
}

/** Of a column with one cell for all, that one. */
function cellOf(column: readonly Cell[], index: number): Cell {
  return (column.length === 1 ? column[0] : column[index])!
}

function isWritten(missed: readonly Miss[] | null): boolean {
  return missed?.length === 0
}
