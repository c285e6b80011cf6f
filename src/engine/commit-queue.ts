// Group commit. Writes of all shards queue up; while commits are on their way the next batch gathers, so one
// fsync or round trip serves everything that arrived meanwhile. Idle, a write waits for nothing but its own
// commit; under load the batches grow by themselves.
//
// Two commits may be under way, so that the store has its next work at hand when it is done with the first. But each
// costs something by itself, so the second one goes out early only when it is as large as what is under way, or large
// enough: many clients that wait for their answers then stay in two halves and do not fall into ever smaller pieces.

import { unavailable } from '../core/errors.ts'
import type { Epoch, ShardId, Timer } from '../core/timer.ts'
import type { Clock } from '../runtime/clock.ts'
import type { CommitPart, PartResult, Put, Store } from '../store/store.ts'

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
  readonly put: Put
  readonly resolve: (result: PutResult) => void
  readonly reject: (error: unknown) => void
}

const RETRY_AFTER_MS = 1_000
const UNDER_WAY_MAX = 2
const LARGE = 128 // puts; what a commit costs by itself, on PostgreSQL up to a millisecond of CPU time, is then little
const WRITTEN: PutResult = { type: 'written' }
const FENCED: PutResult = { type: 'fenced' }

export class CommitQueue {
  readonly #store: Store
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
  constructor(options: { store: Store; owner: string; clock: Clock; observer: CommitObserver; lengthMax: number; batchMax: number }) {
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
   * Resolves when the put is durable, or says why it was not written. Rejects when the store failed. It takes
   * any number of writes: client writes ask `assertRoom` first, and the engine's own are as many as deliveries are in flight.
   */
  write(shard: ShardId, epoch: Epoch, put: Put): Promise<PutResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ shard, epoch, put, resolve, reject })
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
    const batch = this.#waiting.length <= this.#batchMax ? this.#waiting : this.#waiting.slice(0, this.#batchMax)
    this.#waiting = batch === this.#waiting ? [] : this.#waiting.slice(this.#batchMax)
    this.#committing += batch.length
    this.#underWay++
    this.#schedule()
    const tell = await this.#write(batch)
    this.#committing -= batch.length
    this.#underWay--
    // The store gets its next work before these are told, which takes a while: they build their answers.
    if (this.#mayCommit()) void this.#commit()
    tell()
    await Promise.resolve() // so that those who write again at once have done so
    if (this.length === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** Answers with what tells the writers. */
  async #write(batch: readonly Waiting[]): Promise<() => void> {
    const groups = byShard(batch, this.#owner)
    const startedAt = this.#clock.monotonic()
    try {
      const results = await this.#store.commit(groups.map(({ part }) => part))
      this.#observer.committed(batch.length, this.#clock.monotonic() - startedAt)
      if (results.length !== groups.length) throw new Error(`${groups.length} parts have ${results.length} results`)
      return () => tellAll(groups, results)
    } catch (error) {
      return () => {
        for (const waiting of batch) waiting.reject(error)
      }
    }
  }
}

function tellAll(groups: readonly Group[], results: readonly PartResult[]): void {
  for (const [index, { members }] of groups.entries()) {
    const result = results[index]!
    for (const [at, waiting] of members.entries()) {
      if (result.fenced) waiting.resolve(FENCED)
      else if (result.missed.has(at)) waiting.resolve({ type: 'missed', row: result.missed.get(at)! })
      else waiting.resolve(WRITTEN)
    }
  }
}

type Group = { readonly part: CommitPart; readonly members: readonly Waiting[] }

/** One part per shard and epoch, in the order of arrival. */
function byShard(batch: readonly Waiting[], owner: string): Group[] {
  const groups = new Map<string, { shard: ShardId; epoch: Epoch; members: Waiting[] }>()
  for (const waiting of batch) {
    const key = `${waiting.shard}:${waiting.epoch}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { shard: waiting.shard, epoch: waiting.epoch, members: [waiting] })
    else group.members.push(waiting)
  }
  return Array.from(groups.values(), ({ shard, epoch, members }) => ({
    part: { shard, epoch, owner, puts: members.map(({ put }) => put) },
    members,
  }))
}
