// Lifecycle events over the broker. The engine writes them into the store with the changes they tell about; this
// publishes what is there, shard by shard, for as long as the shard is owned here, and watches how much waits.

import type { Broker } from '../../broker/broker.ts'
import { unavailable } from '../../core/errors.ts'
import { lifecycleEvents } from '../../core/events/lifecycle-event.ts'
import type { LifecycleEvent, LifecycleEventType } from '../../core/events/lifecycle-event.ts'
import { isInternal } from '../../core/timer/ids.ts'
import type { Millis, ShardId, Timer } from '../../core/timer/timer.ts'
import type { Outbox } from '../../engine/commit/outbox.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { OutboxEvent, Store } from '../../store/store.ts'
import { EventSubjects } from './event-subjects.ts'
import { ShardPublisher } from './shard-publisher.ts'
import { Semaphore } from '../../runtime/semaphore.ts'

export type LifecycleOutboxOptions = {
  readonly broker: Broker
  readonly store: Pick<Store, 'readEvents' | 'removeEvents' | 'countEvents'>
  readonly config: LifecycleConfig
  readonly clock: Clock
  readonly logger: Logger
}

export type LifecycleConfig = Pick<
  Config,
  | 'natsLifecycle'
  | 'natsLifecycleSubject'
  | 'natsLifecycleStream'
  | 'natsLifecycleConfirm'
  | 'natsLifecycleBacklogMax'
  | 'natsDuplicateWindowMs'
  | 'natsNamespacePrefix'
>

/** How many events of this node's shards wait, and for how long the oldest has; a few seconds old. */
export type Backlog = { readonly count: number; readonly oldestMs: Millis }

const EVENTS_KEPT_MS = 7 * 86_400_000
const PAGES_AT_ONCE = 8 // some 4,000 messages on their way
const CONFIRMED_WITHIN_MS = 10_000
const LAST_ONES_WITHIN_MS = 1_000 // a stop waits no longer for events; what is left is published after the next start
const COUNT_EVERY_MS = 5_000
const LOOK_EVERY_MS = 30_000 // the safety net: a write whose outcome nobody knew may have left an event
const WARN_EVERY_MS = 60_000
const RETRY_AFTER_MS = 5_000
const NONE: Backlog = { count: 0, oldestMs: 0 }
const CONTENT_TYPE = ['Content-Type', 'application/cloudevents+json; charset=UTF-8'] as const

export class LifecycleOutbox implements Outbox {
  readonly #options: LifecycleOutboxOptions
  readonly #wanted: ReadonlySet<LifecycleEventType>
  readonly #subjects: EventSubjects
  readonly #publishers = new Map<ShardId, ShardPublisher>()
  readonly #heldUp = new Map<ShardId, Error>()
  /** Bounds the events that a node holds in memory, however many shards it has. */
  readonly #turns = new Semaphore(PAGES_AT_ONCE)
  #backlog = NONE
  #warnedAt = -Infinity
  #lookedAt = -Infinity
  #cancelCount: Cancel | null = null
  #stopped = false

  constructor(options: LifecycleOutboxOptions) {
    const { natsLifecycle, natsLifecycleSubject, natsNamespacePrefix } = options.config
    this.#options = options
    this.#wanted = new Set(natsLifecycle)
    this.#subjects = new EventSubjects(natsLifecycleSubject, natsNamespacePrefix)
  }

  start(): void {
    const { broker, config } = this.#options
    const { natsLifecycleStream: name, natsDuplicateWindowMs: duplicateWindowMs } = config
    if (config.natsLifecycleConfirm === 'stream') {
      broker.declare([
        { name, subject: this.#subjects.pattern, keeps: 'log', maxAgeMs: EVENTS_KEPT_MS, duplicateWindowMs },
      ])
    }
    void this.#countNowAndThen()
  }

  /** After the engine, which has closed the shards by then. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelCount?.()
    await Promise.all(Array.from(this.#publishers.values(), (publisher) => publisher.stop()))
  }

  get backlog(): Backlog {
    return this.#backlog
  }

  /** Throws why events do not get through, and how many wait. */
  check(): void {
    const [failure] = this.#heldUp.values()
    if (failure === undefined && this.#hasRoom) return
    const { count, oldestMs } = this.#backlog
    const waiting =
      count === 0
        ? 'events do not get through'
        : `${count} events wait, the oldest for ${Math.round(oldestMs / 1_000)} s`
    const reason = failure === undefined ? 'NATS_LIFECYCLE_BACKLOG_MAX is reached' : failure.message
    throw new Error(`${waiting}: ${reason}`)
  }

  eventsOf(before: Timer | null, after: Timer): readonly LifecycleEvent[] {
    return isInternal(after.namespace) ? [] : lifecycleEvents(before, after, this.#wanted)
  }

  assertRoom(): void {
    if (this.#hasRoom) return
    const { count } = this.#backlog
    throw unavailable(
      `${count} lifecycle events wait for NATS (NATS_LIFECYCLE_BACKLOG_MAX): nothing was stored, try again`,
      RETRY_AFTER_MS,
    )
  }

  opened(shard: ShardId): void {
    const { store, clock, broker } = this.#options
    const publisher: ShardPublisher = new ShardPublisher({
      shard,
      store,
      publish: (event) => this.#publish(event),
      isConnected: () => broker.state.type === 'connected',
      clock,
      turns: this.#turns,
      onWalk: (failure) => this.#onWalk(shard, failure),
    })
    this.#publishers.set(shard, publisher)
  }

  written(shard: ShardId): void {
    this.#publishers.get(shard)?.wake()
  }

  async closed(shard: ShardId): Promise<void> {
    const publisher = this.#forget(shard)
    if (publisher === undefined) return
    const enough = new AbortController()
    await Promise.race([
      publisher.close(),
      sleep(this.#options.clock, LAST_ONES_WITHIN_MS, enough.signal).catch(() => {}),
    ])
    enough.abort()
    void publisher.stop()
  }

  left(shard: ShardId): void {
    void this.#forget(shard)?.stop()
  }

  get #hasRoom(): boolean {
    return this.#backlog.count < this.#options.config.natsLifecycleBacklogMax
  }

  #forget(shard: ShardId): ShardPublisher | undefined {
    const publisher = this.#publishers.get(shard)
    this.#publishers.delete(shard)
    this.#heldUp.delete(shard)
    return publisher
  }

  #publish(event: OutboxEvent): Promise<void> {
    const { broker, config } = this.#options
    const confirmedBy = config.natsLifecycleConfirm === 'stream' ? 'stream' : 'any'
    const publication = {
      subject: this.#subjects.of(event),
      headers: [CONTENT_TYPE],
      data: event.body,
      id: event.id,
      confirmedBy,
    } as const
    return broker.publish(publication, { timeoutMs: CONFIRMED_WITHIN_MS })
  }

  #onWalk(shard: ShardId, failure: Error | null): void {
    if (!this.#publishers.has(shard)) return
    const { clock, logger } = this.#options
    const hadFailures = this.#heldUp.size > 0
    if (failure !== null) this.#heldUp.set(shard, failure)
    else this.#heldUp.delete(shard)
    if (hadFailures && this.#heldUp.size === 0) {
      this.#warnedAt = -Infinity
      logger.info('lifecycle events get through again')
    }
    if (failure === null || clock.monotonic() - this.#warnedAt < WARN_EVERY_MS) return
    this.#warnedAt = clock.monotonic()
    logger.warn(
      { err: failure, shards: this.#heldUp.size, ...this.#backlog },
      'lifecycle events do not get through; trying on',
    )
  }

  /** Once for all shards of which nothing is known to wait: there should be nothing. */
  async #lookForForgotten(): Promise<void> {
    const { store, clock } = this.#options
    const idle = [...this.#publishers].filter(([, { isIdle }]) => isIdle)
    if (idle.length === 0 || clock.monotonic() - this.#lookedAt < LOOK_EVERY_MS) return
    this.#lookedAt = clock.monotonic()
    const { count } = await store.countEvents(idle.map(([shard]) => shard))
    if (count > 0) for (const [, publisher] of idle) publisher.lookAgain()
  }

  /** Counting may read many rows; where nothing waits there is nothing to count. */
  async #countNowAndThen(): Promise<void> {
    const { store, clock, logger } = this.#options
    const waiting = [...this.#publishers].filter(([, { isIdle }]) => !isIdle).map(([shard]) => shard)
    try {
      await this.#lookForForgotten()
      const { count, oldestAt } = waiting.length === 0 ? { count: 0, oldestAt: null } : await store.countEvents(waiting)
      this.#backlog = count === 0 ? NONE : { count, oldestMs: Math.max(0, clock.now() - oldestAt!) }
    } catch (error) {
      logger.warn({ err: error }, 'waiting lifecycle events could not be counted')
    }
    if (!this.#stopped) this.#cancelCount = clock.after(COUNT_EVERY_MS, () => void this.#countNowAndThen())
  }
}
