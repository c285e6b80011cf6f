// One node: owns shards, executes commands on them and fires their timers. It holds what the shards of a node share:
// the commit queue, the dispatcher, the driver timer and the pruner.

import type { Command } from '../core/command.ts'
import { failedDelivery } from '../core/delivery.ts'
import { unavailable } from '../core/errors.ts'
import { shardOf } from '../core/ids.ts'
import type { Epoch, Millis, Namespace, ShardId, Target, Timer, TimerUuid } from '../core/timer.ts'
import { sleep } from '../runtime/clock.ts'
import type { Cancel, Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Store } from '../store/store.ts'
import type { TargetAdapter } from '../targets/target.ts'
import { CommitQueue } from './commit-queue.ts'
import type { CommitObserver } from './commit-queue.ts'
import { Dispatcher } from './dispatcher.ts'
import type { DispatcherLimits } from './dispatcher.ts'
import { Driver } from './driver.ts'
import type { FlightObserver } from './flights.ts'
import { Pruner } from './pruner.ts'
import { Shard } from './shard.ts'
import type { Executed } from './shard.ts'
import { Window } from './window.ts'
import type { WindowLimits } from './window.ts'

export type EngineOptions = {
  readonly store: Store
  readonly targets: readonly TargetAdapter[]
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: EngineObserver
  /** Names this node in the store. */
  readonly node: string
  readonly retentionMs: (namespace: Namespace) => Millis
  readonly window: WindowLimits
  readonly deliveries: DispatcherLimits
  readonly commitQueue: { readonly lengthMax: number; readonly batchMax: number }
  readonly pollIntervalMs: Millis
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

export class Engine {
  readonly #options: EngineOptions
  readonly #targets: ReadonlyMap<string, TargetAdapter>
  readonly #commits: CommitQueue
  readonly #dispatcher: Dispatcher
  readonly #driver: Driver
  readonly #pruner: Pruner
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
  }

  /** Claims the shards and resolves when each has its first page in memory. */
  async start(): Promise<void> {
    const { store, logger } = this.#options
    const rows = new Map((await store.shards()).map((row) => [row.shard, row]))
    for (let id = 0 as ShardId; id < store.capabilities.shards; id++) {
      const epoch = await this.#claim(id, rows.get(id)?.epoch ?? (0 as Epoch))
      this.#shards.set(id, this.#openShard(id, epoch))
    }
    await Promise.all(Array.from(this.#shards.values(), (shard) => shard.load()))
    this.#driver.start()
    this.#pruner.start()
    this.#pollLater()
    logger.info({ shards: this.#shards.size, timers: this.gauges().windowTimers }, 'engine started')
  }

  /** Deliveries in flight get `graceMs` to finish; what does not is delivered again after the restart. */
  async stop(graceMs: Millis): Promise<void> {
    this.#stopping ??= this.#stop(graceMs)
    await this.#stopping
  }

  execute(command: Command): Promise<Executed> {
    return this.#ownerOf(command.uuid).execute(command)
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
    if (shard === undefined || this.#stopping !== null) throw unavailable('this node does not own the timer’s shard now', 1_000)
    return shard
  }

  #shardOf(uuid: TimerUuid): ShardId {
    return shardOf(uuid, this.#options.store.capabilities.shards)
  }

  async #claim(shard: ShardId, expected: Epoch): Promise<Epoch> {
    const { store, node } = this.#options
    const epoch = await store.claim({ shard, expected, owner: node, leaseUntil: 0 })
    if (epoch === null) throw new Error(`another node claimed shard ${shard} at the same moment`)
    return epoch
  }

  #openShard(id: ShardId, epoch: Epoch): Shard {
    const { store, clock, logger, observer, retentionMs, window: limits } = this.#options
    return new Shard({
      id,
      epoch,
      window: new Window({ store, shard: id, limits, now: clock.now() }),
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
      onFenced: (shard) => this.#drop(shard),
    })
  }

  #targetFor(target: Target): TargetAdapter {
    return this.#targets.get(target.type) ?? unconfigured(target.type)
  }

  #wake(now: Millis): Millis {
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

  #drop(shard: Shard): void {
    if (!this.#shards.delete(shard.id)) return
    this.#options.logger.warn({ shard: shard.id, epoch: shard.epoch }, 'lost a shard: another node owns it')
    void shard.stop()
  }

  async #stop(graceMs: Millis): Promise<void> {
    const { clock, store, logger } = this.#options
    this.#driver.stop()
    this.#cancelPoll?.()
    const landed = Promise.all(Array.from(this.#shards.values(), (shard) => shard.stop()))
    const graceOver = new AbortController()
    const grace = sleep(clock, graceMs, graceOver.signal).then(
      () => this.#abandon.abort(new Error('the service is stopping')),
      () => {},
    )
    await landed
    graceOver.abort()
    await Promise.all([grace, this.#pruner.stop(), this.#commits.idle()])
    for (const { id, epoch } of this.#shards.values()) await store.release({ shard: id, epoch })
    await Promise.all(this.#options.targets.map((target) => target.close()))
    logger.info('engine stopped')
  }
}

/** A stored timer may name a kind of target that is no longer configured: its attempts fail and say so. */
function unconfigured(type: Target['type']): TargetAdapter {
  return {
    type,
    laneOf: () => `unconfigured:${type}`,
    deliver: () => Promise.resolve(failedDelivery(`this service has no ${type} connection configured`)),
    close: () => Promise.resolve(),
  }
}
