// Times as a program has them at hand (a Date, a Temporal value, '3d', { days: 3 }) in the form that schedules have. The
// TypeScript SDK takes the same.

import { addDuration, parseIsoDuration } from '../../core/time/duration.ts'
import { DuetimeError, invalidInput } from '../../core/errors.ts'
import type { TimingFields } from '../../language/timing.ts'
import type { FiringRulesFields } from '../../language/firing-rules.ts'
import { cronOfWords } from '../../core/time/written-schedule.ts'
import { isoDurationOf, isoDurationText } from '../../core/time/plain-duration.ts'
import type { DurationFields } from '../../core/time/written-duration.ts'
import { parseLocalTime } from '../../core/time/instant.ts'
import { instantSchedule, parseInstant } from '../../core/time/schedule.ts'
import type { InstantSchedule } from '../../core/time/schedule.ts'
import type { Millis } from '../../core/timer/timer.ts'

/** ISO 8601 with an offset, a Date, milliseconds since 1970, or a Temporal.Instant or Temporal.ZonedDateTime. */
export type InstantLike = string | number | Date | { readonly epochMilliseconds: number }

type Unit = 'ms' | 's' | 'm' | 'h' | 'd' | 'w' | 'mo' | 'y'

/** '90s', '1h30m', '3d', '0s' for now; or ISO 8601, 'P3D'. Text that is known only when the program runs is cast to it, and checked then. */
export type DurationText = `${number}${Unit}` | `${number}${Unit}${number}${string}` | `P${string}`

/** Text, fields, or a Temporal.Duration. A bare number would not say its unit. */
export type DurationLike = DurationText | DurationFields

/** Days and a time of day, such as 'weekday at 9:00'. */
export type DaysText = `${string} at ${string}`

type At = {
  /** At this instant. */
  readonly at: InstantLike
}
type After = {
  /** So long after it was stored; '0s' is at once. */
  readonly after: DurationLike
}
type Every = {
  /** Again and again: after so long each time, or on days at a time, 'weekday at 9:00', 'monday and friday at 17:30'. */
  readonly every: DurationLike | DaysText
  /** How often. For ever if left out. */
  readonly times?: number | undefined
  /** When it fires first. One interval from now if left out. */
  readonly from?: InstantLike | undefined
}
type Written = {
  /** As the HTTP API takes it: an instant, a duration, a cycle or cron. */
  readonly schedule: string
}
type Ways = At | After | Every | Written
type AllWays = At & After & Every & Written
type Zoned = {
  /** Whose calendar the schedule follows, such as Europe/Berlin. UTC if left out. */
  readonly timeZone?: string | undefined
  /** In the nights when clocks change. */
  readonly dst?: FiringRulesFields['dst']
  /** Of a schedule that repeats: nothing fires before, or after. */
  readonly startAt?: InstantLike | undefined
  readonly endAt?: InstantLike | undefined
  /** Of a schedule that repeats: how many iterations it has. */
  readonly maxFirings?: number | undefined
  /** Firings are up to so much later, by a part that follows from the timer's id. */
  readonly spread?: string | undefined
  /** A calendar of the namespace: nothing fires when it says so. */
  readonly calendar?: FiringRulesFields['calendar']
}

/** One of them, with nothing of the others. */
type OneWay<Way> = Way extends Way ? Way & { readonly [K in Exclude<keyof AllWays, keyof Way>]?: undefined } : never

/** When a timer fires: in exactly one of these ways. */
export type When = OneWay<Ways> & Zoned
/** In one of them, or left as it is. */
export type MaybeWhen = (OneWay<Ways> | { readonly [K in keyof AllWays]?: undefined }) & Zoned
/** As programs that no compiler has checked may write it. */
type Unchecked = { readonly [K in keyof AllWays]?: AllWays[K] | undefined } & Zoned

type Timing = TimingFields

const BESIDE = [
  'after',
  'every',
  'times',
  'from',
  'schedule',
  'dst',
  'startAt',
  'endAt',
  'maxFirings',
  'spread',
  'calendar',
] as const
const LAST_MS = Date.UTC(9999, 11, 31) // later ones cannot be written in ISO 8601 without more digits

/**
 * Most programs have an instant as a value, and say nothing beside it. It is taken as it is; all else is written as text, as the HTTP API
 * is sent it, and read by the same rules. Null when there is anything else to say about it.
 */
export function plainInstant(when: Unchecked): InstantSchedule | null {
  const { at } = when
  if (at === undefined || typeof at === 'string' || BESIDE.some((field) => when[field] !== undefined)) return null
  const ms = Math.trunc(msOf(at))
  return ms >= 0 && ms < LAST_MS ? instantSchedule(ms) : null
}

/** What the HTTP API would be sent. Empty when nothing is said. */
export function timingOf(given: MaybeWhen): Timing {
  const when: Unchecked = given
  const said = (['at', 'after', 'every', 'schedule'] as const).filter((field) => when[field] !== undefined)
  if (said.length > 1) throw invalidInput(said[1]!, `give one of ${said.join(' and ')}, not both`)
  for (const field of ['times', 'from'] as const) {
    if (when[field] !== undefined && when.every === undefined) throw invalidInput(field, `${field} belongs to every`)
  }
  const { timeZone, dst, maxFirings, spread, calendar } = when
  const rules = {
    ...(dst !== undefined && { dst }),
    ...(when.startAt !== undefined && { startAt: instantText(when.startAt, 'startAt') }),
    ...(when.endAt !== undefined && { endAt: instantText(when.endAt, 'endAt') }),
    ...(maxFirings !== undefined && { maxFirings }),
    ...(spread !== undefined && { spread }),
    ...(calendar !== undefined && { calendar }),
  }
  const schedule = scheduleText(when)
  if (when.at === undefined && schedule === undefined) return rules
  return {
    ...(when.at === undefined ? { schedule: schedule! } : { executeAt: instantText(when.at, 'at') }),
    ...(timeZone !== undefined && (when.at === undefined || isLocal(when.at)) && { timeZone }),
    ...rules,
  }
}

/** An instant has no use for a zone. */
function isLocal(at: InstantLike): boolean {
  return typeof at === 'string' && parseLocalTime(at) !== null
}

function scheduleText({ after, every, times, from, schedule }: Unchecked): string | undefined {
  if (after !== undefined) return durationText(after, 'after')
  if (every === undefined) return schedule
  const cron = typeof every === 'string' && every.includes(' ') ? cronOfWords(every) : null
  if (cron !== null) {
    if (times === undefined && from === undefined) return cron
    const field = times === undefined ? 'from' : 'times'
    throw invalidInput(field, 'with days and a time of day, give maxFirings and startAt')
  }
  if (times !== undefined && !(Number.isInteger(times) && times >= 1))
    throw invalidInput('times', 'times must be a whole number from 1')
  const start = from === undefined ? '' : `${instantText(from, 'from')}/`
  return `R${times ?? ''}/${start}${durationText(every as DurationLike, 'every')}`
}

export function instantText(instant: InstantLike, field: string): string {
  if (typeof instant === 'string') return instant
  const date = new Date(msOf(instant))
  if (!Number.isNaN(date.getTime())) return date.toISOString()
  throw invalidInput(field, `${field} is not a valid time: give ISO 8601 text, a Date or a Temporal.Instant`)
}

function msOf(instant: Exclude<InstantLike, string>): number {
  return typeof instant === 'number'
    ? instant
    : instant instanceof Date
      ? instant.getTime()
      : instant?.epochMilliseconds
}

export function durationText(duration: DurationLike, field: string): string {
  return named(field, () =>
    typeof duration === 'string' ? isoDurationText(duration) : isoDurationOf(fieldsOf(duration, field)),
  )
}

function fieldsOf(duration: DurationFields, field: string): DurationFields {
  if (typeof duration === 'object' && duration !== null) return duration
  const unit =
    typeof duration === 'number'
      ? `; a bare number does not say its unit: write '${String(duration)}s' for seconds`
      : ''
  throw invalidInput(field, `${field} must be text such as 3d or P3D, or an object such as { days: 3 }${unit}`)
}

/** How long it is from `now` on, where the calendar matters. */
export function durationMs(duration: DurationLike, field: string, now: Millis): Millis {
  return addDuration(now, parseIsoDuration(durationText(duration, field)), 1, null) - now
}

/** An instant, or a length of time from now on: in text, lengths begin with a number and a unit, or with P. */
export function instantMs(value: InstantLike | DurationFields, field: string, now: Millis): Millis {
  const isInstant = typeof value !== 'object' || value instanceof Date || value === null || 'epochMilliseconds' in value
  if (!isInstant || (typeof value === 'string' && !/^\d{4}-/.test(value)))
    return now + durationMs(value as DurationLike, field, now)
  return instantAt(value, field)
}

export function instantAt(instant: InstantLike, field: string): Millis {
  return named(field, () => parseInstant(instantText(instant, field)))
}

/** The core refuses times without knowing what they were given as. */
function named<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DuetimeError) || error.details['field'] !== undefined) throw error
    throw new DuetimeError(error.code, `${field}: ${error.message}`, { ...error.details, field })
  }
}
