// Statistics from what the store has added up: how things are now from counters and standing tallies, what happened in a
// period from the tallies of its slots. Nothing here looks at a timer.

import { percentile } from '../../core/statistics/histogram.ts'
import {
  DELAY_BANDS,
  OTHER_INTERVALS,
  SLOT_MS,
  SLOTS_KEPT_MS,
  TallyName,
  TallyPrefix,
} from '../../core/statistics/tallies.ts'
import { isFinished, Status } from '../../core/timer/timer.ts'
import type { Millis } from '../../core/timer/timer.ts'
import { TimerKind } from '../../core/timer/timer-kind.ts'
import { WHEEL_LEVELS } from '../../core/statistics/wheel-levels.ts'
import { reachEnd, wheelUsage } from '../../core/statistics/wheel-usage.ts'
import type { WakeCount, WheelUsage } from '../../core/statistics/wheel-usage.ts'
import type { NamespaceScope, TimerCount, TimerQueries } from '../../store/store.ts'

export type Statistics = {
  readonly now: Millis
  /** In the period. */
  readonly created: { readonly once: number; readonly cycles: number }
  readonly ended: { readonly completed: number; readonly failed: number; readonly canceled: number }
  readonly firings: Firings
  /** Created in the period, by the delay until the first firing: a number for each of DELAY_BANDS. */
  readonly delays: Readonly<Record<string, number>>
  /** Now. */
  readonly live: number
  readonly cycles: CycleStatistics
  readonly wheel: WheelUsage
}

/** Lateness in ms; null where nothing fired. */
export type Firings = {
  readonly count: number
  readonly perSecond: number
  readonly deliveryMs: Millis
  readonly averageLateMs: Millis | null
  readonly p95LateMs: Millis | null
  readonly p99LateMs: Millis | null
}

export type CycleStatistics = {
  /** Live ones. */
  readonly infinite: number
  readonly limited: number
  /** Firings of cycles in the period, for each cycle that is live or ended in it. */
  readonly iterationsPerCycle: number
  /** Of live cycles, the most common first. */
  readonly intervals: readonly { readonly interval: string; readonly count: number }[]
}

/** A period of null is all time. */
export type StatisticsQuery = NamespaceScope & { readonly periodMs: Millis | null }

const INTERVALS_SHOWN = 5
const HOUR = 3_600_000
const DAY = 24 * HOUR

type StatisticsStore = Pick<TimerQueries, 'tallies' | 'upcoming'>
type Sums = ReadonlyMap<string, number>

/** `counts` are those of the namespaces asked for. */
export async function statisticsOf(
  store: StatisticsStore,
  { periodMs, ...scope }: StatisticsQuery,
  counts: readonly TimerCount[],
  now: Millis,
): Promise<Statistics> {
  const since = Math.floor((now - (periodMs ?? SLOTS_KEPT_MS)) / SLOT_MS) * SLOT_MS
  const [standing, recent, counted] = await Promise.all([
    store.tallies({ ...scope, since: null }),
    store.tallies({ ...scope, since: Math.max(1, since) }),
    Promise.all(WHEEL_LEVELS.map((_, level) => countedBefore(store, scope, level, now))),
  ])
  const standingSums = sumsByName(standing.sums)
  const slots = sumsByName(recent.sums)
  const period = periodMs === null ? standingSums : slots
  const live = counts.filter((one) => !isFinished(one))
  const createdCycles = of(period, TallyName.createdCycles)
  return {
    now,
    created: { once: of(period, TallyName.created) - createdCycles, cycles: createdCycles },
    ended: {
      completed: of(period, TallyName.completed),
      failed: of(period, TallyName.failed),
      canceled: of(period, TallyName.canceled),
    },
    firings: firingsOf(period, of(slots, TallyName.fired) / Math.max(1, (now - (recent.firstSlotAt ?? now)) / 1_000)),
    delays: Object.fromEntries(DELAY_BANDS.map(({ name }) => [name, of(period, TallyPrefix.delay + name)])),
    live: total(live),
    cycles: cyclesOf(period, standingSums, live),
    wheel: wheelUsage(
      { counted, coarse: wakesOf(standingSums), total: total(live.filter(({ status }) => status !== Status.paused)) },
      now,
    ),
  }
}

function firingsOf(period: Sums, perSecond: number): Firings {
  const count = of(period, TallyName.fired)
  const buckets = new Map(withPrefix(period, TallyPrefix.late).map(([bucket, amount]) => [Number(bucket), amount]))
  return {
    count,
    perSecond,
    deliveryMs: of(period, TallyName.deliveryMs),
    averageLateMs: count === 0 ? null : of(period, TallyName.lateMs) / count,
    p95LateMs: percentile(buckets, 0.95),
    p99LateMs: percentile(buckets, 0.99),
  }
}

function cyclesOf(period: Sums, standing: Sums, live: readonly TimerCount[]): CycleStatistics {
  const infinite = total(live.filter(({ kind }) => kind === TimerKind.infinite))
  const limited = total(live.filter(({ kind }) => kind === TimerKind.limited))
  const concerned = infinite + limited + of(period, TallyName.endedCycles)
  const intervals = withPrefix(standing, TallyPrefix.interval)
    .map(([interval, count]) => ({ interval, count }))
    .filter(({ interval, count }) => interval !== OTHER_INTERVALS && count > 0)
    .toSorted((a, b) => b.count - a.count || (a.interval < b.interval ? -1 : 1))
  return {
    infinite,
    limited,
    iterationsPerCycle: concerned === 0 ? 0 : of(period, TallyName.firedCycles) / concerned,
    intervals: intervals.slice(0, INTERVALS_SHOWN),
  }
}

/** What wakes before the end of a level's reach, by the level's slots; null when it is too much to count, or lies too far ahead. */
async function countedBefore(
  store: StatisticsStore,
  scope: NamespaceScope,
  level: number,
  now: Millis,
): Promise<WakeCount[] | null> {
  const end = reachEnd(level, now)
  if (end === Infinity) return null
  const stepMs = WHEEL_LEVELS[level]!.slotMs
  const { steps, complete } = await store.upcoming({ ...scope, until: end - 1, stepMs })
  if (!complete) return null
  return steps.map(({ step, count }) => ({
    from: step * stepMs,
    lengthMs: Math.min(stepMs, end - step * stepMs),
    count,
  }))
}

function wakesOf(standing: Sums): WakeCount[] {
  const stretches = (prefix: string, lengthMs: Millis) =>
    withPrefix(standing, prefix).map(([index, count]): WakeCount => ({
      from: Number(index) * lengthMs,
      lengthMs,
      count,
    }))
  return [...stretches(TallyPrefix.wakeHour, HOUR), ...stretches(TallyPrefix.wakeDay, DAY)]
}

function sumsByName(sums: readonly { readonly name: string; readonly amount: number }[]): Sums {
  return new Map(sums.map(({ name, amount }) => [name, amount]))
}

function of(sums: Sums, name: string): number {
  return sums.get(name) ?? 0
}

function withPrefix(sums: Sums, prefix: string): [rest: string, amount: number][] {
  return [...sums]
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, amount]) => [name.slice(prefix.length), amount])
}

function total(counts: readonly TimerCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}
