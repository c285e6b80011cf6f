// Recurrence rules of iCalendar (RFC 5545), read into plain values. Own code for the reason that cron has: an error tells the
// character that is wrong. BYWEEKNO, and what other standards added, is refused by name.

import { invalidSchedule } from '../../errors.ts'
import { CYCLE_REPETITIONS_MAX } from '../../limits.ts'
import { parseTimeZone } from '../instant.ts'
import { remembered } from '../recurring/kept-readings.ts'
import type { Millis } from '../millis.ts'
import { dayNumber, monthLength } from '../zone/civil-date.ts'

export const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** Lists are null when they are not given. Weekdays count from Sunday, 0. */
export type RRule = {
  readonly freq: Frequency
  readonly interval: number
  readonly count: number | null
  /** The last local time, or the last instant where it was written with Z. */
  readonly until: { readonly at: Millis; readonly isLocal: boolean } | null
  readonly byMonth: readonly number[] | null
  readonly byMonthDay: readonly number[] | null
  readonly byYearDay: readonly number[] | null
  /** `nth` is 0 for every such day. */
  readonly byDay: readonly { readonly weekday: number; readonly nth: number }[] | null
  readonly byHour: readonly number[] | null
  readonly byMinute: readonly number[] | null
  readonly bySecond: readonly number[] | null
  readonly bySetPos: readonly number[] | null
  readonly weekStart: number
}

export type ReadRRule = {
  readonly rule: RRule
  /** DTSTART, as a local time. */
  readonly start: Millis | null
  readonly timeZone: string | null
}

type Part = { readonly text: string; readonly at: number }

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
const INTERVAL_MAX = 10_000
const DAY = 86_400_000

export function looksLikeRRule(text: string): boolean {
  return /^(?:RRULE:|DTSTART|FREQ=)/i.test(text)
}

export const parseRRule = remembered(readRRule)

function readRRule(text: string): ReadRRule {
  let [start, timeZone]: [Millis | null, string | null] = [null, null]
  let rule: RRule | null = null
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    const begin = /^DTSTART(?:;TZID=([^:]+))?:/i.exec(line)
    if (begin !== null) {
      const value = { text: line.slice(begin[0].length), at: index + begin[0].length }
      const read = dateTimeIn(value, text)
      if (!read.isLocal) timeZone = 'UTC'
      if (begin[1] !== undefined) timeZone = parseTimeZone(begin[1], text)
      start = read.at
    } else if (rule === null) {
      const name = /^RRULE:/i.test(line) ? 6 : 0
      rule = ruleIn({ text: line.slice(name), at: index + name }, text)
    } else throw wrong(text, index, 'one DTSTART and one RRULE are taken, and this line is neither')
  }
  if (rule === null) throw wrong(text, text.length, 'a rule is missing: write RRULE:FREQ=DAILY, for example')
  return { rule, start, timeZone }
}

const PARTS =
  'INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY, BYYEARDAY, BYDAY, BYHOUR, BYMINUTE, BYSECOND, BYSETPOS and WKST'

const KNOWN_PARTS = new Set(['FREQ', ...PARTS.split(/, | and /)])

function ruleIn(line: Part, text: string): RRule {
  const given = new Map<string, Part>()
  let at = line.at
  for (const item of line.text.replace(/;$/, '').split(';')) {
    const equals = item.indexOf('=')
    const name = item.slice(0, Math.max(0, equals)).toUpperCase()
    if (equals < 1) throw wrong(text, at, `"${item}" is not NAME=VALUE`)
    if (!KNOWN_PARTS.has(name)) throw wrong(text, at, `${name} is not known here; beside FREQ there are ${PARTS}`)
    if (given.has(name)) throw wrong(text, at, `${name} is given twice`)
    given.set(name, { text: item.slice(equals + 1), at: at + equals + 1 })
    at += item.length + 1
  }
  const freq = frequencyIn(given.get('FREQ'), line, text)
  const list = (name: string, min: number, max: number, mayCountBack = false) =>
    numbersIn(given.get(name), { name, min, max, mayCountBack }, text)
  const one = (name: string, max: number) => list(name, 1, max)?.[0] ?? null
  const until = given.get('UNTIL')
  if (until !== undefined && given.has('COUNT')) throw wrong(text, until.at - 6, 'give COUNT or UNTIL, not both')
  const rule: RRule = {
    freq,
    interval: one('INTERVAL', INTERVAL_MAX) ?? 1,
    count: one('COUNT', CYCLE_REPETITIONS_MAX),
    until: until === undefined ? null : dateTimeIn(until, text, DAY - 1_000),
    byMonth: list('BYMONTH', 1, 12),
    byMonthDay: list('BYMONTHDAY', 1, 31, true),
    byYearDay: list('BYYEARDAY', 1, 366, true),
    byDay: weekdaysIn(given.get('BYDAY'), freq, text),
    byHour: list('BYHOUR', 0, 23),
    byMinute: list('BYMINUTE', 0, 59),
    bySecond: list('BYSECOND', 0, 59),
    bySetPos: list('BYSETPOS', 1, 366, true),
    weekStart: weekdayIn(given.get('WKST') ?? { text: 'MO', at: 0 }, text),
  }
  const misplaced = misplacedIn(rule)
  if (misplaced !== null) throw wrong(text, given.get(misplaced)!.at - misplaced.length - 1, `${misplaced} does not go with FREQ=${freq}`) // oxfmt-ignore
  return rule
}

function misplacedIn({ freq, byYearDay, byMonthDay, bySetPos }: RRule): string | null {
  const isBelowDay = freq === 'HOURLY' || freq === 'MINUTELY' || freq === 'SECONDLY'
  if (byYearDay !== null && freq !== 'YEARLY') return 'BYYEARDAY'
  if (byMonthDay !== null && freq === 'WEEKLY') return 'BYMONTHDAY'
  return bySetPos !== null && isBelowDay ? 'BYSETPOS' : null
}

function frequencyIn(part: Part | undefined, line: Part, text: string): Frequency {
  const freq = FREQUENCIES.find((one) => one === part?.text.toUpperCase())
  if (freq !== undefined) return freq
  throw wrong(text, part?.at ?? line.at, `FREQ is one of ${FREQUENCIES.join(', ')}`)
}

type Bounds = { readonly name: string; readonly min: number; readonly max: number; readonly mayCountBack: boolean }

function numbersIn(part: Part | undefined, { name, min, max, mayCountBack }: Bounds, text: string): number[] | null {
  if (part === undefined) return null
  return itemsOf(part).map((item) => {
    const value = /^[+-]?\d{1,5}$/.test(item.text) ? Number(item.text) : Number.NaN
    const size = mayCountBack ? Math.abs(value) : value
    if (size >= min && size <= max) return value
    throw wrong(text, item.at, `${name} is ${min} to ${max}${mayCountBack ? ', or as many from the end with a minus' : ''}, not "${item.text}"`) // oxfmt-ignore
  })
}

function weekdaysIn(part: Part | undefined, freq: Frequency, text: string): RRule['byDay'] {
  if (part === undefined) return null
  return itemsOf(part).map((item) => {
    const [, nth = ''] = /^([+-]?\d{0,2})/.exec(item.text) ?? []
    const weekday = weekdayIn({ text: item.text.slice(nth.length), at: item.at + nth.length }, text)
    if (nth !== '' && freq !== 'MONTHLY' && freq !== 'YEARLY')
      throw wrong(text, item.at, `a number before a day goes with FREQ=MONTHLY or FREQ=YEARLY`)
    if (nth !== '' && !(Math.abs(Number(nth)) >= 1 && Math.abs(Number(nth)) <= 53))
      throw wrong(text, item.at, `the number before a day is 1 to 53, or -1 to -53`)
    return { weekday, nth: Number(nth) }
  })
}

function weekdayIn(part: Part, text: string): number {
  const weekday = WEEKDAYS.indexOf(part.text.toUpperCase())
  if (weekday >= 0) return weekday
  throw wrong(text, part.at, `a day is one of ${WEEKDAYS.join(', ')}, not "${part.text}"`)
}

function itemsOf({ text, at }: Part): Part[] {
  let place = at
  return text.split(',').map((item) => {
    const part = { text: item, at: place }
    place += item.length + 1
    return part
  })
}

/** 20270131T090000, with Z in UTC; or a date, to which `endOfDay` is added. */
function dateTimeIn(part: Part, text: string, endOfDay = 0): { readonly at: Millis; readonly isLocal: boolean } {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/i.exec(part.text)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (match ?? []).slice(1, 7).map((one) => Number(one ?? 0)) // oxfmt-ignore
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= monthLength(year, month)
  if (match === null || !isDate || hour > 23 || minute > 59 || second > 59)
    throw wrong(text, part.at, `"${part.text}" is not a date and time like 20270131T090000`)
  const time = match[4] === undefined ? endOfDay : ((hour * 60 + minute) * 60 + second) * 1_000
  return { at: dayNumber(year, month, day) * DAY + time, isLocal: match[7] !== 'Z' && match[7] !== 'z' }
}

function wrong(text: string, position: number, why: string): Error {
  return invalidSchedule('format', `"${text}", character ${position + 1}: ${why}.`, text, position)
}
