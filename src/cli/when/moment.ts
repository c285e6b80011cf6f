// A moment as people say it: a day, a time of day and perhaps a time zone. Where clocks go forward and the time does not
// exist, it is as much later as the clocks went; where they go back and it exists twice, it is the first of the two.
// That is what Temporal calls 'compatible', and what the service does with cycles.

import type { Millis } from '../../core/timer/timer.ts'
import { UsageError } from '../command/usage-error.ts'

export type Viewpoint = {
  readonly now: Millis
  /** Whose clocks and calendar are meant where the text names none. */
  readonly timeZone: string
}

type TimeOfDay = {
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

const WEEKDAYS: readonly string[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const CLOCK = /^(\d{1,2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,3}))?)?)?([ap]m)?$/
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** 1 is Monday; null when the word names no day. Three letters are enough. */
export function weekdayOf(word: string): number | null {
  const index = word.length < 3 ? -1 : WEEKDAYS.findIndex((name) => name.startsWith(word))
  return index < 0 ? null : index + 1
}

/** The moment that `words` name, which is ahead of now. Throws a UsageError that says what is right. */
export function readMoment(words: readonly string[], viewpoint: Viewpoint): Temporal.ZonedDateTime {
  const text = words.join(' ')
  const now = Temporal.Instant.fromEpochMilliseconds(viewpoint.now).toZonedDateTimeISO(viewpoint.timeZone)
  const { day, time } = parts(
    words.map((word) => word.toLowerCase()).filter((word) => word !== 'at'),
    text,
  )
  const at = (date: Temporal.PlainDate) =>
    date.toZonedDateTime({ timeZone: viewpoint.timeZone, plainTime: Temporal.PlainTime.from(time) })
  const isAhead = (moment: Temporal.ZonedDateTime) => moment.epochMilliseconds > viewpoint.now
  const today = now.toPlainDate()
  const found = at(day(today, (date) => isAhead(at(date)), text))
  if (isAhead(found)) return found
  const inPast = `${text} has passed: it is ${clockText(now)} on ${today.toString()} in ${viewpoint.timeZone}.`
  throw new UsageError(
    isSameDay(found, now)
      ? `${inPast} Write tomorrow ${words.at(-1)}, or another day.`
      : `${inPast} Write a later one.`,
  )
}

/** Chooses the date, given today's and whether the time of day on a date is still ahead. */
type ChooseDay = (
  today: Temporal.PlainDate,
  isAhead: (date: Temporal.PlainDate) => boolean,
  text: string,
) => Temporal.PlainDate

function parts(words: readonly string[], text: string): { readonly day: ChooseDay; readonly time: TimeOfDay } {
  const { rest, clock } = clockWords(words)
  const day = chooseDay(rest, text)
  if (day === null) throw notUnderstood(text)
  if (clock === null) throw new UsageError(`"${text}" has no time of day: write ${text} 9:00, for example.`)
  return { day, time: timeOfDay(clock, text) }
}

/** The time of day is the last word, or two when am or pm stands alone. */
function clockWords(words: readonly string[]): { readonly rest: readonly string[]; readonly clock: string | null } {
  const joined = /^[ap]m$/.test(words.at(-1) ?? '') ? [...words.slice(0, -2), words.slice(-2).join('')] : words
  const last = joined.at(-1) ?? ''
  const isClock = /^\d{1,2}(?::|[ap]m|$)/.test(last) || last === 'noon' || last === 'midnight'
  return isClock ? { rest: joined.slice(0, -1), clock: last } : { rest: joined, clock: null }
}

function timeOfDay(word: string, text: string): TimeOfDay {
  if (word === 'noon') return { hour: 12, minute: 0, second: 0, millisecond: 0 }
  if (word === 'midnight') return { hour: 0, minute: 0, second: 0, millisecond: 0 }
  const [, hours, minutes, seconds = '0', fraction = '', half] = CLOCK.exec(word) ?? []
  const hour = Number(hours)
  if (half === undefined && minutes === undefined) {
    throw new UsageError(`"${text}": write the time as ${word}:00, or ${word}am or ${word}pm.`)
  }
  const isPossible = hours !== undefined && (half === undefined ? hour < 24 : hour >= 1 && hour <= 12)
  if (!isPossible || Number(minutes ?? 0) > 59 || Number(seconds) > 59) {
    throw new UsageError(`"${text}": ${word} is not a time of day. Write 9:00, 18:30:15, 9am or 9:30pm.`)
  }
  const hourOfDay = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0)
  return {
    hour: hourOfDay,
    minute: Number(minutes ?? 0),
    second: Number(seconds),
    millisecond: Number(fraction.padEnd(3, '0')),
  }
}

/** Null when the words name no day. */
function chooseDay(words: readonly string[], text: string): ChooseDay | null {
  const [first = '', second] = words
  if (words.length === 0) return (today, isAhead) => (isAhead(today) ? today : today.add({ days: 1 }))
  if (first === 'next' && second !== undefined && words.length === 2) {
    const weekday = weekdayOf(second)
    return weekday === null ? null : (today) => today.add({ days: daysUntil(weekday, today.add({ days: 1 })) + 1 })
  }
  if (words.length > 1) return null
  if (first === 'today') return (today) => today
  if (first === 'tomorrow') return (today) => today.add({ days: 1 })
  if (first === 'yesterday') throw new UsageError(`${text} has passed. Write a later one.`)
  const weekday = weekdayOf(first)
  if (weekday !== null) {
    return (today, isAhead) => {
      const date = today.add({ days: daysUntil(weekday, today) })
      return isAhead(date) ? date : date.add({ days: 7 })
    }
  }
  if (/^\d{1,4}[./]\d{1,2}[./]\d{1,4}$/.test(first)) {
    throw new UsageError(
      `"${text}": ${first} means different days in different places. Write year, month and day: 2026-12-24.`,
    )
  }
  return DATE.test(first) ? () => dateOf(first, text) : null
}

function daysUntil(weekday: number, from: Temporal.PlainDate): number {
  return (weekday - from.dayOfWeek + 7) % 7
}

function dateOf(word: string, text: string): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from(word, { overflow: 'reject' })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UsageError(`"${text}": there is no ${word}.`, { cause: error })
  }
}

export function notUnderstood(text: string): UsageError {
  return new UsageError(
    `"${text}" is not a time that I understand. Write one of these:\n${EXAMPLES.map((line) => `  ${line}`).join('\n')}`,
  )
}

/** Shown by every message about a text that means nothing, and by the help. */
export const EXAMPLES: readonly string[] = [
  'in 5m, 1h30m, in 2 days, now                a while from now',
  'today 18:30, tomorrow 9:00 Europe/Berlin    a day, a time, perhaps a time zone',
  'monday 9am, next friday 17:00               a weekday',
  '2026-12-24 18:00, 2026-12-24T18:00:00Z      a date, an instant',
  'every 15m, every day at 9:00, every monday 8:30',
  'PT5M, R3/PT10M                              ISO 8601, as the API takes them',
]

function isSameDay(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): boolean {
  return a.toPlainDate().equals(b.toPlainDate())
}

function clockText(moment: Temporal.ZonedDateTime): string {
  return moment.toPlainTime().toString({ smallestUnit: 'minute' })
}
