// Group commit. Writes of all shards queue up; while commits are on their way the next batch gathers, so one
// fsync or round trip serves everything that arrived meanwhile. Idle, a write waits for nothing but its own
// commit; under load the batches grow by themselves.
//
// Two commits may be under way, so that the store has its next work at hand when it is done with the first. But each
// costs something by itself, so the second one goes out early only when it is as large as what is under way, or large
// enough: many clients that wait for their answers then stay in two halves and do not fall into ever smaller pieces.
//
// A part of a commit is all or nothing. When a row was not as a change said, nothing of its part was written: that change is
// told what is there, and the others go again at once, in a commit without newcomers, so that nobody's misses hold them up
// twice. Changes of one timer go one after the other; one that was judged on a row that has changed since is told so
// without a commit.

import { unavailable } from '../../core/errors.ts'
import type { Epoch, ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { partOf, partsWithin } from '../../store/commit-sheet.ts'
import type { Change } from '../../store/commit-sheet.ts'
import type { PartResult, TimerStore } from '../../store/store.ts'
import { byFence } from './by-fence.ts'

export type PutResult =
  | { readonly type: 'written' }
  /** The expectation was not met; this is what is there. */
  | { readonly type: 'missed'; readonly row: Timer | null }
  /** The shard has another owner by now. */
  | { readonly type: 'fenced' }

export type CommitObserver = { committed(puts: number, durationMs: number): void }

/** A change on its way. Whoever made it is told once what became of it, in the turn in which the commit ended, and must not throw. */
export type PendingChange = {
  readonly shard: ShardId
  readonly epoch: Epoch
  readonly change: Change
  ended(result: PutResult): void
  /** The store failed. */
  failed(error: unknown): void
}

export type CommitQueueOptions = {
  readonly store: Pick<TimerStore, 'capabilities' | 'commit'>
  readonly owner: string
  readonly clock: Clock
  readonly observer: CommitObserver
  readonly lengthMax: number
  readonly batchMax: number
}

const RETRY_AFTER_MS = 1_000
const UNDER_WAY_MAX = 2
const LARGE = 128 // puts; what a commit costs by itself, on PostgreSQL up to a millisecond of CPU time, is then little
const WRITTEN: PutResult = { type: 'written' }
const FENCED: PutResult = { type: 'fenced' }

export class CommitQueue {
  readonly #store: Pick<TimerStore, 'capabilities' | 'commit'>
  readonly #owner: string
  readonly #clock: Clock
  readonly #observer: CommitObserver
  readonly #lengthMax: number
  readonly #batchMax: number
  #waiting: PendingChange[] = []
  /** What was not in the way of others: each goes in a commit of its own. */
  readonly #again: PendingChange[][] = []
  /** By the timers of which a change is under way: the changes behind it, if there are any. */
  readonly #busy = new Map<TimerUuid, PendingChange[] | null>()
  /** Of those, what somebody waits for. */
  readonly #ended = new Map<TimerUuid, PromiseWithResolvers<void>>()
  #behind = 0
  #committing = 0
  #underWay = 0
  #scheduled = false
  #onIdle: (() => void)[] = []

  /** `owner` names this node, and is part of the fence of every commit. */
  constructor(options: CommitQueueOptions) {
    this.#store = options.store
    this.#owner = options.owner
    this.#clock = options.clock
    this.#observer = options.observer
    this.#lengthMax = options.lengthMax
    this.#batchMax = options.batchMax
  }

  get length(): number {
    return this.#waiting.length + this.#behind + this.#committing
  }

  /** Throws UNAVAILABLE when there is no room for so many more client writes. */
  assertRoom(puts: number): void {
    if (this.length + puts <= this.#lengthMax) return
    throw unavailable(
      `${this.length} writes are waiting for the store already: nothing was stored, try again`,
      RETRY_AFTER_MS,
    )
  }

  /** As `add`, with a promise. Resolves when the change is durable, or says why it was not written. Rejects when the store failed. */
  write(shard: ShardId, epoch: Epoch, change: Change): Promise<PutResult> {
    return new Promise((ended, failed) => this.add({ shard, epoch, change, ended, failed }))
  }

  /** Takes any number of writes: client writes ask `assertRoom` first, and the engine's own are as many as deliveries are in flight. */
  add(pending: PendingChange): void {
    this.#waiting.push(pending)
    this.#schedule()
  }

  /** A change of the timer has been given to the store, and may be seen by others. */
  isUnderWay(uuid: TimerUuid): boolean {
    return this.#busy.has(uuid)
  }

  /**
   * Null when no change of the timer is on its way. Else it may be stored already, and be seen by others: resolves when whoever
   * made the change knows what came of it.
   */
  underWay(uuid: TimerUuid): Promise<void> | null {
    if (!this.#busy.has(uuid)) return null
    const ended = this.#ended.get(uuid) ?? Promise.withResolvers<void>()
    this.#ended.set(uuid, ended)
    return ended.promise
  }

  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void> {
    if (this.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onIdle.push(resolve))
  }

  /** One turn of the event loop is given to the other requests that are being read right now, to join this commit. */
  #schedule(): void {
    if (this.#scheduled || !this.#mayCommit()) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (this.#mayCommit()) void this.#commit()
    })
  }

  #mayCommit(): boolean {
    if (this.#again.length > 0) return this.#underWay < UNDER_WAY_MAX
    if (this.#underWay === 0) return this.#waiting.length > 0
    return this.#underWay < UNDER_WAY_MAX && this.#waiting.length >= Math.min(LARGE, this.#committing)
  }

  async #commit(): Promise<void> {
    const again = this.#again.shift()
    const batch = again ?? this.#takeBatch()
    // All that waited may wait behind others.
    if (batch.length === 0) return
    if (again === undefined) this.#committing += batch.length
    this.#underWay++
    this.#schedule()
    const told: Told = { changes: [], ends: [] }
    const left = await this.#write(batch, told)
    this.#underWay--
    if (left.length > 0) this.#again.push(left)
    this.#committing -= batch.length - left.length
    this.#freeBehind(told)
    // The store gets its next work before these are told, which takes a while: they build their answers.
    if (this.#mayCommit()) void this.#commit()
    for (let index = 0; index < told.changes.length; index++) tell(told.changes[index]!, told.ends[index]!)
    await Promise.resolve() // so that those who write again at once have done so
    this.#schedule()
    if (this.length === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** A part names a timer once: a second change of it waits until the first is over. */
  #takeBatch(): PendingChange[] {
    const batch: PendingChange[] = []
    let taken = 0
    for (; taken < this.#waiting.length && batch.length < this.#batchMax; taken++) {
      const pending = this.#waiting[taken]!
      const { uuid } = pending.change.after
      const behind = this.#busy.get(uuid)
      if (behind === undefined) {
        this.#busy.set(uuid, null)
        batch.push(pending)
      } else {
        if (behind === null) this.#busy.set(uuid, [pending])
        else behind.push(pending)
        this.#behind++
      }
    }
    this.#waiting = this.#waiting.slice(taken)
    return batch
  }

  /** The changes behind those that are over: those that have been outdated have missed, the others may go. */
  #freeBehind({ changes, ends }: Told): void {
    const over = changes.length
    let free: PendingChange[] | null = null
    for (let index = 0; index < over; index++) {
      const { after } = changes[index]!.change
      const behind = this.#busy.get(after.uuid)!
      this.#busy.delete(after.uuid)
      if (this.#ended.size > 0) this.#tellEnded(after.uuid)
      if (behind === null) continue
      this.#behind -= behind.length
      const end = ends[index]!
      const row = end.type === 'written' ? after : end.type === 'missed' ? end.row : undefined
      for (const pending of behind) {
        const { before } = pending.change
        if (row === undefined || (before?.version ?? null) === (row?.version ?? null)) (free ??= []).push(pending)
        else {
          changes.push(pending)
          ends.push({ type: 'missed', row })
        }
      }
    }
    if (free !== null) this.#waiting = [...free, ...this.#waiting]
  }

  /** After whoever made the change has been told, and has told the shard. */
  #tellEnded(uuid: TimerUuid): void {
    const ended = this.#ended.get(uuid)
    this.#ended.delete(uuid)
    if (ended !== undefined) setImmediate(ended.resolve)
  }

  /** Adds what is over to `over`, and answers with what is to go again. */
  async #write(batch: PendingChange[], over: Told): Promise<PendingChange[]> {
    const { partMax } = this.#store.capabilities
    const startedAt = this.#clock.monotonic()
    try {
      const groups = byFence(batch).flatMap(({ shard, epoch, members }) =>
        partsWithin(partMax, members, (some) =>
          partOf(
            { shard, epoch, owner: this.#owner },
            some.map(({ change }) => change),
          ),
        ),
      )
      const results = await this.#store.commit(groups.map(({ part }) => part))
      this.#observer.committed(batch.length, this.#clock.monotonic() - startedAt)
      if (results.length !== groups.length) throw new Error(`${groups.length} parts have ${results.length} results`)
      const left: PendingChange[] = []
      for (const [index, { members }] of groups.entries()) {
        for (const pending of members) {
          const end = endOf(pending, results[index]!)
          if (end === null) left.push(pending)
          else {
            over.changes.push(pending)
            over.ends.push(end)
          }
        }
      }
      return left
    } catch (error) {
      over.changes = batch
      over.ends = batch.map(() => ({ type: 'failed', error }))
      return []
    }
  }
}

/** What became of a change. */
type End = PutResult | { readonly type: 'failed'; readonly error: unknown }

/** Changes that are over, and what became of each. */
type Told = { changes: PendingChange[]; ends: End[] }

/** Null: nothing yet, since another one stood in the way of its part. */
function endOf({ change }: PendingChange, result: PartResult): End | null {
  if (result.type === 'written') return WRITTEN
  if (result.type === 'fenced') return FENCED
  if (result.type === 'failed') return result
  const row = result.rows.get(change.after.uuid)
  return row === undefined ? null : { type: 'missed', row }
}

/** One that throws although it must not ends the process, as a bug does, and does not keep the others from being told. */
function tell(pending: PendingChange, end: End): void {
  try {
    if (end.type === 'failed') pending.failed(end.error)
    else pending.ended(end)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
