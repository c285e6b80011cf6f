// The local times of a recurrence rule. Of a rule by days or longer, each period (a year, a month, a week, a day) gives a set of
// days, and these with the times of day are its local times. The period of any moment follows from the start by arithmetic, so
// nothing is counted from the start. Of a rule by hours or shorter, the times that its lists allow are tried in turn.

import type { Millis } from '../millis.ts'
import { civilDate, dayNumber, monthLength, weekdayOf } from '../zone/civil-date.ts'
import type { LocalRule } from '../zone/local-rule.ts'
import type { RRule } from './rrule.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TRIED_MAX = 5_000 // periods, or times, in a row that have nothing: some milliseconds; a rule with more of them is taken to be over

/** `start` is a local time: it has the time of day and the day that the rule does not say, and periods count from it. */
export function rruleTimes(rule: RRule, start: Millis): LocalRule {
  const known = lastTimes.get(rule)
  if (known?.start === start) return known.times
  const times = timesFrom(rule, start)
  lastTimes.set(rule, { start, times })
  return times
}

/** Of each rule that is remembered, those for the start that was asked for last. */
const lastTimes = new WeakMap<RRule, { readonly start: Millis; readonly times: LocalRule }>()

function timesFrom(rule: RRule, start: Millis): LocalRule {
  const next = rule.freq in UNIT_MS ? nextByTime : nextByDay(timesOfDay(rule, start))
  return {
    next: (from, until) => {
      const last = rule.until?.isLocal === true ? Math.min(until, rule.until.at) : until
      const first = Math.ceil(Math.max(from, start) / SECOND) * SECOND
      return first > last ? null : next(rule, start, first, last)
    },
  }
}

const UNIT_MS: Readonly<Record<string, Millis>> = { HOURLY: HOUR, MINUTELY: MINUTE, SECONDLY: SECOND }

type Next = (rule: RRule, start: Millis, from: Millis, until: Millis) => Millis | null

function nextByDay(times: readonly Millis[]): Next {
  return (rule, start, from, until) => {
    const startDay = Math.floor(start / DAY)
    let period = periodOf(rule, startDay, Math.floor(from / DAY))
    for (let tried = 0; tried < TRIED_MAX; tried++, period++) {
      const { first, days } = daysOf(rule, startDay, period)
      if (first * DAY > until) return null
      const found = chosen(rule, days, times).find((local) => local >= from)
      if (found !== undefined) return found > until ? null : found
    }
    return null
  }
}

/** Which period of the rule has the day, or the one before if none has. Periods count from that of the start. */
function periodOf({ freq, interval, weekStart }: RRule, startDay: number, day: number): number {
  const [a, b] = [civilDate(startDay), civilDate(day)]
  const distance =
    freq === 'YEARLY'
      ? b.year - a.year
      : freq === 'MONTHLY'
        ? (b.year - a.year) * 12 + b.month - a.month
        : freq === 'WEEKLY'
          ? (weekOf(day, weekStart) - weekOf(startDay, weekStart)) / 7
          : day - startDay
  return Math.max(0, Math.floor(distance / interval))
}

/** The first day of a week. */
function weekOf(day: number, weekStart: number): number {
  return day - ((weekdayOf(day) - weekStart + 7) % 7)
}

type Days = { readonly first: number; readonly days: readonly number[] }

/** Day numbers, ascending. */
function daysOf(rule: RRule, startDay: number, period: number): Days {
  const { freq, interval, weekStart, byDay } = rule
  const start = civilDate(startDay)
  if (freq === 'YEARLY') return yearDays(rule, start.year + period * interval, start)
  if (freq === 'MONTHLY') {
    const months = start.year * 12 + start.month - 1 + period * interval
    const [year, month] = [Math.floor(months / 12), (months % 12) + 1]
    const days = isMonth(rule, month) ? monthDays(rule, year, month, start.date) : []
    return { first: dayNumber(year, month, 1), days }
  }
  if (freq === 'WEEKLY') {
    const first = weekOf(startDay, weekStart) + period * interval * 7
    const wanted = byDay?.map(({ weekday }) => weekday) ?? [weekdayOf(startDay)]
    const week = Array.from({ length: 7 }, (_, index) => first + index)
    return { first, days: week.filter((day) => wanted.includes(weekdayOf(day)) && isMonth(rule, civilDate(day).month)) }
  }
  const day = startDay + period * interval
  return { first: day, days: isDay(rule, day) ? [day] : [] }
}

function isMonth({ byMonth }: RRule, month: number): boolean {
  return byMonth === null || byMonth.includes(month)
}

/** Whether the lists of months and days allow the day. */
function isDay(rule: RRule, day: number): boolean {
  const { year, month, date } = civilDate(day)
  const isWeekday = rule.byDay === null || rule.byDay.some(({ weekday }) => weekday === weekdayOf(day))
  return isMonth(rule, month) && isWeekday && (rule.byMonthDay === null || datesIn(rule.byMonthDay, year, month).includes(date)) // oxfmt-ignore
}

/** Days of the month, those from its end included. */
function datesIn(byMonthDay: readonly number[], year: number, month: number): readonly number[] {
  const length = monthLength(year, month)
  return byMonthDay.map((day) => (day < 0 ? length + 1 + day : day)).filter((day) => day >= 1 && day <= length)
}

function monthDays(rule: RRule, year: number, month: number, startDate: number): readonly number[] {
  const { byDay, byMonthDay } = rule
  const first = dayNumber(year, month, 1)
  const length = monthLength(year, month)
  if (byDay === null) {
    const dates = datesIn(byMonthDay ?? [startDate], year, month)
    return ascending(dates.map((date) => first + date - 1))
  }
  const days = weekdaysIn(byDay, first, length)
  if (byMonthDay === null) return days
  const dates = datesIn(byMonthDay, year, month)
  return days.filter((day) => dates.includes(day - first + 1))
}

/** Every Monday, or the second one, or the last one, of the days that begin with `first`. */
function weekdaysIn(byDay: NonNullable<RRule['byDay']>, first: number, length: number): readonly number[] {
  return ascending(
    byDay.flatMap(({ weekday, nth }) => {
      const days: number[] = []
      for (let day = first + ((weekday - weekdayOf(first) + 7) % 7); day < first + length; day += 7) days.push(day)
      if (nth === 0) return days
      const one = days.at(nth > 0 ? nth - 1 : nth)
      return one === undefined ? [] : [one]
    }),
  )
}

function yearDays(rule: RRule, year: number, start: { readonly month: number; readonly date: number }): Days {
  const first = dayNumber(year, 1, 1)
  const length = dayNumber(year + 1, 1, 1) - first
  const { byYearDay, byMonth, byMonthDay, byDay } = rule
  if (byYearDay !== null) {
    const days = byYearDay.map((day) => (day < 0 ? length + day : day - 1)).filter((day) => day >= 0 && day < length)
    return { first, days: ascending(days.map((day) => first + day)).filter((day) => isDay(rule, day)) }
  }
  if (byDay !== null && byMonth === null && byMonthDay === null)
    return { first, days: weekdaysIn(byDay, first, length) }
  const months = byMonth ?? (byMonthDay === null && byDay === null ? [start.month] : ALL_MONTHS)
  return { first, days: ascending(months.flatMap((month) => monthDays(rule, year, month, start.date))) }
}

const ALL_MONTHS = Array.from({ length: 12 }, (_, index) => index + 1)

function chosen({ bySetPos }: RRule, days: readonly number[], times: readonly Millis[]): readonly Millis[] {
  const all = days.flatMap((day) => times.map((time) => day * DAY + time))
  if (bySetPos === null) return all
  return ascending(bySetPos.flatMap((place) => all.at(place > 0 ? place - 1 : place) ?? []))
}

function timesOfDay(rule: RRule, start: Millis): readonly Millis[] {
  const { hours, minutes, seconds } = fieldsOf(rule, start)
  return ascending(
    hours.flatMap((hour) => minutes.flatMap((minute) => seconds.map((second) => hour * HOUR + minute * MINUTE + second * SECOND))), // oxfmt-ignore
  )
}

/** What the rule does not say is as in the start, if it is shorter than the rule's own unit; else anything. */
function fieldsOf({ freq, byHour, byMinute, bySecond }: RRule, start: Millis) {
  const time = ((start % DAY) + DAY) % DAY
  const any = (length: number) => Array.from({ length }, (_, index) => index)
  return {
    hours: ascending(byHour ?? (freq in UNIT_MS ? any(24) : [Math.floor(time / HOUR)])),
    minutes: ascending(byMinute ?? (freq === 'MINUTELY' || freq === 'SECONDLY' ? any(60) : [Math.floor((time % HOUR) / MINUTE)])), // oxfmt-ignore
    seconds: ascending(bySecond ?? (freq === 'SECONDLY' ? any(60) : [Math.floor((time % MINUTE) / SECOND)])),
  }
}

function nextByTime(rule: RRule, start: Millis, from: Millis, until: Millis): Millis | null {
  const unit = UNIT_MS[rule.freq]!
  const step = unit * rule.interval
  const begin = Math.floor(start / unit) * unit
  const fields = fieldsOf(rule, start)
  let local = from
  for (let tried = 0; tried < TRIED_MAX && local <= until; tried++) {
    const allowed = nextAllowed(rule, fields, local)
    if (allowed === null) return null
    const rest = (Math.floor(allowed / unit) * unit - begin) % step
    if (rest === 0) return allowed > until ? null : allowed
    local = Math.floor(allowed / unit) * unit + step - rest
  }
  return null
}

type Fields = ReturnType<typeof fieldsOf>

/** The first local time that the lists allow; null when no day of some years is allowed. */
function nextAllowed(rule: RRule, { hours, minutes, seconds }: Fields, from: Millis): Millis | null {
  const today = Math.floor(from / DAY)
  for (let day = today; day < today + TRIED_MAX; day++) {
    if (!isDay(rule, day)) continue
    const after = day === today ? from - day * DAY : 0
    for (const hour of hours) {
      if ((hour + 1) * HOUR <= after) continue
      for (const minute of minutes) {
        if (hour * HOUR + (minute + 1) * MINUTE <= after) continue
        const second = seconds.find((one) => hour * HOUR + minute * MINUTE + one * SECOND >= after)
        if (second !== undefined) return day * DAY + hour * HOUR + minute * MINUTE + second * SECOND
      }
    }
  }
  return null
}

function ascending(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)].toSorted((a, b) => a - b)
}
