// The rows of a shard's timers, as the shard's owner writes them. A timer that has a change on its way is *held*: it does
// not fire until the change is durable or has failed. That makes an acknowledged cancel or update final.
//
// A write whose answer was lost may have happened or not. Until a read has told, the timer stays held and is *unsure*. What
// that read brings counts only if no other write of the timer ended while it was on its way: it may be older than that one.

import { DuetimeError, ErrorCode, unavailable } from '../../core/errors.ts'
import type { Epoch, ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { partOf } from '../../store/commit-sheet.ts'
import type { Change } from '../../store/commit-sheet.ts'
import type { GatheredGets } from '../../store/gathered-gets.ts'
import { StoreError } from '../../store/store.ts'
import type { OwnedShard, Put, TimerStore } from '../../store/store.ts'
import type { CommitQueue, PendingChange, PutResult } from './commit-queue.ts'
import type { Holds } from './holds.ts'
import type { Outbox } from './outbox.ts'
import type { SplitShard } from '../split/split-shard.ts'

export type RowsParts = {
  readonly id: ShardId
  readonly epoch: Epoch
  /** The owner: this node. */
  readonly node: string
  readonly store: TimerStore
  readonly reads: GatheredGets
  readonly commits: CommitQueue
  readonly clock: Clock
  readonly signal: AbortSignal
  /** A commit with this fence was refused: somebody else owns the shard. */
  readonly onFenced: (fence: OwnedShard) => void
  /** Absent where nobody wants events. */
  readonly outbox?: Outbox
  /** Where the rows are while the shard is being split; null when it is not. */
  readonly split: SplitShard | null
}

/** The parts of the shard that the rows work with. */
export type RowsShard = {
  readonly holds: Holds
  readonly window: {
    /** This is what the store holds now for the timer. */
    apply(timer: Timer): void
  }
  /** Aborts when the shard is not to fire any more. */
  readonly stopped: AbortSignal
}

/** By how many changes of others a change may be overtaken; a client may ask again. */
export const ROUNDS_MAX = 20
export const RETRY_AFTER_MS = 1_000
const ASK_AGAIN_FIRST_MS = 50
const ASK_AGAIN_MAX_MS = 1_000
const FENCED = { type: 'fenced' } as const

export type ChangeResult = Exclude<PutResult, { type: 'fenced' }>

/** Whoever changes a timer, told once: when the change is durable and known to the shard, or with the row that was in the way. */
export type ChangeMaker = {
  changed(result: ChangeResult): void
  failed(error: unknown): void
}

/** Whoever writes a timer that it sees to itself, told once; the error is the store's. It must not throw. */
export type RowWriter = {
  written(result: PutResult): void
  failed(error: unknown): void
}

/** `isOutdated`: a write of the timer has ended since the store was asked. */
type Doubt = { isOutdated: boolean }

export class OwnedRows {
  readonly #parts: RowsParts
  readonly #shard: RowsShard
  readonly #fence: OwnedShard
  readonly #unsure = new Map<TimerUuid, Doubt>()

  constructor(parts: RowsParts, shard: RowsShard) {
    this.#parts = parts
    this.#shard = shard
    this.#fence = { shard: parts.id, epoch: parts.epoch, owner: parts.node }
  }

  /** What is in memory of the timer may be out of date. */
  isUnsure(uuid: TimerUuid): boolean {
    return this.#unsure.size > 0 && this.#unsure.has(uuid)
  }

  async read({ namespace, id, uuid }: Pick<Timer, 'namespace' | 'id' | 'uuid'>): Promise<Timer | null> {
    const { split, reads, id: shard } = this.#parts
    let row: Timer | null
    try {
      row = await (split?.get({ namespace, id, uuid }) ?? reads.get({ namespace, id, uuid, shard }))
    } catch (error) {
      throw storeFailed(error)
    }
    // Its next owner may have moved it to another shard already.
    if (row === null && this.#shard.stopped.aborted) throw notOwner()
    return row
  }

  /** As `startChange`, with a promise. */
  change(before: Timer | null, after: Timer): Promise<ChangeResult> {
    return new Promise((changed, failed) => this.startChange(before, after, { changed, failed }))
  }

  /** Writes with the timer held, until its maker is told. */
  startChange(before: Timer | null, after: Timer, maker: ChangeMaker): void {
    const { outbox, split, commits, id, epoch } = this.#parts
    this.#shard.holds.hold(after.uuid)
    const held = new HeldChange(this, id, epoch, { before, after }, maker)
    if (outbox === undefined && split === null) commits.add(held)
    else this.#commitAnyway({ before, after }).then(held.ended.bind(held), held.failed.bind(held))
  }

  /** Of a change with its timer held. Throws unless it is written or missed. */
  endChange({ after }: Change, result: PutResult): ChangeResult {
    const { holds, window } = this.#shard
    try {
      this.ended(after, result)
      if (result.type === 'fenced') throw notOwner()
      if (result.type === 'written') window.apply(after)
      return result
    } finally {
      holds.release(after.uuid)
    }
  }

  /** What its maker is told. */
  failChange({ after }: Change, error: unknown): unknown {
    this.ended(after, null)
    if (error instanceof StoreError && error.outcomeUnknown) void this.#findOut(after)
    this.#shard.holds.release(after.uuid)
    return storeFailed(error)
  }

  /** As `startWrite`, with a promise. */
  write(before: Timer | null, after: Timer): Promise<PutResult> {
    return new Promise((written, failed) => this.startWrite(before, after, { written, failed }))
  }

  /** For those that see to the timer themselves, as a delivery does. */
  startWrite(before: Timer | null, after: Timer, writer: RowWriter): void {
    const { outbox, split, commits, id, epoch } = this.#parts
    const own = new OwnWrite(this, id, epoch, { before, after }, writer)
    if (outbox === undefined && split === null) commits.add(own)
    else this.#commitAnyway({ before, after }).then(own.ended.bind(own), own.failed.bind(own))
  }

  /** Of any write. `result`: null when the store failed. */
  ended({ uuid }: Timer, result: PutResult | null): void {
    const doubt = this.#unsure.size === 0 ? undefined : this.#unsure.get(uuid)
    if (doubt !== undefined) doubt.isOutdated = true
    if (result?.type === 'fenced') this.#parts.onFenced(this.#fence)
  }

  /** With its events, where somebody wants them, and in the part that the timer is in, if the shard is being split. */
  #commitAnyway(put: Put): Promise<PutResult> {
    const { outbox } = this.#parts
    return outbox === undefined ? this.#commit(put) : this.#commitWithEvents(outbox, put)
  }

  #commit(change: Change): Promise<PutResult> {
    const { split, commits, id, epoch } = this.#parts
    return split === null ? commits.write(id, epoch, change) : this.#commitToPart(split, change)
  }

  async #commitToPart(split: SplitShard, change: Change): Promise<PutResult> {
    const fence = await split.place(change.after)
    return fence === null ? FENCED : this.#parts.commits.write(fence.shard, fence.epoch, change)
  }

  async #commitWithEvents(outbox: Outbox, put: Put): Promise<PutResult> {
    const events = outbox.eventsOf(put.before, put.after)
    if (events.length === 0) return this.#commit(put)
    try {
      return await this.#commit({ ...put, events })
    } finally {
      // Also after a failure: nobody knows then whether they are there.
      const { split, id } = this.#parts
      outbox.written(split?.partOf(put.after) ?? id)
    }
  }

  /**
   * Nobody knows whether the write happened. Until the store has told, what is in memory may be out of date: the timer is
   * held, since everybody may already be able to read that it is canceled, and no command is judged.
   */
  async #findOut({ namespace, id, uuid }: Timer): Promise<void> {
    const { store, clock, id: shard, signal, onFenced, split } = this.#parts
    const { holds, window, stopped } = this.#shard
    if (this.#unsure.has(uuid)) return // whoever is finding out asks again, since this write has ended
    const doubt: Doubt = { isOutdated: false }
    this.#unsure.set(uuid, doubt)
    holds.hold(uuid)
    for (let waitMs = ASK_AGAIN_FIRST_MS; !stopped.aborted; waitMs = Math.min(waitMs * 2, ASK_AGAIN_MAX_MS)) {
      doubt.isOutdated = false
      try {
        // A commit comes after all earlier ones of the shard, even if the store is still busy with one that it was given.
        const fence = split === null ? this.#fence : await split.place({ namespace, id, uuid })
        const [result] = fence === null ? [FENCED] : await store.commit([partOf(fence, [])])
        if (result!.type === 'fenced') onFenced(this.#fence)
        if (result!.type === 'failed') throw result!.error
        const [row] = await store.getMany([{ namespace, id, uuid, shard: fence?.shard ?? shard }])
        if (doubt.isOutdated) continue
        if (row) window.apply(row)
        break
      } catch {
        await sleep(clock, waitMs, signal).catch(() => {})
      }
    }
    this.#unsure.delete(uuid)
    holds.release(uuid)
  }
}

/** A change on its way to the store with its timer held, and whoever is told of its end. */
class HeldChange implements PendingChange {
  readonly #rows: OwnedRows
  readonly shard: ShardId
  readonly epoch: Epoch
  readonly change: Change
  readonly #maker: ChangeMaker

  constructor(rows: OwnedRows, shard: ShardId, epoch: Epoch, change: Change, maker: ChangeMaker) {
    this.#rows = rows
    this.shard = shard
    this.epoch = epoch
    this.change = change
    this.#maker = maker
  }

  ended(result: PutResult): void {
    let known: ChangeResult
    try {
      known = this.#rows.endChange(this.change, result)
    } catch (error) {
      this.#maker.failed(error)
      return
    }
    this.#maker.changed(known)
  }

  failed(error: unknown): void {
    this.#maker.failed(this.#rows.failChange(this.change, error))
  }
}

/** A write on its way to the store, and whoever is told of its end. */
class OwnWrite implements PendingChange {
  readonly #rows: OwnedRows
  readonly shard: ShardId
  readonly epoch: Epoch
  readonly change: Change
  readonly #writer: RowWriter

  constructor(rows: OwnedRows, shard: ShardId, epoch: Epoch, change: Change, writer: RowWriter) {
    this.#rows = rows
    this.shard = shard
    this.epoch = epoch
    this.change = change
    this.#writer = writer
  }

  ended(result: PutResult): void {
    this.#rows.ended(this.change.after, result)
    this.#writer.written(result)
  }

  failed(error: unknown): void {
    this.#rows.ended(this.change.after, null)
    this.#writer.failed(error)
  }
}

/** Nothing was done: the command may be tried at another node, or here again later. */
export function notOwner(cause?: unknown): DuetimeError {
  return new DuetimeError(
    ErrorCode.notOwner,
    'nothing was done: the timer is moving from one node to another; try again',
    { retryAfterMs: RETRY_AFTER_MS },
    { cause },
  )
}

export function storeFailed(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error
  const effect = error.outcomeUnknown
    ? 'the change may have been stored or not; look before you repeat it'
    : 'nothing was stored'
  // Why is for the log: it names the host, the database and its user.
  return unavailable(`the store ${error.isFull ? 'is full' : 'failed'}: ${effect}`, RETRY_AFTER_MS, error)
}
