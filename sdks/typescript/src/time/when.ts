// Times as people have them at hand (a Date, a Temporal value, '3d', { days: 3 }) in the form the service takes.

import { invalidInput } from '../errors.ts'
import { isoOfFields, isoOfText } from './written-duration.ts'
import { cronOfWords } from './written-schedule.ts'
import type { DurationFault, DurationFields } from './written-duration.ts'

export type { DurationFields }

/** ISO 8601 with an offset, a Date, milliseconds since 1970, or a Temporal.Instant or Temporal.ZonedDateTime. */
export type InstantLike = string | number | Date | { readonly epochMilliseconds: number }

type Unit = 'ms' | 's' | 'm' | 'h' | 'd' | 'w' | 'mo' | 'y'

/** '90s', '1h30m', '3d', '0s' for now; or ISO 8601, 'P3D'. Text that is known only when the program runs is cast to it, and checked then. */
export type DurationText = `${number}${Unit}` | `${number}${Unit}${number}${string}` | `P${string}`

/** Text, fields, or a Temporal.Duration. A bare number would not say its unit. */
export type DurationLike = DurationText | DurationFields

/** Days and a time of day. Sent as cron, so `timeZone` says whose clocks are meant. */
export type DaysText = `${string} at ${string}`

type At = {
  /** At this instant. */
  readonly at: InstantLike
}
type After = {
  /** So long after the service has stored it; '0s' is at once. */
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
type ExecuteAt = {
  /** As the service takes it: ISO 8601 with an offset, or a local time in the `timeZone`. */
  readonly executeAt: string
}
type Schedule = {
  /** As the service takes it: an instant, a duration, a cycle or cron. */
  readonly schedule: string
}

/** One of them, with nothing of the others. */
export type OneOf<All, One extends All> = One extends All
  ? One & { readonly [K in Exclude<KeysOf<All>, keyof One>]?: undefined }
  : never
type KeysOf<All> = All extends All ? keyof All : never

type Ways = At | After | Every | ExecuteAt | Schedule

/** When a timer fires: in exactly one of these ways. */
export type When = OneOf<Ways, Ways>
/** In one of them, or left as it is. */
export type MaybeWhen = When | { readonly [K in KeysOf<Ways>]?: undefined }

export type WireWhen = { readonly executeAt?: string; readonly schedule?: string }

/** As programs that no compiler has checked may write it. */
type AllWays = At & After & Every & ExecuteAt & Schedule
type Unchecked = { readonly [K in keyof AllWays]?: AllWays[K] | undefined }

/** Empty when nothing is said. */
export function wireWhen(given: MaybeWhen): WireWhen {
  const when: Unchecked = given
  const said = (['at', 'after', 'every', 'executeAt', 'schedule'] as const).filter((field) => when[field] !== undefined)
  if (said.length > 1) throw invalidInput(said[1]!, `give one of ${said.join(' and ')}, not both`)
  for (const field of ['times', 'from'] as const) {
    if (when[field] !== undefined && when.every === undefined) throw invalidInput(field, `${field} belongs to every`)
  }
  if (when.at !== undefined) return { executeAt: instantText(when.at, 'at') }
  if (when.after !== undefined) return { schedule: durationText(when.after, 'after') }
  if (when.every !== undefined) return everyDays(when) ?? { schedule: cycleText(when.every as DurationLike, when) }
  if (when.executeAt !== undefined) return { executeAt: when.executeAt }
  return when.schedule === undefined ? {} : { schedule: when.schedule }
}

/** Null when it is a length of time. */
function everyDays({ every, times, from }: Unchecked): WireWhen | null {
  const schedule = typeof every === 'string' && every.includes(' ') ? cronOfWords(every) : null
  if (schedule === null) return null
  if (times !== undefined || from !== undefined)
    throw invalidInput(
      times === undefined ? 'from' : 'times',
      'with days and a time of day, give maxFirings and startAt',
    )
  return { schedule }
}

export function instantText(instant: InstantLike, field: string): string {
  if (typeof instant === 'string') return instant
  const ms =
    typeof instant === 'number' ? instant : instant instanceof Date ? instant.getTime() : instant.epochMilliseconds
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) throw invalidInput(field, `${field} is not a valid time`)
  return date.toISOString()
}

function cycleText(every: DurationLike, { times, from }: Unchecked): string {
  if (times !== undefined && !(Number.isInteger(times) && times >= 1))
    throw invalidInput('times', 'times must be a whole number from 1')
  const start = from === undefined ? '' : `${instantText(from, 'from')}/`
  return `R${times ?? ''}/${start}${durationText(every, 'every')}`
}

/** ISO 8601. Text that begins with P is the service's to judge. */
export function durationText(duration: DurationLike, field: string): string {
  if (typeof duration === 'object' && duration !== null) return isoDuration(isoOfFields(duration), field)
  if (typeof duration !== 'string') {
    const fix =
      typeof duration === 'number'
        ? `a bare number does not say its unit: write '${String(duration)}s' for seconds`
        : "write '3d' or { days: 3 }"
    throw invalidInput(field, `${field} must be text with units, or an object with them; ${fix}`)
  }
  if (/^\s*p/i.test(duration)) return duration.trim()
  return isoDuration(isoOfText(duration), field, duration)
}

function isoDuration(read: string | DurationFault, field: string, given = ''): string {
  if (typeof read === 'string') return read
  switch (read.fault) {
    case 'text':
      throw invalidInput(
        field,
        `${field} '${given}' is not a duration: write 90s, 1h30m, 3d, 2w, 6mo, 1y, or ISO 8601 such as P3D`,
      )
    case 'empty':
      throw invalidInput(field, `${field} is empty: say how long, such as 90s or { hours: 1 }`)
    case 'amount':
      throw invalidInput(field, `${field}: ${read.unit} must not be negative or infinite`)
    case 'part':
      throw invalidInput(
        field,
        `${field}: ${read.unit} must be whole, since their length varies; use hours instead of parts of days`,
      )
  }
}
