// The due times that follow from a schedule. Each kind of schedule that repeats has one object that computes its points; others
// ask only whether it repeats. Between a point and the due time stand the rules that were given beside the schedule: when it
// begins and ends, and how firings are spread.

import { invalidSchedule } from '../errors.ts'
import { DELAY_MAX_YEARS } from '../limits.ts'
import { cronDst, cronRecurrence } from './cron/cron-recurrence.ts'
import { cycleRecurrence, instantsOf } from './recurring/cycle-recurrence.ts'
import { addDuration } from './duration.ts'
import { spreadShift } from './firing-rules.ts'
import type { FiringRules } from './firing-rules.ts'
import type { Millis } from './millis.ts'
import { calendarIn, PointsOnCalendar } from './recurring/on-calendar.ts'
import type { Calendars, FiringPoint } from './recurring/on-calendar.ts'
import type { Point, Recurrence } from './recurring/recurrence.ts'
import { rruleRecurrence } from './rrule/rrule-recurrence.ts'
import { HORIZON, parseSchedule, tooFar, writtenText } from './schedule.ts'
import type { LocalSchedule, Schedule } from './schedule.ts'
import { DST_DEFAULT, resolveLocal } from './zone/local-rule.ts'
import { zoneDataVersion, zoneOf } from './zone/zone.ts'

/** `anchorAt`: from where the grid of a schedule that repeats is counted; null for one-shots. */
export type Firing = {
  readonly dueAt: Millis
  /** When the schedule says it is; `dueAt` is later where firings are spread. */
  readonly nominalAt: Millis
  readonly anchorAt: Millis | null
  readonly iteration: number
  /** Those of the schedule, with what follows from them once it is known when it begins. */
  readonly rules: FiringRules | null
}

type Repeating = Extract<Schedule, { kind: 'cycle' | 'cron' | 'rrule' }>

const RECURRENCES = { cycle: cycleRecurrence, cron: cronRecurrence, rrule: rruleRecurrence }

function recurrenceOf(schedule: Repeating): Recurrence<Schedule> {
  return RECURRENCES[schedule.kind] as Recurrence<Schedule>
}

export function isRepeating(schedule: Schedule): schedule is Repeating {
  return schedule.kind in RECURRENCES
}

const DAY = 86_400_000
/** For previews of schedules that are nobody's yet: the first of all that share a spread. */
export const UNSPREAD = '0'

/** Of a timer that is made now. A past instant is answered as it is, for the caller to judge. */
export function firstFiring(schedule: Schedule, now: Millis, uuid: string = UNSPREAD, calendars?: Calendars): Firing {
  const firing = isRepeating(schedule)
    ? firstPoint(schedule, now, uuid, calendars)
    : onlyFiring(schedule, now, uuid, calendars)
  // The calendar is asked only in the border region: no 100 years are shorter than so many times 365 days.
  const mayBeTooFar = firing.dueAt - now > DELAY_MAX_YEARS * 365 * DAY
  if (mayBeTooFar && firing.dueAt > addDuration(now, HORIZON, 1, schedule.timeZone))
    throw tooFar(writtenText(schedule), writtenText(schedule))
  return firing
}

type MaybeCalendars = Calendars | undefined

function onlyFiring(
  schedule: Exclude<Schedule, Repeating>,
  now: Millis,
  uuid: string,
  calendars: MaybeCalendars,
): Firing {
  const { rules } = schedule
  const nominalAt =
    schedule.kind === 'instant'
      ? schedule.at
      : schedule.kind === 'local'
        ? localInstant(schedule)
        : addDuration(now, schedule.duration, 1, schedule.timeZone)
  const firesAt = calendarIn(rules, calendars)?.calendar.nextAllowed(nominalAt) ?? nominalAt
  return { nominalAt, dueAt: firesAt + spreadShift({ uuid, rules }), anchorAt: null, iteration: 1, rules }
}

/** When clocks in the zone show the local time. One firing has one time, so of two it is the first unless the second is asked for. */
function localInstant({ local, timeZone, rules, text }: LocalSchedule): Millis {
  const [at] = resolveLocal(zoneOf(timeZone), local, { ...DST_DEFAULT, ...rules?.dst })
  if (at !== undefined) return at
  const why = `clocks in ${timeZone} skip "${text}", and dst.gap is skip`
  throw invalidSchedule('range', `There is no such time: ${why}. Give another time, or shift instead of skip.`, text)
}

function firstPoint(schedule: Repeating, now: Millis, uuid: string, calendars: MaybeCalendars): Firing {
  const { rules } = schedule
  const from = Math.max(now, rules?.startAt ?? now)
  const first = recurrenceOf(schedule).first(schedule, from)
  const left = first && pointsOf(schedule, first.anchorAt, calendars).left(first.point)
  const point = within(withLastIteration(rules, null, schedule), left)
  if (first === null || point === null) throw noneLeft(schedule)
  const on = calendarIn(rules, calendars)
  if (on?.onExcluded === 'skip' && !on.calendar.isAllowed(point.at)) throw allExcluded(schedule)
  const { maxFirings } = rules ?? {}
  return {
    nominalAt: point.at,
    dueAt: point.firesAt + spreadShift({ uuid, rules }),
    anchorAt: first.anchorAt,
    iteration: point.iteration,
    rules: withLastIteration(rules, maxFirings === undefined ? null : point.iteration + maxFirings - 1, schedule),
  }
}

function pointsOf(schedule: Repeating, anchorAt: Millis, calendars: MaybeCalendars): PointsOnCalendar<Repeating> {
  return new PointsOnCalendar(recurrenceOf(schedule), schedule, anchorAt, calendarIn(schedule.rules, calendars))
}

function allExcluded({ text, rules }: Repeating): Error {
  const message = `"${text}" never fires: the calendar "${rules!.calendar!.name}" excludes all of its next iterations.`
  return invalidSchedule('range', message, text)
}

/** A rule of iCalendar says itself how many it has. */
function withLastIteration(rules: FiringRules | null, byMax: number | null, schedule: Repeating): FiringRules | null {
  const byCount = schedule.kind === 'rrule' ? schedule.rule.count : null
  if (byMax === null && byCount === null) return rules
  return { ...rules, lastIteration: Math.min(byMax ?? Infinity, byCount ?? Infinity) }
}

function noneLeft({ kind, text, rules }: Repeating): Error {
  if (kind === 'cron' && rules?.endAt === undefined) {
    return invalidSchedule('range', `"${text}" never fires: no such day comes within ${DELAY_MAX_YEARS} years.`, text)
  }
  const message = `No iteration of "${text}" lies in the future; start it later, end it later or repeat it more often.`
  return invalidSchedule('past', message, text)
}

/**
 * Null when the rules end the schedule before. Of iterations that a calendar moves to one moment, more than there are left are the
 * last one.
 */
function within(rules: FiringRules | null, point: FiringPoint | null, follows = 0): FiringPoint | null {
  if (point === null || rules === null) return point
  const { endAt = Infinity, lastIteration = Infinity } = rules
  if (point.firesAt > endAt) return null
  if (point.iteration <= lastIteration) return point
  return point.firesAt > point.at && follows < lastIteration ? { ...point, iteration: lastIteration } : null
}

/** What a timer keeps of its schedule. */
export type Scheduled = {
  readonly uuid: string
  readonly schedule: string | null
  readonly timeZone: string | null
  readonly rules: FiringRules | null
  readonly anchorAt: Millis | null
  readonly iteration: number
  readonly nominalAt: Millis
}
export type Iteration = Pick<Firing, 'iteration' | 'nominalAt' | 'dueAt'>

/** Whether the timer has a schedule with more than one firing, also when none of them is left. */
export function repeats({ anchorAt }: Pick<Scheduled, 'anchorAt'>): boolean {
  return anchorAt !== null
}

/** When an iteration of the timer's cycle is due; null when there is no such iteration, or the timer has no cycle. */
export function iterationOf(timer: Scheduled, iteration: number): { readonly dueAt: Millis } | null {
  const schedule = repeatedSchedule(timer)
  const at = schedule === null ? null : firingOf(schedule, timer.anchorAt, iteration)
  return at === null ? null : { dueAt: at + spreadShift(timer) }
}

/** When an iteration of a cycle is due, the first being 1; null after the last one, and for any other schedule. */
export function firingOf(schedule: Schedule, anchorAt: Millis | null, iteration: number): Millis | null {
  if (schedule.kind !== 'cycle') return null
  const anchor = anchorAt ?? schedule.startAt
  if (anchor === null) throw new TypeError(`the cycle "${schedule.text}" was stored without its anchor`)
  return instantsOf(schedule, anchor, iteration)?.[0] ?? null
}

/** The one after the current; with `from`, the first of those that is due then or later. Null at the end. */
export function nextIteration(timer: Scheduled, from: Millis | null, calendars?: Calendars): Iteration | null {
  const schedule = repeatedSchedule(timer)
  return schedule && after(schedule, timer, from, calendars)
}

/** The last one after the current that is due at `at` or before; null when there is none. */
export function lastIterationUntil(timer: Scheduled, at: Millis, calendars?: Calendars): Iteration | null {
  const schedule = repeatedSchedule(timer)
  if (schedule === null) return null
  const { rules } = timer
  const shift = spreadShift(timer)
  const until = Math.min(at - shift, rules?.endAt ?? Infinity)
  const last = pointsOf(schedule, timer.anchorAt!, calendars).lastUntil(pointOf(timer), until)
  const isPast = last !== null && last.iteration > (rules?.lastIteration ?? Infinity)
  return last === null || isPast ? null : iterationAt(last, shift)
}

/**
 * For a firing that has come due: its calendar may have changed since its time was computed. What fires instead, if it is excluded
 * by now; null when nothing is left, undefined when it fires as it is.
 */
export function insteadOf(
  timer: Scheduled & Pick<Firing, 'dueAt'>,
  now: Millis,
  calendars?: Calendars,
): Iteration | null | undefined {
  const on = calendarIn(timer.rules, calendars)
  if (on === null || on.calendar.isAllowed(timer.nominalAt)) return undefined
  const shift = spreadShift(timer)
  const schedule = repeatedSchedule(timer)
  if (on.onExcluded === 'skip') {
    // If its receiver has moved it, that time was asked for.
    const isAsked = timer.dueAt !== timer.nominalAt + shift
    return isAsked || schedule === null ? undefined : after(schedule, timer, null, calendars)
  }
  const dueAt = on.calendar.nextAllowed(timer.nominalAt) + shift
  if (dueAt <= now) return undefined
  if (schedule === null) return { iteration: timer.iteration, nominalAt: timer.nominalAt, dueAt }
  const left = within(timer.rules, pointsOf(schedule, timer.anchorAt!, calendars).left(pointOf(timer)))
  return left && iterationAt(left, shift)
}

function after(
  schedule: Repeating,
  timer: Scheduled,
  from: Millis | null,
  calendars: MaybeCalendars,
): Iteration | null {
  const shift = spreadShift(timer)
  const points = pointsOf(schedule, timer.anchorAt!, calendars)
  const point = within(timer.rules, points.after(pointOf(timer), from === null ? null : from - shift), timer.iteration)
  return point === null ? null : iterationAt(point, shift)
}

/** By which zone data the time was computed; null for a schedule that does not follow the clocks of a zone. */
export function zoneStamp({ schedule, timeZone, nominalAt }: Pick<Scheduled, 'schedule' | 'timeZone' | 'nominalAt'>) {
  // A duration counts from the moment of creation, which is an instant.
  if (timeZone === null || schedule === null || schedule.startsWith('P')) return null
  return { data: zoneDataVersion(), offsetMs: zoneOf(timeZone).offsetAt(nominalAt) }
}

/** When the current firing is by the zone data of today, if it was computed when clocks there were `offsetMs` ahead of UTC. */
export function nominalToday(timer: Scheduled, offsetMs: Millis): Millis {
  const { nominalAt, iteration, anchorAt, timeZone, rules } = timer
  const schedule = parseSchedule(timer.schedule!, timeZone, rules)
  const dst = schedule.kind === 'cron' ? cronDst(schedule) : { ...DST_DEFAULT, ...rules?.dst }
  const instants =
    schedule.kind === 'cycle'
      ? (instantsOf(schedule, anchorAt!, iteration) ?? [])
      : resolveLocal(zoneOf(timeZone!), schedule.kind === 'local' ? schedule.local : nominalAt + offsetMs, dst)
  if (instants.length > 0) return nearest(instants, nominalAt)
  // Clocks skip it now, and it is not to be shifted.
  const next = isRepeating(schedule) ? recurrenceOf(schedule).after(schedule, anchorAt!, pointOf(timer)) : null
  return next?.at ?? nominalAt
}

function nearest(instants: readonly Millis[], to: Millis): Millis {
  return instants.reduce((best, one) => (Math.abs(one - to) < Math.abs(best - to) ? one : best))
}

function pointOf({ iteration, nominalAt }: Scheduled): Point {
  return { iteration, at: nominalAt }
}

function iterationAt({ iteration, at, firesAt }: FiringPoint, shift: Millis): Iteration {
  return { iteration, nominalAt: at, dueAt: firesAt + shift }
}

function repeatedSchedule(timer: Scheduled): Repeating | null {
  if (!repeats(timer) || timer.schedule === null) return null
  const schedule = parseSchedule(timer.schedule, timer.timeZone, timer.rules)
  return isRepeating(schedule) ? schedule : null
}
