// What will fire, step by step: how many timers wake in each second, minute, hour or day from now on, and where it will
// be hot. Cycles count with their next firing only, since the ones after it are not timers yet.
//
// Rows are counted for short steps, which the store does up to some number of them. For days, and for hours with more
// timers than that, there are the tallies of when timers wake: by the hour for those that were set up to two days
// ahead, by the day for all others. A million timers cost no more than ten.

import { TallyPrefix } from '../../core/statistics/tallies.ts'
import type { Millis } from '../../core/timer/timer.ts'
import type { NamespaceScope, Store } from '../../store/store.ts'

export type ForecastQuery = NamespaceScope & { readonly stepMs: Millis; readonly steps: number }

export type ForecastStep = { readonly at: Millis; readonly count: number; readonly hot: boolean }

/**
 * `overdue`: due before the first step, which is the one with `now` in it. `complete`: false when not every timer was
 * counted where it belongs; of hours, those of a day are then spread over it.
 */
export type Forecast = {
  readonly now: Millis
  readonly stepMs: Millis
  readonly steps: readonly ForecastStep[]
  readonly overdue: number
  readonly total: number
  readonly complete: boolean
  readonly peak: { readonly at: Millis; readonly count: number } | null
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
const HOURS_A_DAY = 24
const HOT_COUNT_MIN = 10 // a few at once are nothing to worry about, however quiet the rest is
const HOT_TIMES_AVERAGE = 3

type ForecastStore = Pick<Store, 'upcoming' | 'tallies'>

export async function forecastOf(
  store: ForecastStore,
  { stepMs, steps, ...scope }: ForecastQuery,
  now: Millis,
): Promise<Forecast> {
  const first = Math.floor(now / stepMs)
  const { counts, complete } = await countsOf(store, scope, { stepMs, end: first + steps })
  const listed = Array.from({ length: steps }, (_, index) => first + index).map((step) => {
    return { at: step * stepMs, count: Math.round(counts.get(step) ?? 0) }
  })
  const total = listed.reduce((sum, { count }) => sum + count, 0)
  const hotFrom = Math.max(HOT_COUNT_MIN, (HOT_TIMES_AVERAGE * total) / steps)
  const peak = listed.reduce((most, step) => (step.count > most.count ? step : most))
  return {
    now,
    stepMs,
    steps: listed.map((step) => ({ ...step, hot: step.count >= hotFrom })),
    overdue: Math.round(counts.entries().reduce((sum, [step, count]) => (step < first ? sum + count : sum), 0)),
    total,
    complete,
    peak: peak.count === 0 ? null : peak,
  }
}

/** Steps are numbered since 1970. */
type Counts = ReadonlyMap<number, number>
type Counted = { readonly counts: Counts; readonly complete: boolean }

type Range = { readonly stepMs: Millis; readonly end: number }

async function countsOf(store: ForecastStore, scope: NamespaceScope, { stepMs, end }: Range): Promise<Counted> {
  if (stepMs === DAY_MS) return { counts: await tallied(store, scope, 'day'), complete: true }
  const { steps, complete } = await store.upcoming({ ...scope, until: end * stepMs - 1, stepMs })
  if (!complete && stepMs === HOUR_MS) return { counts: await tallied(store, scope, 'hour'), complete }
  return { counts: new Map(steps.map(({ step, count }) => [step, count])), complete }
}

async function tallied(store: ForecastStore, scope: NamespaceScope, unit: 'hour' | 'day'): Promise<Counts> {
  const { sums } = await store.tallies({ ...scope, since: null })
  const counts = new Map<number, number>()
  const add = (step: number, count: number) => void counts.set(step, (counts.get(step) ?? 0) + count)
  for (const { name, amount } of sums) {
    if (name.startsWith(TallyPrefix.wakeHour)) {
      const hour = Number(name.slice(TallyPrefix.wakeHour.length))
      add(unit === 'hour' ? hour : Math.floor(hour / HOURS_A_DAY), amount)
    } else if (name.startsWith(TallyPrefix.wakeDay)) {
      const day = Number(name.slice(TallyPrefix.wakeDay.length))
      if (unit === 'day') add(day, amount)
      else for (let hour = 0; hour < HOURS_A_DAY; hour++) add(day * HOURS_A_DAY + hour, amount / HOURS_A_DAY)
    }
  }
  return counts
}
