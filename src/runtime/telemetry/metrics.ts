// What the dashboards and alerts in deploy/ are drawn from: a metric is here because one of them uses it. The
// methods named for events are called for every firing, so they only add to numbers; everything that can be
// counted when somebody looks is counted then, in slices, so that a scrape makes no timer late.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from './prom-client.ts'
import { systemClock } from '../clock/clock.ts'
import type { Clock } from '../clock/clock.ts'
import type { Logger } from './logger.ts'
import { CommandMetrics } from './metrics-commands.ts'
import { NamespaceMetrics } from './metrics-namespaces.ts'
import type { Counted, DeliveryResult, TimerCount } from './metrics-namespaces.ts'

const DELIVERY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]
const COMMIT_SECONDS_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const STORE_SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const COMMIT_PUTS_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]
const EVENT_LOOP_RESOLUTION_MS = 50 // each look wakes an idle process

/** An operation of the store ended. */
export type StoreAnswer = { readonly operation: string; readonly outcome: string; readonly durationMs: number }

/** Numbers that somebody holds anyway; asked for when the metrics are read. */
export type GaugeSources = {
  readonly commitQueueLength: () => number
  readonly windowTimers: () => number
  readonly inFlightDeliveries: () => number
  readonly readyDeliveries: () => number
  readonly waitingToCatchUp: () => number
  readonly ownedShards: () => number
  readonly unopenedShards: () => number
  readonly layoutShards: () => number
  readonly waitingShards: () => number
  readonly unsplitShards: () => number
  readonly forgottenClaims: () => number
  readonly clockSkewSeconds: () => number
  readonly outboxEvents: () => number
  readonly outboxOldestSeconds: () => number
}

const GAUGES: Readonly<Record<keyof GaugeSources, readonly [name: string, help: string]>> = {
  commitQueueLength: ['duetime_commit_queue_length', 'Writes waiting for the store'],
  windowTimers: ['duetime_window_timers', 'Timers held in memory ahead of their time'],
  inFlightDeliveries: ['duetime_in_flight_deliveries', 'Deliveries under way'],
  readyDeliveries: ['duetime_ready_deliveries', 'Timers that are due and wait for a free delivery slot'],
  waitingToCatchUp: ['duetime_catch_up_waiting', 'Of these, missed iterations, which begin at CATCH_UP_RATE'],
  ownedShards: ['duetime_owned_shards', 'Shards this node owns'],
  unopenedShards: [
    'duetime_unopened_shards',
    "Shards that the database says are this node's and that it has not open: nobody fires their timers",
  ],
  layoutShards: ['duetime_layout_shards', 'Shards that timers are spread over, whoever owns them'],
  waitingShards: [
    'duetime_waiting_shards',
    'Shards that no living node may own, because none has the label that they are pinned to: their timers wait',
  ],
  unsplitShards: ['duetime_unsplit_shards', 'Shards that a reshard has not dealt with yet; 0 when none is under way'],
  forgottenClaims: [
    'duetime_forgotten_claims',
    'Claims of shards that the database has forgotten since this node was started: it went back in time',
  ],
  clockSkewSeconds: [
    'duetime_clock_skew_seconds',
    'How far the clock of this node was ahead of that of the database at its last beat',
  ],
  outboxEvents: ['duetime_outbox_events', 'Lifecycle events of this node that wait to be published'],
  outboxOldestSeconds: ['duetime_outbox_oldest_age_seconds', 'How long the oldest of them has waited'],
}

/** Of a shard that this node owns. */
export type ShardGauges = {
  readonly shard: number
  readonly windowTimers: number
  readonly inFlight: number
  readonly lagMs: number
}

const SHARD_GAUGES: readonly (readonly [name: string, help: string, read: (shard: ShardGauges) => number])[] = [
  ['duetime_shard_window_timers', 'Timers of the shard held in memory', ({ windowTimers }) => windowTimers],
  ['duetime_shard_in_flight_deliveries', 'Deliveries of the shard under way', ({ inFlight }) => inFlight],
  [
    'duetime_shard_lag_seconds',
    'How long the most overdue timer of the shard has waited to be delivered',
    ({ lagMs }) => lagMs / 1_000,
  ],
]

export class Metrics {
  /** One per server, so that several can live in one process, as in tests. */
  readonly #registry = new Registry()
  readonly #logger: Logger
  readonly #eventLoop = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS })
  readonly #namespaces: NamespaceMetrics
  /** Of commands that come from a broker. */
  readonly commands = new CommandMetrics(this.#registry)
  readonly #deliverySeconds: Histogram
  readonly #commitSeconds: Histogram
  readonly #commitPuts: Histogram
  readonly #storeSeconds: Histogram<'operation' | 'outcome'>
  #countTimers: () => Promise<readonly TimerCount[]> = async () => []

  constructor(logger: Logger, clock: Clock = systemClock) {
    this.#logger = logger
    this.#namespaces = new NamespaceMetrics(clock)
    const registers = [this.#registry]
    this.#deliverySeconds = new Histogram({
      name: 'duetime_delivery_duration_seconds',
      help: 'How long attempts to deliver took',
      buckets: DELIVERY_BUCKETS,
      registers,
    })
    this.#commitSeconds = new Histogram({
      name: 'duetime_commit_duration_seconds',
      help: 'How long the store took to make a commit durable',
      buckets: COMMIT_SECONDS_BUCKETS,
      registers,
    })
    this.#commitPuts = new Histogram({
      name: 'duetime_commit_puts',
      help: 'Writes in one commit',
      buckets: COMMIT_PUTS_BUCKETS,
      registers,
    })
    this.#storeSeconds = new Histogram({
      name: 'duetime_store_operation_duration_seconds',
      help: 'How long the operations of the store took, by operation and by outcome: done or failed',
      labelNames: ['operation', 'outcome'],
      buckets: STORE_SECONDS_BUCKETS,
      registers,
    })
    this.#watchEventLoop()
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: EVENT_LOOP_RESOLUTION_MS })
  }

  /** A delivery started, so much after its timer was due. */
  fired(timer: Counted, latenessMs: number): void {
    this.#namespaces.of(timer).late(latenessMs)
  }

  /** An attempt ended. */
  delivered(timer: Counted, outcome: DeliveryResult, durationMs: number): void {
    this.#namespaces.of(timer).deliveries[outcome]++
    this.#deliverySeconds.observe(durationMs / 1_000)
  }

  created(timer: Counted, count = 1): void {
    this.#namespaces.of(timer).creates += count
  }

  missed(timer: Counted, count: number): void {
    if (count > 0) this.#namespaces.of(timer).missed += count
  }

  canceled(timer: Counted, count = 1): void {
    this.#namespaces.of(timer).cancels += count
  }

  committed(puts: number, durationMs: number): void {
    this.#commitSeconds.observe(durationMs / 1_000)
    this.#commitPuts.observe(puts)
  }

  storeAnswered({ operation, outcome, durationMs }: StoreAnswer): void {
    this.#storeSeconds.observe({ operation, outcome }, durationMs / 1_000)
  }

  /** Each part says where its numbers are; a source given again replaces the former. */
  watch(sources: Partial<GaugeSources>): void {
    for (const [key, read] of Object.entries(sources) as [keyof GaugeSources, () => number][]) {
      const [name, help] = GAUGES[key]
      this.#registry.removeSingleMetric(name)
      const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect: () => gauge.set(read()) })
    }
  }

  /** Of a database that is paid by use. */
  watchUnits(read: () => { readonly read: number; readonly write: number }): void {
    const counter: Counter<'kind'> = new Counter({
      name: 'duetime_store_consumed_units_total',
      help: 'Capacity units that the database has charged, for reading and for writing',
      labelNames: ['kind'],
      registers: [this.#registry],
      collect: () => {
        counter.reset()
        for (const [kind, units] of Object.entries(read())) counter.inc({ kind }, units)
      },
    })
  }

  /** A series for every shard that is owned when the metrics are read. */
  watchShards(read: () => readonly ShardGauges[]): void {
    for (const [name, help, valueOf] of SHARD_GAUGES) {
      this.#registry.removeSingleMetric(name)
      const collect = () => {
        gauge.reset()
        for (const one of read()) gauge.set({ shard: one.shard }, valueOf(one))
      }
      const gauge: Gauge<'shard'> = new Gauge({
        name,
        help,
        labelNames: ['shard'],
        registers: [this.#registry],
        collect,
      })
    }
  }

  /** Counts of stored timers, asked of the store on every read. */
  watchTimers(read: () => Promise<readonly TimerCount[]>): void {
    this.#countTimers = read
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Prometheus text format. The event loop gets its turn after every piece. */
  async render(): Promise<string> {
    let text = ''
    for (const piece of this.#namespaces.render(await this.#timerCounts())) {
      text += piece
      await turn()
    }
    for (const metric of this.#registry.getMetricsAsArray()) {
      text += `${await this.#registry.getSingleMetricAsString(metric.name)}\n`
      await turn()
    }
    return text
  }

  /** Idempotent. */
  stop(): void {
    this.#eventLoop.disable()
  }

  /** A store that fails leaves out this metric, not all of them: they are needed most when something fails. */
  async #timerCounts(): Promise<readonly TimerCount[]> {
    try {
      return await this.#countTimers()
    } catch (error) {
      this.#logger.warn({ err: error }, 'timers could not be counted for the metrics')
      return []
    }
  }

  #watchEventLoop(): void {
    this.#eventLoop.enable()
    const gauge: Gauge<'quantile'> = new Gauge({
      name: 'duetime_event_loop_lag_seconds',
      help: 'How late the event loop was since the metrics were last read',
      labelNames: ['quantile'],
      registers: [this.#registry],
      collect: () => {
        for (const quantile of [50, 99, 100]) gauge.set({ quantile: quantile / 100 }, this.#lagSeconds(quantile))
        this.#eventLoop.reset()
      },
    })
  }

  /** The monitor records the time between its ticks, its own interval included. */
  #lagSeconds(percentile: number): number {
    const tickMs = this.#eventLoop.count === 0 ? 0 : this.#eventLoop.percentile(percentile) / 1e6
    return Math.max(tickMs - EVENT_LOOP_RESOLUTION_MS, 0) / 1_000
  }
}
