// Group commit. Writes of all shards queue up; while commits are on their way the next batch gathers, so one
// fsync or round trip serves everything that arrived meanwhile. Idle, a write waits for nothing but its own
// commit; under load the batches grow by themselves.
//
// Two commits may be under way, so that the store has its next work at hand when it is done with the first. But each
// costs something by itself, so the second one goes out early only when it is as large as what is under way, or large
// enough: many clients that wait for their answers then stay in two halves and do not fall into ever smaller pieces.

//
// A part of a commit is all or nothing. When a row was not as a change said, nothing of its part was written: that change is
// told what is there, and the others go again with the next commit.

import { unavailable } from '../core/errors.ts'
import type { Epoch, ShardId, Timer, TimerUuid } from '../core/timer.ts'
import type { Clock } from '../runtime/clock.ts'
import { partOf } from '../store/commit-sheet.ts'
import type { Change } from '../store/commit-sheet.ts'
import type { PartResult, TimerStore } from '../store/store.ts'

export type PutResult =
  | { readonly type: 'written' }
  /** The expectation was not met; this is what is there. */
  | { readonly type: 'missed'; readonly row: Timer | null }
  /** The shard has another owner by now. */
  | { readonly type: 'fenced' }

export type CommitObserver = { committed(puts: number, durationMs: number): void }

type Waiting = {
  readonly shard: ShardId
  readonly epoch: Epoch
  readonly change: Change
  readonly resolve: (result: PutResult) => void
  readonly reject: (error: unknown) => void
}

export type CommitQueueOptions = {
  readonly store: Pick<TimerStore, 'commit'>
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
  readonly #store: Pick<TimerStore, 'commit'>
  readonly #owner: string
  readonly #clock: Clock
  readonly #observer: CommitObserver
  readonly #lengthMax: number
  readonly #batchMax: number
  #waiting: Waiting[] = []
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
    return this.#waiting.length + this.#committing
  }

  /** Throws UNAVAILABLE when there is no room for so many more client writes. */
  assertRoom(puts: number): void {
    if (this.length + puts <= this.#lengthMax) return
    throw unavailable(`${this.length} writes are waiting for the store already: nothing was stored, try again`, RETRY_AFTER_MS)
  }

  /**
   * Resolves when the change is durable, or says why it was not written. Rejects when the store failed. It takes
   * any number of writes: client writes ask `assertRoom` first, and the engine's own are as many as deliveries are in flight.
   */
  write(shard: ShardId, epoch: Epoch, change: Change): Promise<PutResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ shard, epoch, change, resolve, reject })
      this.#schedule()
    })
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
    if (this.#underWay === 0) return this.#waiting.length > 0
    return this.#underWay < UNDER_WAY_MAX && this.#waiting.length >= Math.min(LARGE, this.#committing)
  }

  async #commit(): Promise<void> {
    const batch = this.#takeBatch()
    this.#committing += batch.length
    this.#underWay++
    this.#schedule()
    const { tell, again } = await this.#write(batch)
    this.#committing -= batch.length
    this.#underWay--
    if (again.length > 0) this.#waiting = [...again, ...this.#waiting]
    // The store gets its next work before these are told, which takes a while: they build their answers.
    if (this.#mayCommit()) void this.#commit()
    tell()
    await Promise.resolve() // so that those who write again at once have done so
    if (this.length === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** A part names a timer once: a second change of it waits for the next commit. */
  #takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    const left: Waiting[] = []
    const taken = new Set<TimerUuid>()
    for (const waiting of this.#waiting) {
      const { uuid } = waiting.change.after
      if (batch.length >= this.#batchMax || taken.has(uuid)) left.push(waiting)
      else batch.push(waiting)
      taken.add(uuid)
    }
    this.#waiting = left
    return batch
  }

  async #write(batch: readonly Waiting[]): Promise<Written> {
    const groups = byFence(batch)
    const startedAt = this.#clock.monotonic()
    try {
      const parts = groups.map(({ shard, epoch, members }) => partOf({ shard, epoch, owner: this.#owner }, members.map(({ change }) => change)))
      const results = await this.#store.commit(parts)
      this.#observer.committed(batch.length, this.#clock.monotonic() - startedAt)
      if (results.length !== groups.length) throw new Error(`${groups.length} parts have ${results.length} results`)
      return { tell: () => tellAll(groups, results), again: groups.flatMap(({ members }, index) => notInTheWay(members, results[index]!)) }
    } catch (error) {
      return {
        again: [],
        tell: () => {
          for (const waiting of batch) waiting.reject(error)
        },
      }
    }
  }
}

/** `tell` tells the writers what became of their changes, but for those that go again. */
type Written = { readonly tell: () => void; readonly again: readonly Waiting[] }

function tellAll(groups: readonly Group[], results: readonly PartResult[]): void {
  for (const [index, { members }] of groups.entries()) {
    const result = results[index]!
    for (const { change, resolve } of members) {
      if (result.type !== 'missed') resolve(result.type === 'fenced' ? FENCED : WRITTEN)
      else if (result.rows.has(change.after.uuid)) resolve({ type: 'missed', row: result.rows.get(change.after.uuid)! })
    }
  }
}

function notInTheWay(members: readonly Waiting[], result: PartResult): readonly Waiting[] {
  return result.type === 'missed' ? members.filter(({ change }) => !result.rows.has(change.after.uuid)) : []
}

type Group = { readonly shard: ShardId; readonly epoch: Epoch; readonly members: Waiting[] }

/** One part per shard and epoch, in the order of arrival. */
function byFence(batch: readonly Waiting[]): Group[] {
  const groups = new Map<string, Group>()
  for (const waiting of batch) {
    const { shard, epoch } = waiting
    const key = `${shard}:${epoch}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { shard, epoch, members: [waiting] })
    else group.members.push(waiting)
  }
  return [...groups.values()]
}
