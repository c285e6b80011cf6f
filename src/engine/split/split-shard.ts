// The rows of a shard that is being split, as its owner sees them while its timers go on firing: some are still in the shard, the
// others in its parts already. Nothing is written to the shard any more. A timer that is about to be written is moved to its part
// first, and written there; all others are moved page by page in the background. A move does not change a timer, so what is in memory
// stays as it is.
//
// The parts belong to whoever owns the shard. They are claimed before anything is read: an owner before this one may still be writing to
// them. A timer that a move leaves in both shards is the same in both, and is moved again before it is written.

import { shardIn } from '../../core/cluster/layout.ts'
import type { PlacedTimer, ShardGroups } from '../../core/cluster/layout.ts'
import { isSplitting } from '../../core/cluster/split.ts'
import type { Epoch, Millis, Namespace, ShardId, Timer, TimerId, TimerUuid } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { readLayout } from '../../store/layout/layout-row.ts'
import { StoreError } from '../../store/store.ts'
import type { DueScan, OwnedShard, TimerKey, TimerStore } from '../../store/store.ts'
import { firstOf } from './merged-pages.ts'

/** The parts of a shard that is being split, for whoever says which shards are owned. */
export type SplitParts = {
  readonly parts: readonly ShardId[]
  /** By which they are owned; none before they are claimed. */
  readonly held: ReadonlyMap<ShardId, OwnedShard>
  /** Nothing is left in the shard, and the layout is being told: soon the parts are what is owned. */
  readonly isFinishing: boolean
  readonly partOf: (timer: PlacedTimer) => ShardId
}

export type SplitShardParts = {
  readonly store: TimerStore
  readonly clock: Clock
  readonly logger: Logger
  readonly fence: OwnedShard
  readonly parts: readonly ShardId[]
  /** The last epoch by which a shard was this node's: a claim that the database has forgotten is not made a second time. */
  readonly had: Map<ShardId, Epoch>
  /** The groups of the layout in which the parts take the shard's place. */
  readonly next: ShardGroups
  /** A fence was refused: somebody else owns the shard, or a part of it. */
  readonly onFenced: (fence: OwnedShard) => void
}

export type StoredTimer = PlacedTimer & { readonly namespace: Namespace; readonly id: TimerId }
type Asked = { readonly timer: StoredTimer; readonly waiting: PromiseWithResolvers<void> }

const READS_AT_ONCE = 8
const BROUGHT_MAX = 100 // one statement of some milliseconds
const AGAIN_FIRST_MS: Millis = 20
const AGAIN_MAX_MS: Millis = 500

export class SplitShard implements SplitParts {
  /** It has no timer and no event left. */
  isFinishing = false
  readonly #parts: SplitShardParts
  readonly #fences: Promise<ReadonlyMap<ShardId, OwnedShard>>
  readonly #stopping = new AbortController()
  /** Timers that are to be written, by uuid. */
  #asked = new Map<TimerUuid, Asked>()
  #isBringing = false
  #placing = 0
  /** One move at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  #held: ReadonlyMap<ShardId, OwnedShard> = new Map()

  constructor(parts: SplitShardParts) {
    this.#parts = parts
    this.#fences = this.#claimParts()
    this.#fences.catch(() => {})
  }

  get id(): ShardId {
    return this.#parts.fence.shard
  }

  get parts(): readonly ShardId[] {
    return this.#parts.parts
  }

  get stopped(): AbortSignal {
    return this.#stopping.signal
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** By which the parts are owned; none before they are claimed. */
  get held(): ReadonlyMap<ShardId, OwnedShard> {
    return this.#held
  }

  /** The same, once they are claimed. Rejects when they cannot be: somebody else owns the shard. */
  fences(): Promise<ReadonlyMap<ShardId, OwnedShard>> {
    return this.#fences
  }

  /** What `due` of the store says of a shard, of this one and its parts together. */
  async due(scan: Omit<DueScan, 'shard'>): Promise<readonly Timer[]> {
    const { store } = this.#parts
    await this.#fences
    // Before the parts: what is moved meanwhile is seen twice, and not overlooked.
    let page = await store.due({ ...scan, shard: this.id })
    for (let at = 0; at < this.parts.length; at += READS_AT_ONCE) {
      const some = this.parts.slice(at, at + READS_AT_ONCE)
      const pages = await Promise.all(some.map((shard) => store.due({ ...scan, shard })))
      page = firstOf(scan.limit, [page, ...pages])
    }
    return page
  }

  async get(timer: StoredTimer): Promise<Timer | null> {
    const { store } = this.#parts
    // When they cannot be had, what is made of the row is refused, as in every shard that has another owner.
    await this.#fences.catch(() => {})
    // Also when all have been moved: a fail-over of the database may have undone it.
    for (const shard of [this.id, this.partOf(timer)]) {
      const [row] = await store.getMany([keyOf(timer, shard)])
      if (row) return row
    }
    return null
  }

  /** The part that the timer belongs to. */
  readonly partOf = (timer: PlacedTimer): ShardId => shardIn(this.#parts.next, timer)

  /** The fence by which the timer is written: that of its part, where it is then. Null when somebody else owns the shard. */
  async place(timer: StoredTimer): Promise<OwnedShard | null> {
    this.#placing++
    try {
      const fences = await this.#fences.catch(() => null)
      if (fences === null) return null
      await this.#bring(timer)
      return this.stopped.aborted ? null : fences.get(this.partOf(timer))!
    } finally {
      this.#placing--
    }
  }

  /** How many writes wait for that. */
  get placing(): number {
    return this.#placing
  }

  /** Moves these, which the shard has or had. False when a fence was refused. */
  move(read: () => Promise<readonly Timer[]>): Promise<boolean> {
    const result = this.#turn.then(async () => this.#moveAll(await read()))
    this.#turn = result.catch(() => {})
    return result
  }

  #bring(timer: StoredTimer): Promise<void> {
    const asked = this.#asked.get(timer.uuid) ?? { timer, waiting: Promise.withResolvers<void>() }
    this.#asked.set(timer.uuid, asked)
    if (!this.#isBringing) void this.#bringAll()
    return asked.waiting.promise
  }

  async #bringAll(): Promise<void> {
    this.#isBringing = true
    while (this.#asked.size > 0) {
      const some = [...this.#asked.values()].slice(0, BROUGHT_MAX)
      for (const { timer } of some) this.#asked.delete(timer.uuid)
      try {
        await this.move(async () => {
          const rows = await this.#parts.store.getMany(some.map(({ timer }) => keyOf(timer, this.id)))
          return rows.filter((row) => row !== null)
        })
        for (const { waiting } of some) waiting.resolve()
      } catch (error) {
        // Whether they were moved or not, nothing of them has changed.
        const failure = new StoreError('could not move a timer to the shard that it is to be in', { cause: error })
        for (const { waiting } of some) waiting.reject(failure)
      }
    }
    this.#isBringing = false
  }

  async #moveAll(timers: readonly Timer[]): Promise<boolean> {
    const { store, fence, onFenced } = this.#parts
    const fences = await this.#fences
    const groups = [...Map.groupBy(timers, (timer) => this.partOf(timer))]
    const moves = groups.map(([part, some]) => store.move({ from: fence, to: fences.get(part)!, timers: some }))
    const results = await Promise.allSettled(moves)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    if (results.every((result) => result.status === 'fulfilled' && result.value)) return true
    this.stop()
    onFenced(fence)
    return false
  }

  /** Whoever owns the shard may have its parts, whoever had them before. */
  async #claimParts(): Promise<ReadonlyMap<ShardId, OwnedShard>> {
    const { store, clock, logger, fence, had, onFenced } = this.#parts
    for (let waitMs = AGAIN_FIRST_MS; !this.stopped.aborted; waitMs = Math.min(waitMs * 2, AGAIN_MAX_MS)) {
      try {
        const rows = new Map((await store.shards()).map((row) => [row.shard, row]))
        // After the rows: while the shard is not done, nobody but an owner of it has had its parts when they were read.
        const layout = await readLayout(store)
        const row = rows.get(fence.shard)
        if (row?.epoch !== fence.epoch || row.owner !== fence.owner || !isSplitting(layout, fence.shard)) break
        const claims = this.parts.map(async (shard): Promise<OwnedShard | null> => {
          const { epoch: expected, owner: from } = rows.get(shard) ?? { epoch: 0 as Epoch, owner: null }
          const above = had.get(shard) ?? (0 as Epoch)
          const epoch = await store.claim({ shard, expected, from, owner: fence.owner, above })
          if (epoch === null) return null
          had.set(shard, epoch)
          return { shard, epoch, owner: fence.owner }
        })
        const fences = await Promise.all(claims)
        if (!fences.includes(null)) return (this.#held = new Map(fences.map((one) => [one!.shard, one!])))
      } catch (error) {
        logger.warn({ shard: fence.shard, err: error }, 'could not claim the parts of a shard; trying again')
      }
      await sleep(clock, waitMs, this.stopped).catch(() => {})
    }
    const isStopped = this.stopped.aborted
    this.stop()
    if (!isStopped) onFenced(fence)
    throw new StoreError('the shard has another owner, or is not to be split any more')
  }
}

function keyOf({ namespace, id, uuid }: StoredTimer, shard: ShardId): TimerKey {
  return { namespace, id, uuid, shard }
}
