// The metrics that have a namespace label, counted and written out by hand. They are the only ones whose number
// grows with what clients do, and they are touched for every firing: with prom-client a firing cost 1.6 µs, now
// 0.5 µs, and writing 200 namespaces held up the thread for 24 ms, now it is done in slices.

import type { Clock } from '../clock/clock.ts'
import { SharedPlaces } from './shared-places.ts'

/** `retried`: the attempt failed and another will follow. `failed`: it was the last one. */
export const DeliveryResult = {
  delivered: 'delivered',
  rescheduled: 'rescheduled',
  retried: 'retried',
  failed: 'failed',
} as const
export type DeliveryResult = (typeof DeliveryResult)[keyof typeof DeliveryResult]

/** From half a millisecond, which is on the dot, to an hour, which is an outage. */
const LATENESS_BUCKETS_MS = [
  0.5, 1, 2, 5, 10, 20, 50, 100, 250, 500, 1e3, 2.5e3, 5e3, 10e3, 30e3, 60e3, 300e3, 900e3, 3600e3,
] as const

/** Clients choose the names, and each costs some thirty time series here and in Prometheus. */
const NAMESPACES_MAX = 200
const IDLE_MS = 3_600_000 // its counters have been read by then; if it comes back they begin at 0, as after a restart

/** Cannot be the name of a namespace: those begin with a letter or digit. */
const OTHER = '_other'

export class NamespaceSeries {
  readonly name: string
  /** Not cumulative; the last one is for everything above the largest bound. */
  readonly #latenessBuckets = new Float64Array(LATENESS_BUCKETS_MS.length + 1)
  #latenessSumMs = 0
  readonly deliveries: Record<DeliveryResult, number> = { delivered: 0, rescheduled: 0, retried: 0, failed: 0 }
  missed = 0
  creates = 0
  cancels = 0

  constructor(name: string) {
    this.name = name
  }

  late(ms: number): void {
    let bucket = 0
    while (bucket < LATENESS_BUCKETS_MS.length && ms > LATENESS_BUCKETS_MS[bucket]!) bucket++
    this.#latenessBuckets[bucket]! += 1
    this.#latenessSumMs += ms
  }

  /** Goes on counting what another one has counted. */
  add(other: NamespaceSeries): void {
    for (const [bucket, count] of other.#latenessBuckets.entries()) this.#latenessBuckets[bucket]! += count
    this.#latenessSumMs += other.#latenessSumMs
    for (const outcome of Object.values(DeliveryResult)) this.deliveries[outcome] += other.deliveries[outcome]
    this.missed += other.missed
    this.creates += other.creates
    this.cancels += other.cancels
  }

  latenessLines(): string {
    let text = ''
    let count = 0
    for (const [index, added] of this.#latenessBuckets.entries()) {
      count += added
      text += `duetime_lateness_seconds_bucket{namespace="${this.name}",le="${BOUND_LABELS[index]}"} ${count}\n`
    }
    text += `duetime_lateness_seconds_sum{namespace="${this.name}"} ${this.#latenessSumMs / 1_000}\n`
    return `${text}duetime_lateness_seconds_count{namespace="${this.name}"} ${count}\n`
  }

  deliveryLines(): string {
    return Object.entries(this.deliveries)
      .map(([outcome, count]) => `duetime_deliveries_total{namespace="${this.name}",outcome="${outcome}"} ${count}\n`)
      .join('')
  }
}

const BOUND_LABELS = [...LATENESS_BUCKETS_MS.map((ms) => String(ms / 1_000)), '+Inf']

type NamespaceMetric = {
  readonly name: string
  readonly type: 'histogram' | 'counter'
  readonly help: string
  readonly lines: (one: NamespaceSeries) => string
}

const METRICS: readonly NamespaceMetric[] = [
  {
    name: 'duetime_lateness_seconds',
    type: 'histogram',
    help: 'From the time a delivery was due to the time it started',
    lines: (one) => one.latenessLines(),
  },
  {
    name: 'duetime_deliveries_total',
    type: 'counter',
    help: 'Attempts to deliver that ended, by what came of them',
    lines: (one) => one.deliveryLines(),
  },
  {
    name: 'duetime_missed_firings_total',
    type: 'counter',
    help: 'Firings that were not made, because they were too late or the last one was not over',
    lines: (one) => `duetime_missed_firings_total{namespace="${one.name}"} ${one.missed}\n`,
  },
  {
    name: 'duetime_creates_total',
    type: 'counter',
    help: 'Timers created',
    lines: (one) => `duetime_creates_total{namespace="${one.name}"} ${one.creates}\n`,
  },
  {
    name: 'duetime_cancels_total',
    type: 'counter',
    help: 'Timers canceled',
    lines: (one) => `duetime_cancels_total{namespace="${one.name}"} ${one.cancels}\n`,
  },
]

/** Of a timer: in which namespace, and whose, it is counted. */
export type Counted = { readonly namespace: string; readonly tenant: string | null }

export type TimerCount = { readonly namespace: string; readonly status: string; readonly count: number }

export class NamespaceMetrics {
  readonly #clock: Clock
  readonly #series = new SharedPlaces<NamespaceSeries>({
    max: NAMESPACES_MAX,
    idleMs: IDLE_MS,
    onGone: (series) => this.#others().add(series),
  })
  #other: NamespaceSeries | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Those without a label of their own share one. Names need no escaping: letters, digits, `.`, `-`, `_`. */
  of({ namespace, tenant }: Counted): NamespaceSeries {
    const now = this.#clock.monotonic()
    return (
      this.#series.use(namespace, now) ??
      this.#series.take(namespace, tenant, now, () => new NamespaceSeries(namespace)) ??
      this.#others()
    )
  }

  #others(): NamespaceSeries {
    return (this.#other ??= new NamespaceSeries(OTHER))
  }

  /** Prometheus text in pieces of well under a millisecond. */
  *render(timers: readonly TimerCount[]): Generator<string> {
    const timerLines = this.#timerLines(timers)
    const all = [
      ...Array.from(this.#series.entries(), ([, series]) => series),
      ...(this.#other === null ? [] : [this.#other]),
    ]
    for (const metric of METRICS) {
      yield `# HELP ${metric.name} ${metric.help}\n# TYPE ${metric.name} ${metric.type}\n`
      yield* slices(all.map((one) => () => metric.lines(one)))
    }
    yield '# HELP duetime_timers Stored timers, finished ones included until they are pruned\n# TYPE duetime_timers gauge\n'
    yield* slices(timerLines)
  }

  /** Namespaces beyond the bound are added up under their common label. */
  #timerLines(timers: readonly TimerCount[]): (() => string)[] {
    const sums = new Map<string, number>()
    for (const { namespace, status, count } of timers) {
      const labels = `{namespace="${this.#labelOf(namespace)}",status="${status}"}`
      sums.set(labels, (sums.get(labels) ?? 0) + count)
    }
    return [...sums].map(
      ([labels, count]) =>
        () =>
          `duetime_timers${labels} ${count}\n`,
    )
  }

  /** Namespaces that only have timers take free labels, and nobody's place. */
  #labelOf(namespace: string): string {
    if (this.#series.has(namespace)) return namespace
    return this.#series.size < NAMESPACES_MAX ? this.of({ namespace, tenant: null }).name : OTHER
  }
}

const SLICE = 25

function* slices(lines: readonly (() => string)[]): Generator<string> {
  for (let from = 0; from < lines.length; from += SLICE) {
    yield lines
      .slice(from, from + SLICE)
      .map((line) => line())
      .join('')
  }
}
