// The local times of a cron expression. Days come as the set of a month's days that match, which is a few operations on bits;
// so an expression that fires once in a leap year, or never, is searched month by month and costs no more than a walk of its
// own months.

import type { Millis } from '../millis.ts'
import { civilDate, dayNumber, monthLength, weekdayOf } from '../zone/civil-date.ts'
import type { LocalRule } from '../zone/local-rule.ts'
import type { CronExpression } from './cron-expression.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export function cronRule(expression: CronExpression): LocalRule {
  return { next: (from, until) => nextLocal(expression, Math.ceil(from / SECOND) * SECOND, until) }
}

function nextLocal(expression: CronExpression, from: Millis, until: Millis): Millis | null {
  const startDay = Math.floor(from / DAY)
  const today = isDay(expression, startDay) ? timeFrom(expression, from - startDay * DAY) : null
  if (today !== null) return startDay * DAY + today
  const day = nextDay(expression, startDay + 1, Math.floor(until / DAY))
  return day === null ? null : day * DAY + firstTime(expression)
}

function firstTime({ hours, minutes, seconds }: CronExpression): Millis {
  return hours[0]! * HOUR + minutes[0]! * MINUTE + seconds[0]! * SECOND
}

/** The first time of day at `from` or later; null when the rest of the day has none. */
function timeFrom({ hours, minutes, seconds }: CronExpression, from: Millis): Millis | null {
  const [hour, minute, second] = [
    Math.floor(from / HOUR),
    Math.floor((from % HOUR) / MINUTE),
    Math.floor((from % MINUTE) / SECOND),
  ]
  const sameHour = hours.includes(hour)
  if (sameHour) {
    const sameMinute = minutes.includes(minute)
    const inMinute = sameMinute ? seconds.find((value) => value >= second) : undefined
    if (inMinute !== undefined) return hour * HOUR + minute * MINUTE + inMinute * SECOND
    const inHour = minutes.find((value) => value > minute)
    if (inHour !== undefined) return hour * HOUR + inHour * MINUTE + seconds[0]! * SECOND
  }
  const later = hours.find((value) => value > hour)
  return later === undefined ? null : later * HOUR + minutes[0]! * MINUTE + seconds[0]! * SECOND
}

function isDay(expression: CronExpression, day: number): boolean {
  const { year, month, date } = civilDate(day)
  return (expression.months & (1 << month)) !== 0 && (daysOf(expression, year, month) & (1 << date)) !== 0
}

/** Days are counted from 1970. */
function nextDay(expression: CronExpression, from: number, until: number): number | null {
  const { year: lastYear } = civilDate(until)
  for (let { year, month, date } = civilDate(from); year <= lastYear; date = 1) {
    if ((expression.months & (1 << month)) !== 0) {
      const first = dayNumber(year, month, 1)
      const left = daysOf(expression, year, month) & (-1 << date)
      if (left !== 0) {
        const day = first + 31 - Math.clz32(left & -left) - 1
        return day > until ? null : day
      }
    }
    if (++month > 12) {
      month = 1
      year++
    }
  }
  return null
}

/** The days of a month that match, as bits 1 to 31. Where both fields of days are given, either will do, as in every cron. */
function daysOf({ days, weekdays }: CronExpression, year: number, month: number): number {
  const length = monthLength(year, month)
  const all = (2 ** (length + 1) - 2) | 0
  if (days === null && weekdays === null) return all
  const firstWeekday = weekdayOf(dayNumber(year, month, 1))
  return ((days === null ? 0 : monthDays(days, length, firstWeekday)) | (weekdays === null ? 0 : weekDays(weekdays, length, firstWeekday))) & all // oxfmt-ignore
}

function monthDays(days: NonNullable<CronExpression['days']>, length: number, firstWeekday: number): number {
  let mask = days.mask | (days.last ? 1 << length : 0)
  for (const wanted of days.nearest) {
    if (wanted > length) continue
    mask |= 1 << nearestWeekday(wanted === 0 ? length : wanted, { length, firstWeekday, isLast: wanted === 0 })
  }
  return mask
}

/** A Saturday is moved to the Friday before, a Sunday to the Monday after, but never into another month. */
function nearestWeekday(
  date: number,
  { length, firstWeekday, isLast }: { length: number; firstWeekday: number; isLast: boolean },
): number {
  const weekday = (firstWeekday + date - 1) % 7
  if (weekday === 6) return date === 1 ? 3 : date - 1
  if (weekday === 0) return date === length || isLast ? date - 2 : date + 1
  return date
}

function weekDays(
  { mask, last, nth }: NonNullable<CronExpression['weekdays']>,
  length: number,
  firstWeekday: number,
): number {
  let days = 0
  if (mask !== 0 || last !== 0) {
    for (let date = 1; date <= length; date++) {
      const bit = 1 << ((firstWeekday + date - 1) % 7)
      if ((mask & bit) !== 0 || ((last & bit) !== 0 && date + 7 > length)) days |= 1 << date
    }
  }
  for (const { weekday, nth: wanted } of nth) {
    const date = 1 + ((weekday - firstWeekday + 7) % 7) + (wanted - 1) * 7
    if (date <= length) days |= 1 << date
  }
  return days
}
