// ISO 8601 durations and how to add them. Calendar units stay calendar units: a month is what the calendar
// says at that place, never 30 days. So a duration is kept field by field and is always added in ONE step
// from a fixed start: Jan 31 + 1 × P1M is Feb 28 and + 2 × P1M is Mar 31, where adding twice would give Mar 28.

import { invalidSchedule } from '../errors.ts'
import { NEVER } from './millis.ts'
import type { Millis } from './millis.ts'

export type IsoDuration = {
  readonly years: number
  readonly months: number
  readonly weeks: number
  readonly days: number
  readonly hours: number
  readonly minutes: number
  /** The seconds with their fraction. */
  readonly milliseconds: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Ten digits hold 100 years of seconds, and their thousandfold is still an exact integer. */
const FIELD_MAX = 9_999_999_999

/** How far time zones and short months can move a sum from what its lengths say; the worst on record is about a day. */
const CALENDAR_SLACK_MS = 4 * DAY

const TEXT_CHARS_MAX = 255 // longer than any schedule that means something, and short enough to quote

const DURATION =
  /^P(?=\d|T)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d{1,9}))?S)?)?$/

/** `provided` is what an error quotes when the duration is part of a longer text. */
export function parseIsoDuration(text: string, provided: string = text): IsoDuration {
  checkLength(text)
  const match = DURATION.exec(text)
  if (match === null) {
    throw invalidSchedule(
      'format',
      `"${text}" is not an ISO 8601 duration: write P, then years, months, weeks and days, then T before hours, minutes and seconds,` +
        ' in this order and in capitals, such as PT30S, P1DT12H or P1Y2M3DT4H5M6.789S.',
      provided,
    )
  }
  const field = (digits: string | undefined): number => {
    const value = digits === undefined ? 0 : Number(digits)
    if (value <= FIELD_MAX) return value
    throw invalidSchedule('range', `"${text}" is too long: a number in a duration is at most ${FIELD_MAX}.`, provided)
  }
  return {
    years: field(match[1]),
    months: field(match[2]),
    weeks: field(match[3]),
    days: field(match[4]),
    hours: field(match[5]),
    minutes: field(match[6]),
    milliseconds: field(match[7]) * SECOND + fractionMs(match[8]),
  }
}

/** All that is read as a schedule, an instant or a length of time passes here before it is matched or quoted. */
export function checkLength(text: string): void {
  if (text.length <= TEXT_CHARS_MAX) return
  const start = `${text.slice(0, TEXT_CHARS_MAX)}…`
  throw invalidSchedule(
    'format',
    `A time is written in at most ${TEXT_CHARS_MAX} characters; this text has ${text.length}.`,
    start,
  )
}

/** `5` is half a second, `0009` less than a millisecond: digits beyond the third are cut. */
export function fractionMs(digits: string | undefined): Millis {
  return digits === undefined ? 0 : Number(digits.slice(0, 3).padEnd(3, '0'))
}

/** The length of the weeks and smaller fields, with days of 24 hours; years and months are not in it. */
export function fixedMs(duration: IsoDuration): Millis {
  return (duration.weeks * 7 + duration.days) * DAY + timeMs(duration)
}

/** Its length anywhere on the calendar, given how long a year and a month are taken to be. */
export function lengthMs(duration: IsoDuration, unit: { readonly yearMs: Millis; readonly monthMs: Millis }): Millis {
  return duration.years * unit.yearMs + duration.months * unit.monthMs + fixedMs(duration)
}

const SHORTEST = { yearMs: 365 * DAY, monthMs: 28 * DAY }
const LONGEST = { yearMs: 366 * DAY, monthMs: 31 * DAY }

/**
 * `at + times × duration`. Years, months and, in a time zone, weeks and days follow the calendar and keep the
 * wall-clock time; a time that does not exist (clocks go forward) is the one as much later, of a time that exists
 * twice it is the first. Beyond the last instant a Date can hold the sum is NEVER.
 */
export function addDuration(at: Millis, duration: IsoDuration, times: number, timeZone: string | null): Millis {
  if (hasFixedLength(duration, timeZone)) return Math.min(at + times * fixedMs(duration), NEVER)
  if (at + times * lengthMs(duration, LONGEST) + CALENDAR_SLACK_MS >= NEVER) return NEVER
  return Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timeZone ?? 'UTC')
    .add({
      years: duration.years * times,
      months: duration.months * times,
      weeks: duration.weeks * times,
      days: duration.days * times,
      hours: duration.hours * times,
      minutes: duration.minutes * times,
      milliseconds: duration.milliseconds * times,
    }).epochMilliseconds
}

/** The smallest n ≥ 0 with `from + n × duration ≥ to`, found without walking there: `from` may lie centuries back. */
export function stepsToReach(from: Millis, to: Millis, duration: IsoDuration, timeZone: string | null): number {
  if (to <= from) return 0
  const distance = to - from
  if (hasFixedLength(duration, timeZone)) {
    const step = fixedMs(duration)
    const rest = distance % step // exact, where rounding the quotient of two large numbers is not
    return (distance - rest) / step + (rest === 0 ? 0 : 1)
  }
  // The lengths of years and months bracket the answer closely; a search between them settles it.
  let low = Math.max(0, Math.floor((distance - CALENDAR_SLACK_MS) / lengthMs(duration, LONGEST)))
  let high = Math.ceil((distance + CALENDAR_SLACK_MS) / lengthMs(duration, SHORTEST))
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2)
    if (addDuration(from, duration, middle, timeZone) >= to) high = middle
    else low = middle + 1
  }
  return low
}

/** Whether days and longer units are in it, which have another length where clocks change. */
export function followsCalendar({ years, months, weeks, days }: IsoDuration): boolean {
  return years !== 0 || months !== 0 || weeks !== 0 || days !== 0
}

/** Its days and longer units, without the hours. */
export function dateParts({ years, months, weeks, days }: IsoDuration): IsoDuration {
  return { years, months, weeks, days, hours: 0, minutes: 0, milliseconds: 0 }
}

/** The length of its hours, minutes and seconds. */
export function timeMs({ hours, minutes, milliseconds }: IsoDuration): Millis {
  return hours * HOUR + minutes * MINUTE + milliseconds
}

function hasFixedLength(duration: IsoDuration, timeZone: string | null): boolean {
  if (duration.years !== 0 || duration.months !== 0) return false
  return timeZone === null || (duration.weeks === 0 && duration.days === 0)
}
