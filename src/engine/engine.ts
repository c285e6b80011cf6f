// One node: owns shards, executes commands on them and fires their timers. It holds what the shards of a node share:
// the commit queue, the dispatcher, the driver timer and the pruner.

import type { Command } from '../core/command.ts'
import { failedDelivery } from '../core/delivery.ts'
import { shardOf } from '../core/ids.ts'
import type { Epoch, Millis, Namespace, ShardId, Target, Timer, TimerUuid } from '../core/timer.ts'
import { sleep } from '../runtime/clock.ts'
import type { Cancel, Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { NodeRow, ShardRow, Store } from '../store/store.ts'
import type { TargetAdapter } from '../targets/target.ts'
import { CommitQueue } from './commit-queue.ts'
import type { CommitObserver } from './commit-queue.ts'
import { Dispatcher } from './dispatcher.ts'
import type { DispatcherLimits } from './dispatcher.ts'
import { Driver } from './driver.ts'
import type { FlightObserver } from './flights.ts'
import type { Departure, FlightAbroad, Landing, MovedShard, Neighbours } from './hand-over.ts'
import type { Outbox } from './outbox.ts'
import { Ownership } from './ownership.ts'
import { Pruner } from './pruner.ts'
import { Shard, notOwner } from './shard.ts'
import type { Executed, ShardStatus } from './shard.ts'
import type { WindowLimits } from './shares.ts'
import { Window } from './window.ts'

export type EngineOptions = {
  readonly store: Store
  readonly targets: readonly TargetAdapter[]
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: EngineObserver
  /** Names this run of this process in the store. */
  readonly node: string
  /** Left out where the store is for one node. */
  readonly cluster?: ClusterOptions
  readonly retentionMs: (namespace: Namespace) => Millis
  readonly window: WindowLimits
  readonly deliveries: DispatcherLimits
  readonly commitQueue: { readonly lengthMax: number; readonly batchMax: number }
  readonly pollIntervalMs: Millis
  /** Absent where nobody wants lifecycle events. */
  readonly outbox?: Outbox
}

export type ClusterOptions = {
  /** Where other nodes reach this one. */
  readonly address: () => string
  readonly leaseMs: Millis
  readonly neighbours: Neighbours
}

/** What the other nodes ask of this one; the other side of Neighbours. */
export type ClusterMember = Pick<Engine, 'execute' | 'lookNow' | 'prepare' | 'accept' | 'land'>

export type EngineObserver = FlightObserver & CommitObserver

/** What the engine is busy with, for metrics and health. */
export type EngineGauges = {
  readonly ownedShards: number
  readonly windowTimers: number
  readonly windowBytes: number
  readonly commitQueueLength: number
  readonly inFlight: number
  readonly readyDeliveries: number
  readonly clockSkewMs: Millis
}

export type ClusterView = {
  readonly node: string
  /** False while this node cannot be sure that its shards are still its own: it starts no deliveries then. */
  readonly isCertain: boolean
  readonly nodes: readonly NodeRow[]
  readonly shards: readonly (ShardRow & { readonly own: ShardStatus | null })[]
}

export class Engine {
  readonly #options: EngineOptions
  readonly #targets: ReadonlyMap<string, TargetAdapter>
  readonly #commits: CommitQueue
  readonly #dispatcher: Dispatcher
  readonly #driver: Driver
  readonly #pruner: Pruner
  readonly #ownership: Ownership
  readonly #shards = new Map<ShardId, Shard>()
  /** Given to other nodes, with deliveries still in flight here. */
  readonly #departed = new Set<Shard>()
  readonly #started = Promise.withResolvers<void>()
  readonly #abandon = new AbortController()
  #cancelPoll: Cancel | null = null
  #stopping: Promise<void> | null = null

  constructor(options: EngineOptions) {
    const { store, clock, logger, observer } = options
    this.#options = options
    this.#targets = new Map(options.targets.map((target) => [target.type, target]))
    this.#commits = new CommitQueue({ store, clock, observer, ...options.commitQueue })
    this.#dispatcher = new Dispatcher(options.deliveries)
    this.#driver = new Driver(clock, (now) => this.#wake(now))
    this.#pruner = new Pruner({ store, clock, logger })
    this.#ownership = new Ownership({
      store,
      clock,
      logger,
      node: options.node,
      ...(options.cluster ?? ALONE),
      open: (shard, epoch, flights) => this.#openShard(shard, epoch, flights),
      close: (shard) => this.#closeShard(shard),
      depart: (shard) => this.#depart(shard),
      drop: (shard) => this.#dropShard(shard),
      seen: (living) => {
        for (const shard of this.#shards.values()) shard.seen(living)
      },
    })
  }

  /** Claims what this node should own now, and resolves when each of these shards has its first page in memory. */
  async start(): Promise<void> {
    await this.#ownership.start()
    await Promise.all(Array.from(this.#shards.values(), (shard) => shard.load()))
    this.#driver.start()
    this.#pruner.start()
    this.#pollLater()
    this.#started.resolve()
    this.#options.logger.info({ shards: this.#shards.size, timers: this.gauges().windowTimers }, 'engine started')
  }

  /** Deliveries in flight get `graceMs` to finish; what does not is delivered again after the restart. */
  async stop(graceMs: Millis): Promise<void> {
    this.#stopping ??= this.#stop(graceMs)
    await this.#stopping
  }

  execute(command: Command): Promise<Executed> {
    return this.#ownerOf(command.uuid).execute(command)
  }

  /** Who lives and who owns what, by this node's last look, with what only this node knows of its own shards. */
  cluster(): ClusterView {
    const now = this.#options.clock.now()
    const { nodes, shards } = this.#ownership.state
    return {
      node: this.#options.node,
      isCertain: this.#ownership.isCertain,
      nodes,
      shards: shards.map((row) => ({ ...row, own: this.#shards.get(row.shard)?.status(now) ?? null })),
    }
  }

  /** Throws the reason why clients should go to another node for now. */
  assertInCluster(): void {
    if (this.#stopping !== null) throw new Error('the node is stopping and hands its timers over')
    if (!this.#ownership.isCertain) throw new Error('the node could not renew its ownership of timers for too long, so it fires none')
  }

  /** Where the owner of this timer's shard can be reached; null when that is this node, or nobody. */
  addressOf(uuid: TimerUuid): string | null {
    return this.#ownership.addressOf(this.#shardOf(uuid))
  }

  /** Another node says that there is something to see in the store. */
  lookNow(): Promise<void> {
    return this.#ownership.lookNow()
  }

  /**
   * Another node is about to hand these shards over and fires their timers until this resolves. Reading what will be read
   * then has connections made, code compiled and pages in the database's memory.
   */
  async prepare(shards: readonly ShardId[]): Promise<void> {
    const { store, clock } = this.#options
    if (this.#stopping !== null) throw notOwner()
    await this.#started.promise
    const until = clock.now() + PREPARED_AHEAD_MS
    await Promise.all(shards.map((shard) => store.due({ shard, after: null, until, limit: PREPARED_ROWS })))
  }

  /** Another node has handed shards over, to this one or to a third. */
  accept(moved: readonly MovedShard[]): void {
    this.#ownership.accept(moved)
  }

  /** A delivery that another node carries is over; false when the timer's shard is not owned here. */
  async land(landing: Landing): Promise<boolean> {
    const shard = this.#shards.get(landing.shard)
    if (shard === undefined) return false
    await shard.land(landing)
    return true
  }

  /** The timer as the outside sees it, with what only the owner knows. */
  view(timer: Timer): Timer {
    return this.#shards.get(this.#shardOf(timer.uuid))?.view(timer) ?? timer
  }

  /** How many deliveries have been started so far, repeated attempts included. */
  get deliveries(): number {
    return this.#dispatcher.started
  }

  /** A lane of a target has been opened: what waits there may start. */
  lookForOpenLanes(): void {
    if (this.#stopping === null) this.#dispatcher.run()
  }

  /**
   * For a clock that is moved by hand. Does what is due by now and waits until none of it is under way any more: no
   * delivery, no write, no page being read. Answers when something is due next; Infinity for never.
   */
  async quiet(): Promise<Millis> {
    const { clock } = this.#options
    for (;;) {
      this.#driver.lookNow()
      // What has just ended may go on in the same turn: an outcome into a commit, a commit into the window.
      await new Promise<void>((resolve) => setImmediate(resolve))
      const busy = [...this.#shards.values()].filter((shard) => shard.isBusy)
      const isQuiet = busy.length === 0 && this.#commits.length === 0 && this.#driver.nextAt > clock.now()
      if (isQuiet && this.#ownership.isCertain) return this.#driver.nextAt
      await Promise.all([this.#commits.idle(), ...busy.map((shard) => shard.ended())])
      if (!this.#ownership.isCertain) await sleep(clock, UNCERTAIN_RETRY_MS)
    }
  }

  gauges(): EngineGauges {
    const windows = Array.from(this.#shards.values(), ({ window }) => window)
    return {
      ownedShards: this.#shards.size,
      windowTimers: windows.reduce((sum, { size }) => sum + size, 0),
      windowBytes: windows.reduce((sum, { bytes }) => sum + bytes, 0),
      commitQueueLength: this.#commits.length,
      inFlight: this.#dispatcher.inFlight,
      readyDeliveries: this.#dispatcher.waiting,
      clockSkewMs: this.#ownership.clockSkewMs,
    }
  }

  /** What each of its shards is busy with. */
  shardGauges(): (ShardStatus & { readonly shard: ShardId })[] {
    const now = this.#options.clock.now()
    return Array.from(this.#shards.values(), (shard) => ({ shard: shard.id, ...shard.status(now) }))
  }

  #ownerOf(uuid: TimerUuid): Shard {
    const shard = this.#shards.get(this.#shardOf(uuid))
    if (shard === undefined) throw notOwner()
    return shard
  }

  #shardOf(uuid: TimerUuid): ShardId {
    return shardOf(uuid, this.#options.store.capabilities.shards)
  }

  #openShard(id: ShardId, epoch: Epoch, abroad: readonly FlightAbroad[]): void {
    const { store, clock, logger, observer, retentionMs, outbox } = this.#options
    const shard = new Shard({
      id,
      epoch,
      window: new Window({ store, shard: id, limits: this.#shardLimits, now: clock.now() }),
      store,
      commits: this.#commits,
      dispatcher: this.#dispatcher,
      clock,
      logger,
      observer,
      retentionMs,
      signal: this.#abandon.signal,
      targetFor: (target) => this.#targetFor(target),
      wakeBy: (at) => this.#driver.wakeBy(at),
      mayStart: () => this.#ownership.isCertain,
      onFenced: () => this.#ownership.lost(id, epoch),
      node: this.#options.node,
      abroad,
      report: (landing) => this.#report(landing),
      ...(outbox !== undefined && { outbox }),
    })
    this.#shards.set(id, shard)
    outbox?.opened(id)
    void shard.load()
  }

  /** The shards share what a node may hold in memory; each keeps enough to be worth a page. */
  get #shardLimits(): WindowLimits {
    const { timersMax, bytesMax, pageSize } = this.#options.window
    const shards = () => Math.max(1, this.#shards.size)
    return {
      get timersMax() {
        return Math.max(SHARD_TIMERS_MIN, Math.floor(timersMax / shards()))
      },
      get bytesMax() {
        return bytesMax / shards()
      },
      get pageSize() {
        return Math.min(pageSize, Math.ceil(this.timersMax / 2))
      },
    }
  }

  /** Nothing starts any more, and what is in flight lands. */
  async #closeShard(id: ShardId): Promise<void> {
    const shard = this.#shards.get(id)
    this.#shards.delete(id)
    await shard?.stop()
    await this.#options.outbox?.closed(id)
  }

  #depart(id: ShardId): Departure {
    const shard = this.#shards.get(id)!
    this.#shards.delete(id)
    this.#departed.add(shard)
    const departure = shard.depart()
    this.#options.outbox?.left(id)
    void shard.stop().then(() => this.#departed.delete(shard))
    return departure
  }

  /** Until the owner by now has it. It may be on its way to yet another node, or dead; or this one may have the shard again. */
  async #report(landing: Landing): Promise<void> {
    const { clock, cluster, logger } = this.#options
    const { signal } = this.#abandon
    for (let waitMs = REPORT_AGAIN_FIRST_MS; ; waitMs = Math.min(waitMs * 2, REPORT_AGAIN_MAX_MS)) {
      const address = this.#ownership.addressOf(landing.shard)
      try {
        if (await (address === null ? this.land(landing) : cluster!.neighbours.land(address, landing))) return
      } catch (error) {
        logger.debug({ shard: landing.shard, err: error }, 'could not report the end of a delivery; trying again')
      }
      if (signal.aborted) return
      await this.#ownership.lookNow().catch(() => {})
      await sleep(clock, waitMs, signal).catch(() => {})
    }
  }

  #dropShard(id: ShardId): void {
    const shard = this.#shards.get(id)
    this.#shards.delete(id)
    this.#options.outbox?.left(id)
    void shard?.stop()
  }

  #targetFor(target: Target): TargetAdapter {
    return this.#targets.get(target.type) ?? unconfigured(target.type)
  }

  #wake(now: Millis): Millis {
    if (!this.#ownership.isCertain) return now + UNCERTAIN_RETRY_MS
    let nextAt = Infinity
    for (const shard of this.#shards.values()) nextAt = Math.min(nextAt, shard.wake(now))
    this.#dispatcher.run()
    return nextAt
  }

  /** The safety net: nothing in the product depends on it. While timers wait for a slot, what is due is known anyway. */
  #pollLater(): void {
    this.#cancelPoll = this.#options.clock.after(this.#options.pollIntervalMs, () => {
      if (this.#dispatcher.waiting === 0) for (const shard of this.#shards.values()) void shard.repair()
      this.#pollLater()
    })
  }

  async #stop(graceMs: Millis): Promise<void> {
    const { clock, logger, store } = this.#options
    const graceOver = new AbortController()
    const grace = sleep(clock, graceMs, graceOver.signal).then(
      () => this.#abandon.abort(new Error('the service is stopping')),
      () => {},
    )
    // Where others can take the shards this node fires until they have them. A node alone stops firing at once.
    if (!store.capabilities.shared) this.#driver.stop()
    await this.#ownership.leave()
    this.#driver.stop()
    this.#cancelPoll?.()
    // What is in flight gets the rest of the grace.
    await Promise.all(Array.from(this.#departed, (shard) => shard.stop()))
    this.#ownership.stop()
    graceOver.abort()
    this.#abandon.abort(new Error('the service is stopping'))
    await Promise.all([grace, this.#pruner.stop(), this.#commits.idle()])
    await Promise.all(this.#options.targets.map((target) => target.close()))
    logger.info('engine stopped')
  }
}

const NOBODY = (): Promise<never> => Promise.reject(new Error('there are no other nodes'))
const ALONE = { address: () => null, leaseMs: Infinity, neighbours: { notify: () => {}, prepare: NOBODY, moved: NOBODY, land: NOBODY } }
const SHARD_TIMERS_MIN = 2
const PREPARED_AHEAD_MS = 60_000
const PREPARED_ROWS = 100 // as many as the first page has
const REPORT_AGAIN_FIRST_MS = 50
const REPORT_AGAIN_MAX_MS = 500
const UNCERTAIN_RETRY_MS = 50

/**
 * A stored timer may name a kind of target that is no longer configured: its attempts fail and say so. A function is in
 * a program that is not running now, which is no failure: its timers wait for it.
 */
function unconfigured(type: Target['type']): TargetAdapter {
  return {
    type,
    laneOf: () => `unconfigured:${type}`,
    ...(type === 'function' && { isOpen: () => false }),
    deliver: () => Promise.resolve(failedDelivery(`this service has no ${type} connection configured`)),
    close: () => Promise.resolve(),
  }
}
