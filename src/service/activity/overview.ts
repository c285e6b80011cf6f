// How things are, in one look: how many timers there are (from the store, so of the whole cluster), and what this node
// did lately (from its memory). Of what a principal may see, and no more.

import { percentile, upperBoundOf } from '../../core/statistics/histogram.ts'
import { isFinished, Status } from '../../core/timer/timer.ts'
import type { Millis, Namespace } from '../../core/timer/timer.ts'
import type { EngineGauges } from '../../engine/engine.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { TimerCount } from '../../store/store.ts'
import { isInSight, sightKey } from '../sight.ts'
import type { Sight } from '../sight.ts'
import { asking } from '../queries/store-failures.ts'
import type { ActivityCounts, ActivitySum } from './activity-ring.ts'
import type { Activity } from './activity.ts'
import type { Counted, SharedCounts } from './shared-counts.ts'

export type StatusCounts = Readonly<Record<Status, number>>
export type NamespaceCounts = StatusCounts & { readonly namespace: Namespace }

/** In ms, of first attempts; null where nothing fired. The histogram has the buckets that something is in. */
export type Lateness = {
  readonly count: number
  readonly p50: Millis | null
  readonly p90: Millis | null
  readonly p99: Millis | null
  readonly max: Millis | null
  readonly histogram: readonly LatenessBucket[]
}
export type LatenessBucket = { readonly leMs: Millis; readonly count: number }

export type SecondCounts = ActivityCounts & { readonly at: Millis }

/** The part that changes by the second and costs no question to the store. */
export type Pulse = {
  readonly now: Millis
  readonly namespace: Namespace | null
  readonly counts: StatusCounts | null
  readonly countsAt: Millis | null
  readonly gauges: EngineGauges | null
  readonly lastMinute: ActivityCounts
  readonly lastHour: ActivityCounts
  /** Of the last hour. */
  readonly lateness: Lateness
  readonly latenessLastMinute: Lateness
  readonly lastSecond: SecondCounts & { readonly lateness: readonly LatenessBucket[] }
}

export type Overview = Omit<Pulse, 'lastSecond'> & {
  readonly tracked: boolean
  readonly namespaces: readonly NamespaceCounts[]
  readonly namespacesTotal: number
  readonly perSecond: readonly SecondCounts[]
}

export type OverviewParts = {
  readonly activity: Activity
  readonly counts: SharedCounts
  readonly gauges: () => EngineGauges
  readonly clock: Clock
}

const NAMESPACES_SHOWN = 50

export class Overviews {
  readonly #parts: OverviewParts
  /** What the counts came to for a sight, as long as they are the same counts. */
  readonly #summed = new WeakMap<Counted, Map<string, StatusCounts>>()

  constructor(parts: OverviewParts) {
    this.#parts = parts
  }

  /** Resolves when pulses have counts; rejects when the store does. */
  async counted(): Promise<void> {
    await this.#parts.counts.read()
  }

  /** Rejects when the store does. */
  async whole(sight: Sight): Promise<Overview> {
    const { activity, counts } = this.#parts
    const { counts: all } = await asking(counts.read())
    const { lastSecond: _, ...pulse } = this.pulse(sight)
    const namespaces = byNamespace(inSight(all, sight))
    return {
      ...pulse,
      tracked: activity.isTracked(sight),
      namespaces: namespaces.slice(0, NAMESPACES_SHOWN),
      namespacesTotal: namespaces.length,
      perSecond: activity.perSecond(sight).map(({ at, sum }) => ({ at, ...sum.named() })),
    }
  }

  /** From memory alone. */
  pulse(sight: Sight): Pulse {
    const { activity, counts, gauges, clock } = this.#parts
    const [minute, hour, second] = [activity.lastMinute(sight), activity.lastHour(sight), activity.lastSecond(sight)]
    const counted = counts.latest()
    return {
      now: clock.now(),
      namespace: sight.namespace ?? null,
      counts: counted === null ? null : this.#statusCounts(counted, sight),
      countsAt: counted?.at ?? null,
      gauges: sight.wholeNode ? gauges() : null,
      lastMinute: minute.named(),
      lastHour: hour.named(),
      lateness: latenessOf(hour),
      latenessLastMinute: latenessOf(minute),
      lastSecond: { at: second.at, ...second.sum.named(), lateness: histogramOf(second.sum) },
    }
  }

  #statusCounts(counted: Counted, sight: Sight): StatusCounts {
    let bySight = this.#summed.get(counted)
    if (bySight === undefined) this.#summed.set(counted, (bySight = new Map()))
    const key = sightKey(sight)
    let counts = bySight.get(key)
    if (counts === undefined) bySight.set(key, (counts = byStatus(inSight(counted.counts, sight))))
    return counts
  }
}

function inSight(counts: readonly TimerCount[], sight: Sight): readonly TimerCount[] {
  return counts.filter((count) => isInSight(sight, count.namespace))
}

function byStatus(counts: readonly TimerCount[]): StatusCounts {
  const sums = Object.fromEntries(Object.values(Status).map((status) => [status, 0])) as Record<Status, number>
  for (const { status, count } of counts) sums[status] += count
  return sums
}

/** Those with the most live timers first. */
function byNamespace(counts: readonly TimerCount[]): NamespaceCounts[] {
  const groups = Map.groupBy(counts, ({ namespace }) => namespace)
  const live = (group: readonly TimerCount[]) => total(group.filter((count) => !isFinished(count)))
  return Array.from(groups)
    .filter(([, group]) => total(group) > 0)
    .map(([namespace, group]) => ({ namespace, group, live: live(group), total: total(group) }))
    .toSorted((a, b) => b.live - a.live || b.total - a.total || (a.namespace < b.namespace ? -1 : 1))
    .map(({ namespace, group }) => ({ namespace, ...byStatus(group) }))
}

function total(counts: readonly TimerCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

function latenessOf(sum: ActivitySum): Lateness {
  const buckets = new Map<number, number>()
  let count = 0
  for (let bucket = 0; bucket < sum.late.length; bucket++) {
    if (sum.late[bucket] === 0) continue
    buckets.set(bucket, sum.late[bucket]!)
    count += sum.late[bucket]!
  }
  // A bucket stands for its middle, which can be more than the most that was seen.
  const share = (part: number) => cut(percentile(buckets, part), sum.lateMaxMs)
  return {
    count,
    p50: share(0.5),
    p90: share(0.9),
    p99: share(0.99),
    max: count === 0 ? null : sum.lateMaxMs,
    histogram: histogramOf(sum),
  }
}

function cut(value: Millis | null, most: Millis): Millis | null {
  return value === null ? null : Math.min(value, most)
}

function histogramOf({ late }: ActivitySum): LatenessBucket[] {
  const buckets: LatenessBucket[] = []
  for (let bucket = 0; bucket < late.length; bucket++) {
    const count = late[bucket]!
    if (count > 0) buckets.push({ leMs: upperBoundOf(bucket), count })
  }
  return buckets
}
