// Counts and statistics as this contract shows them.

import type { Millis } from '../../../../core/timer/timer.ts'
import { TimerKind } from '../../../../core/timer/timer-kind.ts'
import { WHEEL_LEVELS } from '../../../../core/statistics/wheel-levels.ts'
import type { Statistics } from '../../../../service/queries/statistics.ts'
import type { TimerCount } from '../../../../store/store.ts'
import { isoText } from '../../../../core/time/iso-text.ts'
import type { PERIODS } from '../schema.ts'
import { statusWord } from './status.ts'
import type { StatusWord } from './status.ts'

export type Period = (typeof PERIODS)[number]

const HOUR = 3_600_000
export const PERIOD_MS: Readonly<Record<Period, Millis | null>> = {
  '1h': HOUR,
  '24h': 24 * HOUR,
  '7d': 168 * HOUR,
  '30d': 720 * HOUR,
  all: null,
}

/** What a list says about all timers of its tenants, whatever its filter. */
export function summaryJson(counts: readonly TimerCount[]): string {
  const ofStatus = (...words: readonly StatusWord[]) =>
    sum(counts.filter(({ status }) => words.includes(statusWord(status))))
  return JSON.stringify({
    total_timers: sum(counts),
    scheduled_timers: ofStatus('SCHEDULED', 'ACTIVE'),
    completed_timers: ofStatus('COMPLETED'),
    cancelled_timers: ofStatus('CANCELLED'),
    duration_timers: sum(counts.filter(({ kind }) => kind === TimerKind.once)),
    cycle_timers: sum(counts.filter(({ kind }) => kind !== TimerKind.once)),
  })
}

export function statisticsJson(
  period: Period,
  { now, created, ended, firings, delays, live, cycles, wheel }: Statistics,
): string {
  return JSON.stringify({
    period,
    generated_at: isoText(now),
    overview: {
      total_timers: created.once + created.cycles,
      active_timers: live,
      completed_timers: ended.completed + ended.failed,
      cancelled_timers: ended.canceled,
      duration_timers: created.once,
      cycle_timers: created.cycles,
    },
    performance_metrics: {
      avg_accuracy_ms: firings.averageLateMs === null ? null : rounded(firings.averageLateMs),
      p95_accuracy_ms: firings.p95LateMs,
      p99_accuracy_ms: firings.p99LateMs,
      timers_per_second: rounded(firings.perSecond),
      total_firing_time_ms: firings.deliveryMs,
    },
    timewheel_statistics: {
      levels_usage: WHEEL_LEVELS.map(({ name }, level) => ({ level, name, timers: wheel.levels[level] ?? 0 })),
      total_slots: wheel.totalSlots,
      used_slots: wheel.usedSlots,
      utilization_percent: rounded((wheel.usedSlots / wheel.totalSlots) * 100),
    },
    duration_distribution: delays,
    cycle_analysis: {
      infinite_cycles: cycles.infinite,
      limited_cycles: cycles.limited,
      avg_iterations_per_cycle: rounded(cycles.iterationsPerCycle),
      most_common_intervals: cycles.intervals,
    },
  })
}

function sum(counts: readonly TimerCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
