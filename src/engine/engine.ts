// One node: owns shards, executes commands on them and fires their timers. It holds what the shards of a node share:
// the commit queue, the dispatcher, the driver timer and the pruner.

import type { ShardCommand } from '../core/rules/command.ts'
import type { PlacedTimer } from '../core/cluster/layout.ts'
import { placeOf } from '../core/cluster/split.ts'
import type { TimerIdentity } from '../core/timer/ids.ts'
import type { Millis, ShardId, Timer } from '../core/timer/timer.ts'
import { sleep } from '../runtime/clock/clock.ts'
import { GatheredGets } from '../store/gathered-gets.ts'
import { NodeCalendars } from './calendars/node-calendars.ts'
import { CommitQueue } from './commit/commit-queue.ts'
import { CatchUpRate } from './delivery/pace/catch-up-rate.ts'
import { Dispatcher } from './delivery/dispatcher.ts'
import { StartPace } from './delivery/pace/start-pace.ts'
import type { DeliveryReport } from './delivery/remote-delivery.ts'
import type { MovedShard } from './cluster/handover.ts'
import type { EngineOptions } from './engine-options.ts'
import { findTimer } from './find-timer.ts'
import { NodeView } from './node-view.ts'
import type { ClusterView, EngineGauges, ShardGauges } from './node-view.ts'
import { OpenShards } from './open-shards.ts'
import { notOwner } from './commit/owned-rows.ts'
import { Ownership } from './cluster/ownership.ts'
import { Pruner } from './pruner.ts'
import type { CommandOutcomes, Executed } from './shard-commands.ts'
import { targetFinder } from './delivery/target-finder.ts'
import { Waker } from './waker.ts'
import { ZonePass } from './zone-pass.ts'

export type { ClusterOptions, EngineObserver, EngineOptions } from './engine-options.ts'
export type { ClusterView, EngineGauges } from './node-view.ts'

/** Which node should get ready to have which shards. */
export type Preparation = { readonly node: string; readonly shards: readonly ShardId[] }

/** What the other nodes ask of this one; the other side of Neighbours. */
export type ClusterMember = Pick<Engine, 'execute' | 'lookNow' | 'prepare' | 'accept' | 'acceptReport'>

const NOBODY = (): Promise<never> => Promise.reject(new Error('there are no other nodes'))
const ALONE = {
  address: () => null,
  leaseMs: Infinity,
  neighbours: { notify: () => {}, prepare: NOBODY, moved: NOBODY, report: NOBODY },
}
const PREPARED_AHEAD_MS = 60_000
const UNOPENED_MS_MAX = 3_000 // a shard that has come here is open half a second after it was seen, unless something is wrong
const PREPARED_ROWS = 100 // as many as the first page has

export class Engine {
  readonly #options: EngineOptions
  readonly #commits: CommitQueue
  readonly #dispatcher: Dispatcher
  readonly #shards: OpenShards
  readonly #ownership: Ownership
  readonly #waker: Waker
  readonly #view: NodeView
  readonly #pruner: Pruner
  readonly #zonePass: ZonePass
  /** The calendars that timers name. */
  readonly calendars: NodeCalendars
  readonly #started = Promise.withResolvers<void>()
  readonly #abandon = new AbortController()
  #stopping: Promise<void> | null = null

  constructor(options: EngineOptions) {
    const { store, clock, logger, observer, node, pollIntervalMs } = options
    const isCertain = () => this.#ownership.isCertain
    this.#options = options
    this.#commits = new CommitQueue({ store, owner: node, clock, observer, ...options.commitQueue })
    this.#dispatcher = new Dispatcher(options.deliveries, new StartPace(clock))
    const reads = new GatheredGets(store)
    const { catchUpPerSecond = Infinity } = options
    const catchUp = new CatchUpRate({
      clock,
      perSecond: () => (catchUpPerSecond * Math.max(1, this.#shards.size)) / this.#ownership.layout.shards.length,
      onRefill: () => this.lookForOpenDestinations(),
    })
    const machinery = { clock, commits: this.#commits, dispatcher: this.#dispatcher }
    this.calendars = new NodeCalendars({ read: (row) => this.find(row, reads), clock, logger })
    this.#shards = new OpenShards({
      ...options,
      ...machinery,
      reads,
      catchUp,
      calendars: this.calendars,
      limits: options.window,
      leaseMs: (options.cluster ?? ALONE).leaseMs,
      signal: this.#abandon.signal,
      targetFor: targetFinder(options.targets),
      wakeBy: (at) => this.#waker.wakeBy(at),
      mayStart: isCertain,
      onFenced: ({ shard, epoch }) => this.#ownership.lost(shard, epoch),
      reportToOwner: (report) => this.#reportToOwner(report),
      lookNow: () => this.lookNow(),
      layout: () => this.#ownership.layout.current,
      onEmptied: (shard) => this.#ownership.splits.emptied(shard),
    })
    const shards = this.#shards
    this.#ownership = new Ownership({ store, clock, logger, node, ...(options.cluster ?? ALONE), shards })
    this.#waker = new Waker({
      ...machinery,
      store,
      logger,
      shards,
      pollIntervalMs,
      isCertain,
      lookNow: () => this.lookNow(),
    })
    this.#view = new NodeView({ ...machinery, node, shards, ownership: this.#ownership })
    const { hasOtherZoneData = () => Promise.resolve(false) } = options
    this.#zonePass = new ZonePass({ store, clock, logger, shards, hasOtherZoneData })
    this.#pruner = new Pruner({ store, clock, logger, owned: () => shards.prunable })
  }

  /** Claims what this node should own now, and resolves when each of these shards has its first page in memory. */
  async start(): Promise<void> {
    await this.#ownership.start()
    await Promise.all(Array.from(this.#shards, (shard) => shard.load()))
    this.#waker.start()
    this.#pruner.start()
    this.#zonePass.start()
    this.#started.resolve()
    this.#options.logger.info({ shards: this.#shards.size, timers: this.gauges().windowTimers }, 'engine started')
  }

  /** Deliveries in flight get `graceMs` to finish; what does not is delivered again after the restart. */
  async stop(graceMs: Millis): Promise<void> {
    this.#stopping ??= this.#stop(graceMs)
    await this.#stopping
  }

  /** As `begin`, with a promise. */
  execute(command: ShardCommand): Promise<Executed> {
    return new Promise((resolve, reject) =>
      this.begin(command, { executed: (_, result) => resolve(result), refused: (_, error) => reject(error) }, 0),
    )
  }

  /** Whoever gave the command is told when what it asks for is durable, or why it is refused. */
  begin(command: ShardCommand, outcomes: CommandOutcomes, place: number): void {
    const shard = this.#shards.get(this.shardOf(command))
    if (shard === undefined) return outcomes.refused(place, notOwner())
    // A turn of the event loop may bring hundreds of commands, and timers do not wait for the last of them.
    this.#waker.lookMeanwhile()
    shard.commands.begin(command, outcomes, place)
  }

  /** The timer as the outside sees it, with what only the owner knows. */
  view(timer: Timer): Timer {
    return this.#shards.get(this.shardOf(timer))?.view(timer) ?? timer
  }

  owns(timer: PlacedTimer): boolean {
    return this.#shards.get(this.shardOf(timer)) !== undefined
  }

  /** Where the owner of this timer's shard can be reached; null when that is this node, or nobody. */
  addressOf(timer: PlacedTimer): string | null {
    return this.#ownership.addressOf(this.shardOf(timer))
  }

  shardOf(timer: PlacedTimer): ShardId {
    return placeOf(this.#ownership.layout.current, timer)
  }

  /** What is stored of the timer. */
  find(timer: TimerIdentity, reads: GatheredGets): Promise<Timer | null> {
    return findTimer(timer, reads, this.#ownership)
  }

  /** A destination of a target has been opened: what waits there may start. */
  lookForOpenDestinations(): void {
    if (this.#stopping === null) this.#dispatcher.open()
  }

  /** For a clock that is moved by hand: see Waker. */
  quiet(): Promise<Millis> {
    return this.#waker.quiet()
  }

  /** Another node says that there is something to see in the store. */
  lookNow(): Promise<void> {
    return this.#ownership.lookNow()
  }

  /**
   * Another node is about to hand these shards over and fires their timers until this resolves. Reading what will be read
   * then has connections made, code compiled and pages in the database's memory.
   */
  async prepare({ node, shards }: Preparation): Promise<void> {
    const { store, clock } = this.#options
    // At the address of a dead node there may be another one.
    if (node !== this.#options.node || this.#stopping !== null) throw notOwner()
    await this.#started.promise
    const until = clock.now() + PREPARED_AHEAD_MS
    // The rows are not kept until all are there: they can be large.
    await Promise.all(
      shards.map(async (shard) => void (await store.due({ shard, after: null, until, limit: PREPARED_ROWS }))),
    )
    // It would have the shards, and fire nothing.
    if (!this.#ownership.isCertain) throw notOwner()
  }

  /** Another node has handed shards over, to this one or to a third. */
  accept(moved: readonly MovedShard[]): void {
    this.#ownership.accept(moved)
  }

  /** A delivery of another node is over; false when the timer's shard is not owned here. */
  async acceptReport(report: DeliveryReport): Promise<boolean> {
    const shard = this.#shards.openOrClosing(this.shardOf(report.delivery))
    if (shard === undefined) return false
    await shard.acceptReport(report)
    return true
  }

  /** Throws the reason why clients should go to another node for now. */
  assertInCluster(): void {
    if (this.#stopping !== null) throw new Error('the node is stopping and hands its timers over')
    if (!this.#ownership.isCertain)
      throw new Error('the node could not renew its ownership of timers for too long, so it fires none')
    this.#ownership.layout.assertServed()
    const { unopenedShards, unopenedMs } = this.#ownership
    if (unopenedMs < UNOPENED_MS_MAX) return
    throw new Error(
      `${unopenedShards} shards are in the name of this node and have not been open for ${Math.round(unopenedMs / 1_000)} s: their timers do not fire`,
    )
  }

  /** How many deliveries have been started so far, repeated attempts included. */
  get deliveries(): number {
    return this.#dispatcher.started
  }

  /** Until when it has nothing to do: it wakes then, because something may be due; Infinity for ever. Not in the future while something is under way. */
  get freeUntil(): Millis {
    const { inFlight, waiting } = this.#dispatcher
    const isBusy =
      inFlight > 0 || waiting > 0 || this.#commits.length > 0 || [...this.#shards].some((shard) => shard.isBusy)
    return isBusy ? this.#options.clock.now() : this.#waker.nextAt
  }

  gauges(): EngineGauges {
    return this.#view.gauges()
  }

  shardGauges(): ShardGauges[] {
    return this.#view.shardGauges()
  }

  cluster(): ClusterView {
    return this.#view.cluster()
  }

  #reportToOwner(report: DeliveryReport): Promise<boolean> {
    const address = this.addressOf(report.delivery)
    return address === null ? this.acceptReport(report) : this.#options.cluster!.neighbours.report(address, report)
  }

  async #stop(graceMs: Millis): Promise<void> {
    const { clock, logger, store } = this.#options
    const graceOver = new AbortController()
    const grace = sleep(clock, graceMs, graceOver.signal).then(
      () => this.#abandon.abort(new Error('the service is stopping')),
      () => {},
    )
    // Where others can take the shards this node fires until they have them. A node alone stops firing at once.
    if (!store.capabilities.shared) this.#waker.stop()
    await this.#ownership.leave()
    this.#waker.stop()
    // What is in flight gets the rest of the grace.
    await this.#shards.handedOverEnded()
    this.#ownership.stop()
    graceOver.abort()
    this.#abandon.abort(new Error('the service is stopping'))
    await Promise.all([grace, this.#pruner.stop(), this.#zonePass.stop(), this.#commits.idle()])
    await Promise.all(this.#options.targets.map((target) => target.close()))
    logger.info('engine stopped')
  }
}
