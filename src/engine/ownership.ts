// Which shards this node owns. The database is the only truth and the only coordinator: every node beats its row there
// and sees in the answer who else lives and who owns what; all living nodes compute the same desired owners. A node
// claims a shard that is free or whose owner has been silent for longer than the lease, and hands over one that
// another living node should have.
//
// Safety rests on epochs alone: a claim raises the shard's epoch and the store refuses commits with an older one. So
// this may be wrong about the others for a while, and only speed suffers. What epochs cannot undo is a delivery, so
// a node that could not beat for most of the lease starts none until it knows better.
//
// What a node has is in claims.ts, what it gives away in moves.ts, what its beats allow it to believe in lease.ts.

import { assignShards } from '../core/shard-assignment.ts'
import type { Epoch, Millis, ShardId } from '../core/timer.ts'
import { sleep } from '../runtime/clock.ts'
import type { Cancel } from '../runtime/clock.ts'
import type { ClusterState } from '../store/store.ts'
import { Claims } from './claims.ts'
import { SkewWatch } from './clock-skew.ts'
import { ClusterMap } from './cluster-map.ts'
import type { MovedShard } from './hand-over.ts'
import { ImpostorWatch } from './impostors.ts'
import { Lease } from './lease.ts'
import { Moves } from './moves.ts'
import type { MovesOptions } from './moves.ts'
import { UnopenedShards } from './unopened-shards.ts'

/** `node` names this run of this process: a restarted one is another node. */
export type OwnershipOptions = MovesOptions & {
  /** Where other nodes reach this one; null when there cannot be others. */
  readonly address: () => string | null
  readonly leaseMs: Millis
}

const LEAVING_ROUNDS_MAX = 5 // a next owner that cannot be reached costs one

export class Ownership {
  readonly #options: OwnershipOptions
  readonly #map: ClusterMap
  readonly #lease: Lease
  readonly #claims: Claims
  readonly #moves: Moves
  readonly #impostors: ImpostorWatch
  readonly #skew: SkewWatch
  readonly #unopened: UnopenedShards
  #stopped = false
  #cancelBeat: Cancel | null = null
  /** Of a look between the beats. */
  #cancelLook: Cancel | null = null
  /** The round under way and the one that waits for it: whoever wants to look meanwhile shares that. */
  #round: Promise<void> = Promise.resolve()
  #nextRound: Promise<void> | null = null

  constructor(options: OwnershipOptions) {
    this.#options = options
    this.#map = new ClusterMap(options)
    this.#lease = new Lease(options.clock, options.leaseMs)
    this.#claims = new Claims(options, this.#map)
    this.#moves = new Moves(options, { claims: this.#claims, map: this.#map, lease: this.#lease })
    this.#impostors = new ImpostorWatch(options)
    this.#skew = new SkewWatch(options.logger)
    this.#unopened = new UnopenedShards(options.clock)
  }

  /** Resolves when this node has beaten once and claimed what it should have at that moment. The others hand over its share. */
  async start(): Promise<void> {
    await this.lookNow()
    for (const { address } of this.#map.others()) if (address !== null) this.#options.neighbours.notify(address)
    this.#beatLater()
  }

  /**
   * Hands everything over, and goes on beating: what is in flight is still ours to end. Resolves when the store knows;
   * one that does not answer is left to find out by the lease.
   */
  async leave(): Promise<void> {
    this.#moves.leave()
    for (let round = 0; round < LEAVING_ROUNDS_MAX; round++) {
      await this.lookNow()
      await this.#moves.ended()
      if (this.#claims.isEmpty || this.#lease.lastBeatFailed) break
      const awaitedForMs = this.#claims.awaitedForMs
      if (awaitedForMs !== null) await sleep(this.#options.clock, awaitedForMs)
    }
    await this.#moves.giveUp(this.#claims.all())
  }

  stop(): void {
    this.#stopped = true
    this.#cancelBeat?.()
    this.#cancelLook?.()
  }

  /** No other node can have claimed our shards yet, so deliveries may start. */
  get isCertain(): boolean {
    return !this.#isShared || this.#lease.isCertain
  }

  /** How many shards the store says are this node's and are not open here, as of the last beat. */
  get unopenedShards(): number {
    return this.#unopened.count
  }

  /** For how long the first of them has been so; a moment is usual while shards move. */
  get unopenedMs(): Millis {
    return this.#unopened.longestMs
  }

  get state(): ClusterState {
    return this.#map.state
  }

  /** How far this node's clock was ahead of the store's at its last beat. */
  get clockSkewMs(): Millis {
    return this.#map.clockSkewMs
  }

  /** Where a shard's owner can be reached, as far as is known here; null when it has none, or when it is this node. */
  addressOf(shard: ShardId): string | null {
    return this.#map.addressOf(shard)
  }

  /** A commit with this epoch was refused: somebody else owns the shard. */
  lost(shard: ShardId, epoch: Epoch): void {
    this.#claims.lost(shard, epoch)
  }

  /** Another node has handed shards over, to this one or to a third. */
  accept(moved: readonly MovedShard[]): void {
    this.#claims.accept(moved)
    if (this.#moves.isLeaving) void this.lookNow()
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
    this.#cancelBeat = this.#options.clock.after(this.#lease.nextBeatMs, () => {
      void this.lookNow().finally(() => this.#beatLater())
    })
  }

  async #beatAndAct(): Promise<void> {
    const sentAt = this.#options.clock.monotonic()
    if (!(await this.#beat(sentAt))) return
    this.#claims.dropWhatIsLost()
    this.#impostors.look(this.#map.nodes, this.#lease.livedMs)
    this.#skew.look(this.clockSkewMs)
    const living = this.#map.living()
    const names = new Set(living.map(({ node }) => node))
    if (!this.#lease.isInDoubt) this.#options.shards.seen(names, sentAt)
    // One that is leaving gets nothing more, and keeps what it has until it has let go of it.
    const staying = living.filter(({ node, leaving }) => !leaving && !this.#moves.isUnreachable(node))
    const desired = assignShards(this.#options.store.capabilities.shards, staying.map(({ node }) => node))
    this.#moves.begin(desired, sentAt)
    await this.#claims.claimMissing(desired, (holder) => this.#isFree(holder, names))
    this.#unopened.look(this.#claims.unopened())
    this.#lookForAwaited()
  }

  /** Shards that were handed over to this node and of which it has not heard are claimed then, and not only at the next beat. */
  #lookForAwaited(): void {
    const awaitedForMs = this.#claims.awaitedForMs
    if (awaitedForMs === null || this.#stopped) return
    this.#cancelLook ??= this.#options.clock.after(awaitedForMs, () => {
      this.#cancelLook = null
      void this.lookNow()
    })
  }

  /** False when the store could not be reached. */
  async #beat(sentAt: number): Promise<boolean> {
    const { store, clock, logger, node, address } = this.#options
    try {
      this.#map.take(await store.beat({ node, address: address(), leaving: this.#moves.isLeaving, now: clock.now() }))
    } catch (error) {
      this.#lease.beatFailed()
      logger.error({ err: error, certain: this.isCertain }, 'could not reach the store to renew the ownership of shards')
      if (this.#claims.size === 0 && !this.#lease.hasBeaten) throw error
      return false
    }
    this.#lease.renewed(sentAt)
    return true
  }

  #isFree(holder: string | null, living: ReadonlySet<string>): boolean {
    if (holder === null || holder === this.#options.node || !this.#isShared) return true
    return !living.has(holder) && !this.#lease.isInDoubt
  }

  get #isShared(): boolean {
    return this.#options.store.capabilities.shared
  }
}
