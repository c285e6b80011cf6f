// Which shards this node owns. The database is the only truth and the only coordinator: every node beats its row there
// and sees in the answer who else lives and who owns what; all living nodes compute the same desired owners. A node
// claims a shard that is free or whose owner has been silent for longer than the lease, and hands over one that
// another living node should have.
//
// Safety rests on fences alone: a claim raises the shard's epoch, and the store refuses commits with another epoch or owner.
// So this may be wrong about the others for a while, and only speed suffers. What a fence cannot undo is a delivery, so
// a node that could not beat for most of the lease starts none until a beat has told it what is still its own.
//
// What a node has is in claims.ts, what it gives away in moves.ts, what its beats allow it to believe in lease.ts, and
// what it makes of the beats of others in beat-watch.ts.

import type { LabelledNode } from '../../core/cluster/shard-assignment.ts'
import type { Epoch, Millis, ShardId } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Cancel } from '../../runtime/clock/clock.ts'
import { clusterLook } from '../../store/layout/layout-row.ts'
import type { ShardRow } from '../../store/store.ts'
import { BeatWatch } from './beat-watch.ts'
import type { SeenNode } from './beat-watch.ts'
import { Claims } from './claims.ts'
import { SkewWatch } from './clock-skew.ts'
import { ClusterMap } from './cluster-map.ts'
import type { MovedShard } from './handover.ts'
import { DuplicateAddressWatch } from './duplicate-address.ts'
import { endedOwners } from './ended-owners.ts'
import { KnownLayout } from './layout/known-layout.ts'
import { Lease } from './lease.ts'
import { Moves } from './moves.ts'
import type { MovesOptions } from './moves.ts'
import { Splits } from './layout/splits.ts'
import { UnopenedShards } from './unopened-shards.ts'

/** `node` names this run of this process: a restarted one is another node. */
export type OwnershipOptions = MovesOptions & {
  /** Where other nodes reach this one; null when there cannot be others. */
  readonly address: () => string | null
  readonly leaseMs: Millis
  /** What rules of the layout may ask for; none unless they are given. */
  readonly labels?: readonly string[]
  /** True only for a node whose process has surely ended: nothing is done in its name any more. Left out where nobody can tell. */
  readonly hasEnded?: (node: string) => Promise<boolean>
}

const LEAVING_ROUNDS_MAX = 5 // a next owner that cannot be reached costs one

export class Ownership {
  readonly #options: OwnershipOptions
  readonly #map = new ClusterMap()
  readonly layout: KnownLayout
  readonly splits: Splits
  readonly #watch: BeatWatch
  readonly #lease: Lease
  readonly #claims: Claims
  readonly #moves: Moves
  readonly #duplicates: DuplicateAddressWatch
  readonly #skew: SkewWatch
  readonly #unopened: UnopenedShards
  /** Owners of shards that had ended before this node was started, such as the one whose place it takes; null before it has looked. */
  #ended: ReadonlySet<string> | null = null
  #stopped = false
  #beats = 0
  #clockSkewMs: Millis = 0
  #forgottenClaims = 0
  #cancelBeat: Cancel | null = null
  /** Of a look between the beats. */
  #cancelLook: Cancel | null = null
  /** The round under way and the one that waits for it: whoever wants to look meanwhile shares that. */
  #round: Promise<void> = Promise.resolve()
  #nextRound: Promise<void> | null = null

  constructor(options: OwnershipOptions) {
    this.#options = options
    this.layout = new KnownLayout(options.store.capabilities.shards, options.logger)
    this.#watch = new BeatWatch(options)
    this.#lease = new Lease(options.clock, options.leaseMs)
    this.#claims = new Claims(options, this.#map, () => this.layout.shards)
    const parts = { claims: this.#claims, map: this.#map, lease: this.#lease, watch: this.#watch, layout: this.layout }
    this.#moves = new Moves(options, parts)
    this.splits = new Splits({ ...options, ...parts, lookNow: () => this.lookNow() })
    this.#duplicates = new DuplicateAddressWatch(options)
    this.#skew = new SkewWatch(options.logger)
    this.#unopened = new UnopenedShards(options.clock)
  }

  /** Resolves when this node has beaten once and claimed what it should have at that moment. The others hand over its share. */
  async start(): Promise<void> {
    await this.lookNow()
    if (!this.#isShared) this.layout.assertServed()
    this.#haveOthersLook()
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

  /** How many claims of shards the database has forgotten since this node was started. */
  get forgottenClaims(): number {
    return this.#forgottenClaims
  }

  /** Of the nodes this one comes first. */
  get state(): { readonly nodes: readonly SeenNode[]; readonly shards: readonly ShardRow[] } {
    const { node, address, labels = [] } = this.#options
    const { clockSkewMs } = this
    const self = { node, address: address(), leaving: this.#moves.isLeaving, labels, silentMs: 0, clockSkewMs }
    const nodes = [...(this.#lease.hasBeaten ? [self] : []), ...this.#watch.seen()]
    const shards = this.layout.served(this.#map.rows)
    return { nodes: nodes.toSorted((a, b) => (a.node < b.node ? -1 : 1)), shards }
  }

  /** How far this node's clock was ahead of the store's at its last beat. */
  get clockSkewMs(): Millis {
    return this.#clockSkewMs
  }

  /** Where a shard's owner can be reached, as far as is known here; null when it has none, or when it is this node. */
  addressOf(shard: ShardId): string | null {
    const owner = this.#map.ownerOf(shard)
    return owner === null || owner === this.#options.node ? null : this.#watch.addressOf(owner)
  }

  /** A commit with this epoch was refused: somebody else owns the shard. */
  lost(shard: ShardId, epoch: Epoch): void {
    this.#claims.lost(shard, epoch)
  }

  /** Another node has handed shards over, to this one or to a third. */
  accept(moved: readonly MovedShard[]): void {
    const isOlder = () => moved.some(({ layout }) => layout > this.layout.current.version)
    // By the newer layout the shards may have to be opened as what they are not here: the store is asked first.
    const known = isOlder() ? this.lookNow().catch(() => {}) : null
    if (known === null) this.#claims.accept(moved)
    else void known.then(() => isOlder() || this.#claims.accept(moved))
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

  #haveOthersLook(): void {
    for (const { address } of this.#watch.present()) if (address !== null) this.#options.neighbours.notify(address)
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
    if (!(await this.#beat())) return
    this.#duplicates.look(this.#watch.living())
    this.#skew.look(this.clockSkewMs)
    const present = new Set([this.#options.node, ...this.#watch.present().map(({ node }) => node)])
    if (!this.#lease.isInDoubt) this.#options.shards.seen(present, sentAt)
    const { hasEnded } = this.#options
    if (this.#ended === null && hasEnded !== undefined)
      this.#ended = await endedOwners(this.#map.rows, { ...this.#options, hasEnded })
    const desired = this.layout.desired(this.#candidates())
    this.splits.step(desired)
    this.#moves.begin(desired, sentAt)
    const isFree = (holder: string | null) => this.#isFree(holder)
    const areTakenBack = await this.#claims.claimMissing(desired, isFree, (holder) => this.#watch.beatOf(holder))
    // Whoever has them, by a claim that the database has forgotten, fires their timers until it looks.
    if (areTakenBack) this.#haveOthersLook()
    this.#unopened.look(this.#claims.unopened())
    this.#lookForAwaited()
  }

  /**
   * Who should have shards. One that is leaving gets nothing more, and keeps what it has until it has let go of it. A node that
   * leaves itself gives its shards also to those of which it has not seen yet that they live.
   */
  #candidates(): LabelledNode[] {
    const { isLeaving } = this.#moves
    const others = (isLeaving ? this.#watch.present() : this.#watch.living()).filter(
      (other) => !other.leaving && !this.#moves.isUnreachable(other.node),
    )
    const { node, labels = [] } = this.#options
    return isLeaving ? others : [...others, { node, labels }]
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
  async #beat(): Promise<boolean> {
    const { store, clock, logger, node, address, labels = [] } = this.#options
    const sentAt = this.#lease.now()
    try {
      const mark = this.#map.mark
      const answer = await store.beat({
        node,
        address: address(),
        leaving: this.#moves.isLeaving,
        labels,
        beat: ++this.#beats,
        now: clock.now(),
      })
      const state = clusterLook(answer, store.capabilities.shards)
      const wasTold = this.#map.mark !== mark
      this.#watch.look(state)
      this.layout.take(state.layout)
      this.#clockSkewMs = state.nodes.find((row) => row.node === node)?.clockSkewMs ?? 0
      this.#forgot(this.#map.take(state.shards, mark))
      // Before it is certain again of what it has.
      this.#claims.dropWhatIsLost()
      // A node that has claimed our shards meanwhile has beaten before. If a fail-over has made the database forget the claim,
      // the database says that nothing has changed, and what that node did to the timers is not in our memory.
      if (this.#lease.wasAway(sentAt) && (this.#watch.haveOthersBeaten || wasTold)) this.#claims.claimAnew()
    } catch (error) {
      this.#lease.beatFailed()
      logger.error(
        { err: error, certain: this.isCertain },
        'could not reach the store to renew the ownership of shards',
      )
      if (this.#claims.size === 0 && !this.#lease.hasBeaten) throw error
      return false
    }
    this.#lease.renewed(sentAt)
    return true
  }

  /** The database was failed over to a state before these claims, or restored. What it says now is what counts. */
  #forgot(shards: readonly ShardId[]): void {
    if (shards.length === 0) return
    this.#forgottenClaims += shards.length
    this.#options.logger.error(
      { shards: shards.length, first: shards.slice(0, 10) },
      'the database has forgotten claims of shards, so it may have lost acknowledged changes as well: was it failed over or restored? Going on with what it says',
    )
  }

  #isFree(holder: string | null): boolean {
    if (holder === null || holder === this.#options.node || !this.#isShared || this.#ended?.has(holder)) return true
    return this.#watch.isSilent(holder) && !this.#lease.isInDoubt
  }

  get #isShared(): boolean {
    return this.#options.store.capabilities.shared
  }
}
