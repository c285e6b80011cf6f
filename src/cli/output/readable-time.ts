// Times as people read them: how long until then or since, and the wall-clock time where they are.

import type { Millis } from '../../core/timer/timer.ts'

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['y', 365.25 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
]

/** The two largest units: 3d 4h, 5m 3s, 250ms. */
export function lengthText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`
  const first = UNITS.findIndex(([, unitMs]) => ms >= unitMs)
  const [unit, unitMs] = UNITS[first]!
  const whole = Math.floor(ms / unitMs)
  const next = UNITS[first + 1]
  const rest = next === undefined ? 0 : Math.floor((ms - whole * unitMs) / next[1])
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit} ${rest}${next![0]}`
}

/** in 5m, 3h 2m ago, now. */
export function fromNow(at: Millis, now: Millis): string {
  const ms = at - now
  if (Math.abs(ms) < 500) return 'now'
  return ms > 0 ? `in ${lengthText(ms)}` : `${lengthText(-ms)} ago`
}

/** 2026-12-24 18:00:00, on the clocks of the zone; with milliseconds where there are any. */
export function wallClock(at: Millis, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDateTime()
  return local.toString({ smallestUnit: local.millisecond === 0 ? 'second' : 'millisecond' }).replace('T', ' ')
}

export function timeOfDay(at: Millis, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timeZone)
    .toPlainTime()
    .toString({ smallestUnit: 'millisecond' })
}

/** 1ms, 2.5s: a lateness or a duration that was measured. */
export function measuredText(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))}ms`
  return ms < 1_000 ? `${Math.round(ms)}ms` : ms < 60_000 ? `${(ms / 1_000).toFixed(1)}s` : lengthText(ms)
}
