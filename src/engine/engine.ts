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
}

export type ClusterOptions = {
  /** Where other nodes reach this one. */
  readonly address: () => string
  readonly leaseMs: Millis
  /** Tells the node at this address that there is something to see in the store; it may fail silently. */
  readonly notify: (address: string) => void
}

export type EngineObserver = FlightObserver & CommitObserver

/** What the engine is busy with, for metrics and health. */
export type EngineGauges = {
  readonly ownedShards: number
  readonly windowTimers: number
  readonly windowBytes: number
  readonly commitQueueLength: number
  readonly inFlight: number
  readonly readyDeliveries: number
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
      open: (shard, epoch) => this.#openShard(shard, epoch),
      close: (shard, isAwaited) => this.#closeShard(shard, isAwaited),
      drop: (shard) => this.#dropShard(shard),
    })
  }

  /** Claims what this node should own now, and resolves when each of these shards has its first page in memory. */
  async start(): Promise<void> {
    await this.#ownership.start()
    await Promise.all(Array.from(this.#shards.values(), (shard) => shard.load()))
    this.#driver.start()
    this.#pruner.start()
    this.#pollLater()
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

  /** The timer as the outside sees it, with what only the owner knows. */
  view(timer: Timer): Timer {
    return this.#shards.get(this.#shardOf(timer.uuid))?.view(timer) ?? timer
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
    }
  }

  #ownerOf(uuid: TimerUuid): Shard {
    const shard = this.#shards.get(this.#shardOf(uuid))
    if (shard === undefined) throw notOwner()
    return shard
  }

  #shardOf(uuid: TimerUuid): ShardId {
    return shardOf(uuid, this.#options.store.capabilities.shards)
  }

  #openShard(id: ShardId, epoch: Epoch): void {
    const { store, clock, logger, observer, retentionMs } = this.#options
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
      onFenced: () => this.#ownership.lost(id),
    })
    this.#shards.set(id, shard)
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

  /** Quiet means: nothing starts, and what is in flight had a moment to land, or all of the grace when nobody waits for the shard. */
  async #closeShard(id: ShardId, isAwaited: boolean): Promise<void> {
    const shard = this.#shards.get(id)
    if (shard === undefined) return
    this.#shards.delete(id)
    if (!isAwaited) return shard.stop()
    const moment = new AbortController()
    await Promise.race([shard.stop(), sleep(this.#options.clock, HAND_OVER_MS, moment.signal).catch(() => {})])
    moment.abort()
  }

  #dropShard(id: ShardId): void {
    const shard = this.#shards.get(id)
    this.#shards.delete(id)
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
    const { clock, logger } = this.#options
    this.#driver.stop()
    this.#cancelPoll?.()
    const graceOver = new AbortController()
    const grace = sleep(clock, graceMs, graceOver.signal).then(
      () => this.#abandon.abort(new Error('the service is stopping')),
      () => {},
    )
    // Where others wait for the shards they get them at once; a node alone uses the grace to finish what is in flight.
    if (!this.#options.store.capabilities.shared) await Promise.all(Array.from(this.#shards.values(), (shard) => shard.stop()))
    await this.#ownership.stop()
    graceOver.abort()
    // What still flies belongs to other owners now, and what came of it would be refused.
    this.#abandon.abort(new Error('the service is stopping'))
    await Promise.all([grace, this.#pruner.stop(), this.#commits.idle()])
    await Promise.all(this.#options.targets.map((target) => target.close()))
    logger.info('engine stopped')
  }
}

const ALONE = { address: () => null, leaseMs: Infinity, notify: () => {} }
const SHARD_TIMERS_MIN = 2
const HAND_OVER_MS = 100 // most deliveries land within that; what does not is delivered again by the next owner
const UNCERTAIN_RETRY_MS = 50

/** A stored timer may name a kind of target that is no longer configured: its attempts fail and say so. */
function unconfigured(type: Target['type']): TargetAdapter {
  return {
    type,
    laneOf: () => `unconfigured:${type}`,
    deliver: () => Promise.resolve(failedDelivery(`this service has no ${type} connection configured`)),
    close: () => Promise.resolve(),
  }
}
