// A schedule in words, for people: the same ones wherever it is shown.

import cronstrue from 'cronstrue'
import type { RRule } from '../core/time/rrule/rrule.ts'
import type { IsoDuration } from '../core/time/duration.ts'
import type { CalendarRule, FiringRules } from '../core/time/firing-rules.ts'
import { isRepeating } from '../core/time/firings.ts'
import { formatInterval } from '../core/time/interval.ts'
import { isoText } from '../core/time/iso-text.ts'
import type { Schedule } from '../core/time/schedule.ts'
import type { Reason } from '../core/time/preview.ts'

/** `every 15 minutes, 3 times`, `at 09:00, Monday through Friday, in Europe/Berlin`. */
export function scheduleInWords(schedule: Schedule): string {
  const { rules, timeZone } = schedule
  const isZoned = timeZone !== null && schedule.kind !== 'instant'
  return [whenWords(schedule), isZoned ? `in ${timeZone}` : '', ...(rules === null ? [] : rulesWords(rules))]
    .filter((part) => part !== '')
    .join(', ')
}

function whenWords(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'instant':
      return 'once'
    case 'local':
      return `once, at ${schedule.text.replace(/\[.*/, '').replace('T', ' ')}`
    case 'duration':
      return `${durationInWords(schedule.duration)} after creation`
    case 'cycle':
      return cycleWords(schedule.duration, schedule.repetitions)
    case 'cron':
      return cronWords(schedule.text)
    case 'rrule':
      return ruleWords(schedule.rule)
  }
}

function cycleWords(duration: IsoDuration, repetitions: number | null): string {
  const length = durationInWords(duration)
  const isOne = /^1 [a-z]+$/.test(length)
  const times = repetitions === null ? '' : `, ${timesInWords(repetitions)}`
  return `every ${isOne ? length.slice(2) : length}${times}`
}

function timesInWords(count: number): string {
  return count === 1 ? '1 time' : `${count} times`
}

function durationInWords({ years, months, weeks, days, hours, minutes, milliseconds }: IsoDuration): string {
  const parts = { year: years, month: months, week: weeks, day: days, hour: hours, minute: minutes, second: milliseconds / 1_000 } // oxfmt-ignore
  const words = Object.entries(parts).flatMap(([unit, value]) =>
    value === 0 ? [] : [`${value} ${unit}${value === 1 ? '' : 's'}`],
  )
  return words.length === 0 ? '0 seconds' : words.join(' ')
}

function cronWords(text: string): string {
  // It has L for the last weekday of a month, as Quartz does, and not #L.
  const written = text.replaceAll(/#L/gi, 'L').replaceAll('?', '*')
  const words = cronstrue.toString(written, { use24HourTimeFormat: true, throwExceptionOnParseError: false })
  return words.charAt(0).toLowerCase() + words.slice(1)
}

const RULE_UNITS = { YEARLY: 'year', MONTHLY: 'month', WEEKLY: 'week', DAILY: 'day', HOURLY: 'hour', MINUTELY: 'minute', SECONDLY: 'second' } // oxfmt-ignore
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'] // oxfmt-ignore

/** `every 2 weeks, on Monday and Friday, at 09:00, 10 times`. */
function ruleWords(rule: RRule): string {
  const unit = RULE_UNITS[rule.freq]
  const days = rule.byDay?.map(({ weekday, nth }) => `${nth === 0 ? '' : `${ordinal(nth)} `}${DAYS[weekday]}`)
  const hours = rule.byHour?.flatMap((hour) => (rule.byMinute ?? [0]).map((minute) => `${two(hour)}:${two(minute)}`))
  return [
    rule.interval === 1 ? `every ${unit}` : `every ${rule.interval} ${unit}s`,
    days === undefined ? '' : `on ${listed(days)}`,
    rule.byMonthDay === null ? '' : `on the ${listed(rule.byMonthDay.map(ordinal))} day of the month`,
    rule.byYearDay === null ? '' : `on the ${listed(rule.byYearDay.map(ordinal))} day of the year`,
    rule.byMonth === null ? '' : `in ${listed(rule.byMonth.map((month) => MONTHS[month - 1]!))}`,
    rule.bySetPos === null ? '' : `the ${listed(rule.bySetPos.map(ordinal))} of these`,
    hours === undefined ? '' : `at ${listed(hours)}`,
    rule.count === null ? '' : timesInWords(rule.count),
    rule.until === null ? '' : `until ${isoText(rule.until.at).slice(0, rule.until.isLocal ? -5 : undefined)}`,
  ]
    .filter((part) => part !== '')
    .join(', ')
}

function ordinal(number: number): string {
  if (number === -1) return 'last'
  const size = Math.abs(number)
  const ending = size % 100 >= 11 && size % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][size % 10] ?? 'th')
  return `${size}${ending}${number < 0 ? ' last' : ''}`
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

function rulesWords({ startAt, endAt, maxFirings, spreadMs, dst, calendar }: FiringRules): string[] {
  return [
    startAt === undefined ? '' : `from ${isoText(startAt)}`,
    endAt === undefined ? '' : `until ${isoText(endAt)}`,
    maxFirings === undefined ? '' : timesInWords(maxFirings),
    spreadMs === undefined ? '' : `spread over ${formatInterval(spreadMs)}`,
    calendar === undefined
      ? ''
      : `${calendar.onExcluded === 'skip' ? 'not' : 'later'} when the calendar ${calendar.name} excludes it`,
    dst?.gap === 'skip' ? 'not at times that clocks skip' : '',
    dst?.overlap === undefined ? '' : OVERLAP_WORDS[dst.overlap],
  ]
}

const OVERLAP_WORDS = {
  first: 'the first of times that clocks show twice',
  second: 'the second of times that clocks show twice',
  both: 'at both of times that clocks show twice',
}

/** Why a firing is not simply when the schedule says. */
export function reasonInWords(reason: Reason, schedule: Schedule, passedOver: number): string {
  switch (reason) {
    case 'gap':
      return `clocks in ${schedule.timeZone} skip the time that is meant, so it is as much later as they go forward`
    case 'overlap':
      return `clocks in ${schedule.timeZone} show this time twice`
    case 'calendar':
      return calendarWords(schedule.rules!.calendar!, passedOver)
    case 'spread':
      return isRepeating(schedule) ? 'moved by the spread, as every firing of this timer' : 'moved by the spread'
  }
}

function calendarWords({ name, onExcluded }: CalendarRule, passedOver: number): string {
  if (onExcluded === 'skip') return `the calendar ${name} skips ${passedOver} before it`
  const more = passedOver === 0 ? '' : `, with ${passedOver} before it`
  return `moved by the calendar ${name}${more}`
}
