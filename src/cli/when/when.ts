// When a timer shall fire, as people type it, turned into what the API takes. A time from now stays a duration, so that
// it counts from the moment at which the service has it and no clock but the service's decides.

import { DuetimeError } from '../../core/errors.ts'
import { parseTimeZone, parseZonedInstant } from '../../core/time/instant.ts'
import { looksLikeCron } from '../../core/time/cron/cron-expression.ts'
import { firstFiring } from '../../core/time/firings.ts'
import { looksLikeRRule } from '../../core/time/rrule/rrule.ts'
import { parseSchedule } from '../../core/time/schedule.ts'
import { cronOfWords } from '../../core/time/written-schedule.ts'
import { UsageError } from '../command/usage-error.ts'
import { notUnderstood, readMoment, weekdayOf } from './moment.ts'
import type { Viewpoint } from './moment.ts'
import { readSpan, unitSpan } from './span.ts'
import type { Span } from './span.ts'

/** Fields of a request. */
export type When =
  | { readonly executeAt: string; readonly timeZone?: never; readonly schedule?: never }
  | { readonly schedule: string; readonly timeZone?: string; readonly executeAt?: never }

/** Throws a UsageError that says what is right. */
export function readWhen(text: string, viewpoint: Viewpoint): When {
  const clean = text.trim().replaceAll(/\s+/g, ' ')
  if (clean === '') throw notUnderstood(text)
  const when = understood(clean, viewpoint)
  assertPossible(when, viewpoint)
  return when
}

/** For options that mean one moment, such as `--due-before`: also a time from now. In ISO 8601, UTC; it may be past. */
export function readInstant(text: string, viewpoint: Viewpoint): string {
  const clean = text.trim().replaceAll(/\s+/g, ' ')
  const [, past] = /^(.*\S) ago$/i.exec(clean) ?? []
  const span = readSpan(past ?? clean.replace(/^in /i, ''))
  if (span === null) {
    const when = understood(clean, viewpoint)
    if (when.executeAt === undefined)
      throw new UsageError(`"${text}" is not one moment. Write tomorrow 9:00, in 2h or 3d ago.`)
    return when.executeAt
  }
  const now = Temporal.Instant.fromEpochMilliseconds(viewpoint.now).toZonedDateTimeISO(viewpoint.timeZone)
  const duration = Temporal.Duration.from(span.iso)
  return (past === undefined ? now.add(duration) : now.subtract(duration)).toInstant().toString()
}

function understood(text: string, viewpoint: Viewpoint): When {
  if (/^R\d*\//.test(text) || /^P[\dT]/.test(text)) return { schedule: text }
  if (/^\d{4}-\d{2}-\d{2}T/.test(text)) return { executeAt: instantOf(text, viewpoint) }
  if (text.startsWith('@') || (looksLikeCron(text) && /^[\d*,/-]+ [\d*,/-]+ /.test(text)))
    return cronIn(text, viewpoint.timeZone)
  if (looksLikeRRule(text)) return cronIn(text, viewpoint.timeZone)
  const { words, timeZone } = withoutZone(text.split(' '))
  const zone = timeZone ?? viewpoint.timeZone
  const from = { ...viewpoint, timeZone: zone }
  const first = words[0]?.toLowerCase()
  if (words.length === 0) throw notUnderstood(text)
  if (words.length === 1 && first === 'now') return { schedule: 'PT0S' }
  if (first === 'every') return cycleOf(words.slice(1), from, text)
  if (words.at(-1)?.toLowerCase() === 'ago')
    throw new UsageError(`${text} has passed. Write a later one, such as in 5m.`)
  const span = readSpan((first === 'in' ? words.slice(1) : words).join(' '))
  if (span !== null) return { schedule: span.iso, ...zoneFor(span, zone) }
  if (first === 'in') throw new UsageError(`"${text}": write in 5m, in 1h30m or in 2 days.`)
  return { executeAt: readMoment(words, from).toInstant().toString() }
}

/** An ISO date and time; without an offset it is on the viewer's clocks. */
function instantOf(text: string, { timeZone }: Viewpoint): string {
  const isLocal = /^\d{4}-\d{2}-\d{2}T[\d:.,]+$/.test(text)
  try {
    if (isLocal)
      return Temporal.PlainDateTime.from(text, { overflow: 'reject' }).toZonedDateTime(timeZone).toInstant().toString()
    return Temporal.Instant.fromEpochMilliseconds(parseZonedInstant(text).at).toString()
  } catch (error) {
    if (error instanceof DuetimeError) throw new UsageError(error.message, { cause: error })
    if (!(error instanceof RangeError)) throw error
    throw new UsageError(
      `"${text}" is not a date and time that exists. Write 2026-12-24T18:00 or 2026-12-24T18:00:00Z.`,
      { cause: error },
    )
  }
}

const OFFSET = /^[+-]\d{2}:\d{2}$/
const ZONE_WORD = /^(?:[A-Za-z][\w+-]*(?:\/[\w+-]+)+|UTC|GMT|Z|[A-Z]{3,4})$/

/** A time zone is the last word, if it is one. */
function withoutZone(words: readonly string[]): {
  readonly words: readonly string[]
  readonly timeZone: string | null
} {
  const last = words.at(-1) ?? ''
  if (!OFFSET.test(last) && !ZONE_WORD.test(last)) return { words, timeZone: null }
  if (weekdayOf(last.toLowerCase()) !== null || last.toLowerCase() === 'ago') return { words, timeZone: null }
  try {
    return { words: words.slice(0, -1), timeZone: parseTimeZone(last === 'Z' ? 'UTC' : last) }
  } catch (error) {
    if (error instanceof DuetimeError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}

/** every 15m · every day at 9:00 · every monday 8:30 · every 2 weeks from friday 17:00 · every hour 10 times */
function cycleOf(given: readonly string[], from: Viewpoint, text: string): When {
  const days = given.map((word) => word.toLowerCase())
  const isDays = /^week(?:day|end)s?$/.test(days[0] ?? '') || days.join(' ').match(/,|\band\b/) !== null
  const cron = isDays ? cronOfWords(days.join(' ')) : null
  if (cron !== null) return cronIn(cron, from.timeZone)
  const { words, repetitions } = withoutRepetitions(given)
  const { length, start } = lengthAndStart(words)
  const span = (length.length === 1 ? unitSpan(length[0]!.toLowerCase()) : null) ?? readSpan(length.join(' '))
  if (span === null) throw new UsageError(`"${text}": write ${CYCLES}.`)
  const first = start === null ? '' : `${startText(readMoment(start, from))}/`
  return { schedule: `R${repetitions}/${first}${span.iso}`, ...zoneFor(span, from.timeZone) }
}

/** Whose clocks: those of the viewer, unless another zone is named. */
function cronIn(schedule: string, timeZone: string): When {
  return timeZone === 'UTC' ? { schedule } : { schedule, timeZone }
}

const CYCLES =
  'every 15m, every weekday at 9:00, every day at 9:00, every monday 8:30 or every 2 weeks from friday 17:00'

type CycleWords = { readonly length: readonly string[]; readonly start: readonly string[] | null }

/** What it is repeated after, and the words for when it begins. */
function lengthAndStart(words: readonly string[]): CycleWords {
  const [first = '', second] = words.map((word) => word.toLowerCase())
  if (weekdayOf(first) !== null) return { length: ['week'], start: words }
  const split = words.findIndex((word) => ['at', 'from'].includes(word.toLowerCase()))
  if (split >= 0) return { length: words.slice(0, split), start: words.slice(split + 1) }
  return first === 'day' && second !== undefined
    ? { length: ['day'], start: words.slice(1) }
    : { length: words, start: null }
}

function withoutRepetitions(words: readonly string[]): {
  readonly words: readonly string[]
  readonly repetitions: string
} {
  const [count = '', last] = words.slice(-2)
  return last?.toLowerCase() === 'times' && /^\d+$/.test(count)
    ? { words: words.slice(0, -2), repetitions: count }
    : { words, repetitions: '' }
}

/** The zone goes into a field of its own, where the service keeps it for the calendar. */
function startText(moment: Temporal.ZonedDateTime): string {
  return moment.toString({ timeZoneName: 'never' })
}

/** Days and months are those of the viewer's calendar; hours are the same everywhere. */
function zoneFor({ isCalendar }: Span, timeZone: string): { readonly timeZone?: string } {
  return isCalendar && timeZone !== 'UTC' ? { timeZone } : {}
}

/** Asked here already, so that the message is about what was typed. */
function assertPossible(when: When, { now }: Viewpoint): void {
  try {
    const { dueAt } = firstFiring(parseSchedule(when.schedule ?? when.executeAt, when.timeZone ?? null), now)
    if (dueAt <= now && when.schedule === undefined)
      throw new UsageError(`${when.executeAt} has passed. Write a later one, such as in 5m or tomorrow 9:00.`)
  } catch (error) {
    throw error instanceof DuetimeError ? new UsageError(error.message, { cause: error }) : error
  }
}
