// Which shards this node owns. The database is the only truth and the only coordinator: every node beats its row there
// and sees in the answer who else lives and who owns what; all living nodes compute the same desired owners. A node
// claims a shard that is free or whose owner has been silent for longer than the lease, and hands over one that
// another living node should have.
//
// Safety rests on epochs alone: a claim raises the shard's epoch and the store refuses commits with an older one. So
// this may be wrong about the others for a while, and only speed suffers. What epochs cannot undo is a delivery, so
// a node that could not beat for most of the lease starts none until it knows better.
//
// How a shard moves between two living nodes is in hand-over.ts.

import { assignShards } from '../core/shard-assignment.ts'
import type { Epoch, Millis, ShardId } from '../core/timer.ts'
import type { Cancel, Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { ClusterState, NodeRow, Store } from '../store/store.ts'
import { SkewWatch } from './clock-skew.ts'
import { ClusterMap } from './cluster-map.ts'
import { handOver } from './hand-over.ts'
import type { Departure, FlightAbroad, HandOverOptions, MovedShard, Neighbours, NextOwner } from './hand-over.ts'
import { ImpostorWatch } from './impostors.ts'

export type OwnershipOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Names this run of this process: a restarted one is another node. */
  readonly node: string
  /** Where other nodes reach this one; null when there cannot be others. */
  readonly address: () => string | null
  readonly leaseMs: Millis
  /** The shard is ours: load it and fire. The timers of these flights are being delivered elsewhere. */
  readonly open: (shard: ShardId, epoch: Epoch, flights: readonly FlightAbroad[]) => void
  /** Start nothing more of it; resolves when it is quiet. Nobody waits for it. */
  readonly close: (shard: ShardId) => Promise<void>
  /** Start nothing more of it; its next owner is about to have it. */
  readonly depart: (shard: ShardId) => Departure
  /** It has another owner already. */
  readonly drop: (shard: ShardId) => void
  /** These nodes live; whatever others were doing they do no longer. */
  readonly seen: (living: ReadonlySet<string>) => void
  readonly neighbours: Neighbours
}

const BEATS_PER_LEASE = 5 // four lost in a row are forgiven
const RETRIES_PER_BEAT = 4 // a beat that failed is made again sooner: every moment counts then
const LEAVING_ROUNDS_MAX = 5 // a next owner that cannot be reached costs one
const CERTAIN_SHARE = 0.8 // of the lease: the rest is for what a delivery's start takes, and for clocks that run unevenly

/** `sinceMono`: what was seen of the cluster before that says nothing about this shard. */
type Owned = { readonly epoch: Epoch; readonly sinceMono: number }

export class Ownership {
  readonly #options: OwnershipOptions
  readonly #handOver: HandOverOptions
  readonly #owned = new Map<ShardId, Owned>()
  readonly #claiming = new Set<ShardId>()
  readonly #map = new ClusterMap()
  #firstBeatAt = Infinity
  #lastBeatAt = -Infinity
  #lastBeatFailed = false
  /** Until then others may be silent only because they could not reach the database either. */
  #doubtUntil = -Infinity
  #leaving = false
  #stopped = false
  #cancelBeat: Cancel | null = null
  /** The round under way and the one that waits for it: whoever wants to look meanwhile shares that. */
  #round: Promise<void> = Promise.resolve()
  #nextRound: Promise<void> | null = null
  /** Shards on their way to others; beats do not wait for that. */
  #moving: Promise<void> | null = null
  /** Nodes that were to have a shard and could not be reached, while this one is leaving. */
  readonly #unreachable = new Set<string>()
  readonly #impostors: ImpostorWatch
  readonly #skew: SkewWatch

  constructor(options: OwnershipOptions) {
    this.#options = options
    const { store, clock, logger, neighbours, depart } = options
    const letGo = (shard: ShardId) => this.#letGo(shard)
    this.#handOver = { store, clock, logger, neighbours, depart, letGo, note: (moved) => this.#map.note(moved) }
    this.#impostors = new ImpostorWatch(options)
    this.#skew = new SkewWatch(logger)
  }

  /** Resolves when this node has beaten once and claimed what it should have at that moment. The others hand over its share. */
  async start(): Promise<void> {
    await this.lookNow()
    for (const { address } of this.#others()) if (address !== null) this.#options.neighbours.notify(address)
    this.#beatLater()
  }

  /**
   * Hands everything over, and goes on beating: what is in flight is still ours to end. Resolves when the store knows;
   * one that does not answer is left to find out by the lease.
   */
  async leave(): Promise<void> {
    this.#leaving = true
    for (let round = 0; round < LEAVING_ROUNDS_MAX; round++) {
      await this.lookNow()
      await this.#moving
      if (this.#owned.size === 0 || this.#lastBeatFailed) break
    }
    await this.#giveUp([...this.#owned.keys()])
  }

  stop(): void {
    this.#stopped = true
    this.#cancelBeat?.()
  }

  /** No other node can have claimed our shards yet, so deliveries may start. */
  get isCertain(): boolean {
    if (!this.#isShared) return true
    return this.#options.clock.monotonic() - this.#lastBeatAt < this.#options.leaseMs * CERTAIN_SHARE
  }

  get state(): ClusterState {
    return this.#map.state
  }

  /** How far this node's clock was ahead of the store's at its last beat. */
  get clockSkewMs(): Millis {
    return this.#map.nodes.find(({ node }) => node === this.#options.node)?.clockSkewMs ?? 0
  }

  /** Where a shard's owner can be reached, as far as is known here; null when it has none, or when it is this node. */
  addressOf(shard: ShardId): string | null {
    const owner = this.#map.ownerOf(shard)
    return owner === null || owner === this.#options.node ? null : this.#map.addressOf(owner)
  }

  /** A commit with this epoch was refused: somebody else owns the shard. */
  lost(shard: ShardId, epoch: Epoch): void {
    if (this.#owned.get(shard)?.epoch !== epoch) return
    this.#owned.delete(shard)
    this.#options.logger.warn({ shard }, 'lost a shard: another node owns it')
    this.#options.drop(shard)
  }

  /** Another node has handed shards over, to this one or to a third. */
  accept(moved: readonly MovedShard[]): void {
    const { node, clock, open } = this.#options
    for (const { shard, epoch, owner, flights } of moved) {
      const known = Math.max(this.#map.epochOf(shard), this.#owned.get(shard)?.epoch ?? 0)
      // What is older than what is known here got lost on its way; what is being claimed will have a newer epoch.
      if (owner !== node || epoch <= known || this.#claiming.has(shard)) continue
      this.#owned.set(shard, { epoch, sinceMono: clock.monotonic() })
      open(shard, epoch, flights)
    }
    this.#map.note(moved)
    if (this.#leaving) void this.lookNow()
  }

  /** Beats now: another node says that there is something to see. One round at a time. Rejects only when the first one fails. */
  lookNow(): Promise<void> {
    this.#nextRound ??= this.#round.then(() => {
      this.#nextRound = null
      const round = this.#beatAndAct()
      this.#round = round.catch(() => {})
      return round
    })
    return this.#nextRound
  }

  #beatLater(): void {
    // Nobody else can come or go where a store is for one node.
    if (!this.#isShared || this.#stopped) return
    const beatMs = this.#options.leaseMs / BEATS_PER_LEASE
    this.#cancelBeat = this.#options.clock.after(this.#lastBeatFailed ? beatMs / RETRIES_PER_BEAT : beatMs, () => {
      void this.lookNow().finally(() => this.#beatLater())
    })
  }

  async #beatAndAct(): Promise<void> {
    const { store, clock, logger, node, address } = this.#options
    const sentAt = clock.monotonic()
    try {
      this.#map.take(await store.beat({ node, address: address(), leaving: this.#leaving, now: clock.now() }))
    } catch (error) {
      this.#lastBeatFailed = true
      logger.error({ err: error, certain: this.isCertain }, 'could not reach the store to renew the ownership of shards')
      if (this.#owned.size === 0 && this.#lastBeatAt === -Infinity) throw error
      return
    }
    this.#lastBeatFailed = false
    const wasAway = sentAt - this.#lastBeatAt > this.#options.leaseMs * CERTAIN_SHARE
    // A node that has just been started was not away.
    if (wasAway && this.#lastBeatAt !== -Infinity) this.#doubtUntil = sentAt + this.#options.leaseMs
    this.#firstBeatAt = Math.min(this.#firstBeatAt, sentAt)
    this.#lastBeatAt = sentAt
    this.#dropWhatIsLost()
    this.#impostors.look(this.#map.nodes, this.#lastBeatAt - this.#firstBeatAt)
    this.#skew.look(this.clockSkewMs)
    const living = this.#map.nodes.filter((row) => this.#isAlive(row))
    const names = new Set(living.map((row) => row.node))
    if (!this.#isInDoubt) this.#options.seen(names)
    // One that is leaving gets nothing more, and keeps what it has until it has let go of it.
    const staying = living.filter((row) => !row.leaving && !this.#unreachable.has(row.node))
    const desired = assignShards(store.capabilities.shards, staying.map((row) => row.node))
    this.#moving ??= this.#handOverTo(desired, sentAt).finally(() => (this.#moving = null))
    await this.#claimMissing(desired, names)
  }

  #dropWhatIsLost(): void {
    for (const [shard, { epoch }] of this.#owned) if (this.#map.epochOf(shard) > epoch) this.lost(shard, epoch)
  }

  #isAlive({ node, silentMs }: NodeRow): boolean {
    return node === this.#options.node || silentMs <= this.#options.leaseMs
  }

  #others(): NodeRow[] {
    return this.#map.nodes.filter((row) => this.#isAlive(row) && row.node !== this.#options.node)
  }

  /** After a trouble of the database everybody has been silent: nothing changes hands until those that live can have beaten. */
  get #isInDoubt(): boolean {
    return this.#options.clock.monotonic() < this.#doubtUntil
  }

  async #claimMissing(desired: readonly string[], living: ReadonlySet<string>): Promise<void> {
    const { node, store } = this.#options
    const wanted = desired.flatMap((owner, shard) => (owner === node && !this.#owned.has(shard as ShardId) ? [shard as ShardId] : []))
    await Promise.all(
      wanted.map(async (shard) => {
        const holder = this.#map.ownerOf(shard)
        const isFree = holder === null || holder === node || (!living.has(holder) && !this.#isInDoubt)
        if (isFree || !store.capabilities.shared) await this.#claim(shard, this.#map.epochOf(shard))
      }),
    )
  }

  async #claim(shard: ShardId, expected: Epoch): Promise<void> {
    const { store, clock, node, logger, open } = this.#options
    this.#claiming.add(shard)
    try {
      const epoch = await store.claim({ shard, expected, owner: node })
      if (epoch === null) return
      this.#owned.set(shard, { epoch, sinceMono: clock.monotonic() })
      this.#map.note([{ shard, epoch, owner: node }])
      open(shard, epoch, [])
    } catch (error) {
      logger.warn({ shard, err: error }, 'could not claim a shard; trying again at the next beat')
    } finally {
      this.#claiming.delete(shard)
    }
  }

  /** Shards that another living node should have, as of `seenAt`; all of them when leaving. */
  async #handOverTo(desired: readonly string[], seenAt: number): Promise<void> {
    const { node } = this.#options
    const leaving = [...this.#owned].filter(([shard, { sinceMono }]) => {
      if (this.#leaving) return true
      return desired[shard] !== undefined && desired[shard] !== node && sinceMono < seenAt && !this.#isInDoubt
    })
    const byOwner = Map.groupBy(leaving.map(([shard]) => shard), (shard) => desired[shard] ?? null)
    await Promise.all(byOwner.entries().map(([owner, shards]) => this.#moveTo(owner, shards)))
  }

  async #moveTo(owner: string | null, shards: readonly ShardId[]): Promise<void> {
    const to = this.#map.nodes.find((row): row is NextOwner => row.node === owner && row.address !== null)
    if (to === undefined) {
      if (this.#leaving) await this.#giveUp(shards)
      return
    }
    const witnesses = this.#others().flatMap(({ node, address }) => (address === null || node === to.node ? [] : [address]))
    const isMoved = await handOver({ shards, to, witnesses }, this.#handOver)
    if (!isMoved && this.#leaving) this.#unreachable.add(to.node)
  }

  #letGo(shard: ShardId): Epoch | null {
    const epoch = this.#owned.get(shard)?.epoch ?? null
    this.#owned.delete(shard)
    return epoch
  }

  /** Nobody is there to take them: whoever comes next finds them free. */
  async #giveUp(shards: readonly ShardId[]): Promise<void> {
    await Promise.all(
      shards.map(async (shard) => {
        const epoch = this.#letGo(shard)
        if (epoch === null) return
        await this.#options.close(shard)
        await this.#release(shard, epoch)
      }),
    )
  }

  async #release(shard: ShardId, epoch: Epoch): Promise<void> {
    // A store that is away would only keep a stop waiting.
    if (this.#lastBeatFailed) return
    try {
      await this.#options.store.release({ shard, epoch })
    } catch (error) {
      this.#options.logger.warn({ shard, err: error }, 'could not release a shard; its next owner waits for the lease')
    }
  }

  get #isShared(): boolean {
    return this.#options.store.capabilities.shared
  }
}
