// One line of a calendar: which days, and which times of them.
//   2026-12-25              a day
//   2026-12-24/2027-01-01   the days from the first to the last
//   --12-25                 this day of every year
//   SAT-SUN                 weekdays; a single one is SAT
//   12:00-13:00             a time of every day; 24:00 is the end of a day
// Days and a time can stand together: MON-FRI 09:00-17:00.

import { invalidInput } from '../../errors.ts'
import { dayNumber, monthLength } from '../zone/civil-date.ts'
import type { Millis } from '../millis.ts'

/** Days are numbers that count from 1970-01-01. */
export type CalendarDays =
  | { readonly kind: 'dates'; readonly first: number; readonly last: number }
  | { readonly kind: 'yearly'; readonly month: number; readonly date: number }
  /** By number; Sunday is 0. */
  | { readonly kind: 'weekdays'; readonly weekdays: readonly number[] }

/** From and to are counted from the beginning of the day; `to` is not part of it. */
export type DayTimes = { readonly from: Millis; readonly to: Millis }
export type CalendarEntry = { readonly days: CalendarDays; readonly times: DayTimes }

const MINUTE = 60_000
const DAY = 86_400_000
const WHOLE_DAY: DayTimes = { from: 0, to: DAY }
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const EVERY_DAY: CalendarDays = { kind: 'weekdays', weekdays: [0, 1, 2, 3, 4, 5, 6] }

/** `field` is where it stands, for the message. */
export function parseCalendarEntry(text: string, field: string): CalendarEntry {
  const [first = '', second, ...more] = text.trim().split(/ +/)
  if (more.length > 0 || first === '') throw notAnEntry(text, field)
  const times = parseTimes(second ?? first, text, field)
  if (second !== undefined && times === null) throw notAnEntry(text, field)
  if (second === undefined && times !== null) return { days: EVERY_DAY, times }
  return { days: parseDays(first, text, field), times: times ?? WHOLE_DAY }
}

function notAnEntry(text: string, field: string): Error {
  const right = '2026-12-25, 2026-12-24/2027-01-01, --12-25, SAT-SUN, 12:00-13:00 or MON-FRI 09:00-17:00'
  return invalidInput(field, `"${text}" is not an entry of a calendar: write ${right}`)
}

function parseTimes(written: string, text: string, field: string): DayTimes | null {
  const match = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(written)
  if (match === null) return null
  const [from, to] = [timeAt(match[1]!, match[2]!), timeAt(match[3]!, match[4]!)]
  if (from === null || to === null) throw invalidInput(field, `"${text}": times are 00:00 to 24:00`)
  if (from < to) return { from, to }
  throw invalidInput(
    field,
    `"${text}": the time ends before it begins; write two entries for a night, up to 24:00 and from 00:00`,
  )
}

function timeAt(hours: string, minutes: string): Millis | null {
  const at = (Number(hours) * 60 + Number(minutes)) * MINUTE
  return Number(minutes) > 59 || at > DAY ? null : at
}

function parseDays(written: string, text: string, field: string): CalendarDays {
  const weekdays = parseWeekdays(written)
  if (weekdays !== null) return { kind: 'weekdays', weekdays }
  const yearly = /^--(\d\d)-(\d\d)$/.exec(written)
  if (yearly !== null) {
    const [month, date] = [Number(yearly[1]), Number(yearly[2])]
    if (isDate(2_000, month, date)) return { kind: 'yearly', month, date }
    throw invalidInput(field, `"${text}": there is no such day of the year`)
  }
  const [first = '', last = first, ...more] = written.split('/')
  const days = [first, last].map((date) => parseDate(date))
  if (more.length > 0 || days.includes(null)) throw notAnEntry(text, field)
  if (days.includes(undefined)) throw invalidInput(field, `"${text}": there is no such day`)
  if (days[0]! > days[1]!) throw invalidInput(field, `"${text}": the last day is before the first`)
  return { kind: 'dates', first: days[0]!, last: days[1]! }
}

function parseWeekdays(written: string): readonly number[] | null {
  const [first, last, ...more] = written
    .toUpperCase()
    .split('-')
    .map((name) => WEEKDAYS.indexOf(name))
  if (first === undefined || first < 0 || last === -1 || more.length > 0) return null
  const length = last === undefined ? 1 : ((last - first + 7) % 7) + 1
  return Array.from({ length }, (_, index) => (first + index) % 7)
}

/** Null when it is not written as a date, undefined when there is no such day. */
function parseDate(written: string): number | null | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(written)
  if (match === null) return null
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return isDate(year, month, date) ? dayNumber(year, month, date) : undefined
}

function isDate(year: number, month: number, date: number): boolean {
  return month >= 1 && month <= 12 && date >= 1 && date <= monthLength(year, month)
}
