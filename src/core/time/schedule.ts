// When a timer fires. What due times follow from a schedule is in firings.ts.
//   an instant   2030-01-31T09:00:00Z
//   a duration   PT10M                            counted from the moment of creation
//   a cycle      R3/PT10M  R/2030-01-31T09:00:00Z/P1M
//   a local time 2030-01-31T09:00:00              on the clocks of a time zone
//   cron         0 9 * * MON-FRI  @daily
//   a rule       RRULE:FREQ=MONTHLY;BYDAY=-1FR    of iCalendar
// The first three are the grammar that all contracts share; the others are for those who ask for them.

import { checkLength, lengthMs, parseIsoDuration } from './duration.ts'
import type { IsoDuration } from './duration.ts'
import { invalidSchedule } from '../errors.ts'
import type { DuetimeError } from '../errors.ts'
import { looksLikeCron, parseCron } from './cron/cron-expression.ts'
import type { CronExpression } from './cron/cron-expression.ts'
import { parseLocalTime, parseTimeZone, parseZonedInstant } from './instant.ts'
import type { FiringRules } from './firing-rules.ts'
import { looksLikeRRule, parseRRule } from './rrule/rrule.ts'
import type { RRule } from './rrule/rrule.ts'
import { CYCLE_REPETITIONS_MAX, DELAY_MAX_YEARS, DELAY_MIN_MS } from '../limits.ts'
import type { Millis } from './millis.ts'

export { parseInstant } from './instant.ts'

type Written = {
  /** As the client wrote it; empty for an instant that came as a number. */
  readonly text: string
  /** Whose calendar and wall clock the duration follows; null is UTC. */
  readonly timeZone: string | null
  /** What was said beside it; null when that was nothing. */
  readonly rules: FiringRules | null
}
export type InstantSchedule = Written & { readonly kind: 'instant'; readonly at: Millis }
export type DurationSchedule = Written & { readonly kind: 'duration'; readonly duration: IsoDuration }
export type CycleSchedule = Written & {
  readonly kind: 'cycle'
  /** null repeats for ever. */
  readonly repetitions: number | null
  /** When the first iteration is due; null means one duration after creation. */
  readonly startAt: Millis | null
  readonly duration: IsoDuration
}
/** `local` is what clocks in the zone show, in milliseconds as if it were UTC. */
export type LocalSchedule = Written & { readonly kind: 'local'; readonly local: Millis; readonly timeZone: string }
export type CronSchedule = Written & {
  readonly kind: 'cron'
  readonly expression: CronExpression
}
export type RRuleSchedule = Written & {
  readonly kind: 'rrule'
  readonly rule: RRule
  /** DTSTART, as a local time; null is the moment of creation. */
  readonly start: Millis | null
}
export type Schedule = InstantSchedule | LocalSchedule | DurationSchedule | CycleSchedule | CronSchedule | RRuleSchedule

/** An instant that came as a number: nobody wrote it as text. */
export function instantSchedule(at: Millis): InstantSchedule {
  return { kind: 'instant', text: '', timeZone: null, rules: null, at }
}

/** What an error quotes. */
export function writtenText(schedule: Schedule): string {
  return schedule.kind === 'instant' && schedule.text === '' ? new Date(schedule.at).toISOString() : schedule.text
}

const DAY = 86_400_000
/** A year is at most 365.25 days on average, so that P100Y, P1200M and P36525D are all just within the limit. */
const AVERAGE = { yearMs: 365.25 * DAY, monthMs: (365.25 * DAY) / 12 }
/** How far ahead a timer may be due. */
export const HORIZON: IsoDuration = {
  years: DELAY_MAX_YEARS,
  months: 0,
  weeks: 0,
  days: 0,
  hours: 0,
  minutes: 0,
  milliseconds: 0,
}

type Beside = { readonly timeZone?: string | null; readonly rules?: FiringRules | null }

/** Every kind. */
export function parseSchedule(
  text: string,
  timeZone: string | null = null,
  rules: FiringRules | null = null,
): Schedule {
  checkLength(text)
  const zone = timeZone === null ? null : parseTimeZone(timeZone)
  if (looksLikeCron(text)) return { kind: 'cron', expression: parseCron(text), timeZone: zone, rules, text }
  if (looksLikeRRule(text)) {
    const { rule, start, timeZone: own } = parseRRule(text)
    return { kind: 'rrule', rule, start, timeZone: oneZone(own, zone, text), rules, text }
  }
  const local = zone !== null || text.endsWith(']') ? parseLocalTime(text) : null
  if (local === null) return parseIsoSchedule(text, { timeZone: zone, rules })
  return { kind: 'local', local: local.local, timeZone: oneZone(local.timeZone, zone, text)!, rules, text }
}

/** An instant, a duration or a cycle. */
export function parseIsoSchedule(text: string, { timeZone = null, rules = null }: Beside = {}): Schedule {
  checkLength(text)
  const zone = timeZone === null ? null : parseTimeZone(timeZone)
  if (text.startsWith('P'))
    return { kind: 'duration', duration: parseDelay(text, text, { orNone: true }), timeZone: zone, rules, text }
  if (text.startsWith('R')) return parseCycle(text, zone, rules)
  if (!/^\d{4}-/.test(text)) {
    throw invalidSchedule(
      'format',
      `"${text}" is not a schedule: write an instant (2030-01-31T09:00:00Z), a duration (PT10M) or a cycle (R3/PT10M).`,
      text,
    )
  }
  const instant = parseZonedInstant(text)
  return { kind: 'instant', at: instant.at, timeZone: oneZone(instant.timeZone, zone, text), rules, text }
}

function parseCycle(text: string, zone: string | null, rules: FiringRules | null): CycleSchedule {
  const first = text.indexOf('/')
  const last = text.lastIndexOf('/') // a start may have a slash of its own, in its time zone
  const head = /^R(\d*)$/.exec(first < 0 ? text : text.slice(0, first))
  if (head === null || first < 0) {
    throw invalidSchedule(
      'format',
      `"${text}" is not a cycle: write R/PT10M, R3/PT10M or R3/2030-01-31T09:00:00Z/PT10M.`,
      text,
    )
  }
  const duration = parseDelay(text.slice(last + 1), text)
  const start = first === last ? null : parseZonedInstant(text.slice(first + 1, last), text)
  const repetitions = head[1] === '' ? null : Number(head[1])
  if (repetitions !== null && (repetitions < 1 || repetitions > CYCLE_REPETITIONS_MAX)) {
    const fix = `repeat 1 to ${CYCLE_REPETITIONS_MAX} times, or write R without a number to repeat for ever`
    throw invalidSchedule('range', `"${text}" repeats ${head[1]} times: ${fix}.`, text)
  }
  return {
    kind: 'cycle',
    repetitions,
    startAt: start?.at ?? null,
    duration,
    timeZone: oneZone(start?.timeZone ?? null, zone, text),
    rules,
    text,
  }
}

/** `orNone`: no time at all is at once. */
function parseDelay(text: string, provided: string, { orNone = false } = {}): IsoDuration {
  const duration = parseIsoDuration(text, provided)
  const ms = lengthMs(duration, AVERAGE)
  if (ms < DELAY_MIN_MS && !(orNone && ms === 0)) throw tooShort(text, provided)
  if (ms > lengthMs(HORIZON, AVERAGE)) throw tooFar(text, provided)
  return duration
}

export function tooShort(text: string, provided: string): DuetimeError {
  return invalidSchedule('range', `"${text}" is too short: the shortest duration is 1 second (PT1S).`, provided)
}

function oneZone(written: string | null, asked: string | null, provided: string): string | null {
  if (written === null || asked === null || written === asked) return written ?? asked
  throw invalidSchedule(
    'format',
    `The schedule names the time zone ${written} and the request ${asked}; leave one of them out.`,
    provided,
  )
}

export function tooFar(text: string, provided: string): Error {
  return invalidSchedule(
    'range',
    `"${text}" is too far ahead: a timer is due within ${DELAY_MAX_YEARS} years.`,
    provided,
  )
}
