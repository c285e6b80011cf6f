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
import type { Point, Recurrence } from './recurring/recurrence.ts'
import { rruleRecurrence } from './rrule/rrule-recurrence.ts'
import { HORIZON, parseSchedule, tooFar } from './schedule.ts'
import type { LocalSchedule, Schedule } from './schedule.ts'
import { unusualIn } from './unusual.ts'
import type { Reason } from './unusual.ts'
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
const UNSPREAD = '0'

/** Of a timer that is made now. A past instant is answered as it is, for the caller to judge. */
export function firstFiring(schedule: Schedule, now: Millis, uuid: string = UNSPREAD): Firing {
  const firing = isRepeating(schedule) ? firstPoint(schedule, now, uuid) : onlyFiring(schedule, now, uuid)
  // The calendar is asked only in the border region: no 100 years are shorter than so many times 365 days.
  const mayBeTooFar = firing.dueAt - now > DELAY_MAX_YEARS * 365 * DAY
  if (mayBeTooFar && firing.dueAt > addDuration(now, HORIZON, 1, schedule.timeZone))
    throw tooFar(schedule.text, schedule.text)
  return firing
}

function onlyFiring(schedule: Exclude<Schedule, Repeating>, now: Millis, uuid: string): Firing {
  const { rules } = schedule
  const nominalAt =
    schedule.kind === 'instant'
      ? schedule.at
      : schedule.kind === 'local'
        ? localInstant(schedule)
        : addDuration(now, schedule.duration, 1, schedule.timeZone)
  return { nominalAt, dueAt: nominalAt + spreadShift({ uuid, rules }), anchorAt: null, iteration: 1, rules }
}

/** When clocks in the zone show the local time. One firing has one time, so of two it is the first unless the second is asked for. */
function localInstant({ local, timeZone, rules, text }: LocalSchedule): Millis {
  const [at] = resolveLocal(zoneOf(timeZone), local, { ...DST_DEFAULT, ...rules?.dst })
  if (at !== undefined) return at
  const why = `clocks in ${timeZone} skip "${text}", and dst.gap is skip`
  throw invalidSchedule('range', `There is no such time: ${why}. Give another time, or shift instead of skip.`, text)
}

function firstPoint(schedule: Repeating, now: Millis, uuid: string): Firing {
  const { rules } = schedule
  const from = Math.max(now, rules?.startAt ?? now)
  const first = recurrenceOf(schedule).first(schedule, from)
  const point = first === null ? null : within(withLastIteration(rules, null, schedule), first.point)
  if (first === null || point === null) throw noneLeft(schedule)
  const { maxFirings } = rules ?? {}
  return {
    nominalAt: point.at,
    dueAt: point.at + spreadShift({ uuid, rules }),
    anchorAt: first.anchorAt,
    iteration: point.iteration,
    rules: withLastIteration(rules, maxFirings === undefined ? null : point.iteration + maxFirings - 1, schedule),
  }
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

/** Null when the rules end the schedule before. */
function within(rules: FiringRules | null, point: Point | null): Point | null {
  if (point === null || rules === null) return point
  return point.at > (rules.endAt ?? Infinity) || point.iteration > (rules.lastIteration ?? Infinity) ? null : point
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

/** `reasons`: why it is not simply when the schedule says. */
export type PreviewedFiring = Iteration & { readonly reasons: readonly Reason[] }

/** The due times a timer would have if it were made now; fewer than `count` when the schedule ends before. */
export function upcomingFirings(schedule: Schedule, now: Millis, count: number): Millis[] {
  return previewFirings(schedule, now, { count }).map(({ dueAt }) => dueAt)
}

export type PreviewRange = {
  readonly count: number
  /** Only those due at `from` or later, and before `to`. */
  readonly from?: Millis | undefined
  readonly to?: Millis | undefined
  readonly uuid?: string | undefined
}

export function previewFirings(
  schedule: Schedule,
  now: Millis,
  { count, from, to = Infinity, uuid = UNSPREAD }: PreviewRange,
): PreviewedFiring[] {
  const firings: PreviewedFiring[] = []
  const first = firstFiring(schedule, now, uuid)
  const timer = { ...first, uuid, schedule: schedule.text, timeZone: schedule.timeZone }
  let next: Iteration | null =
    from === undefined || first.dueAt >= from ? first : isRepeating(schedule) ? after(schedule, timer, from) : null
  while (next !== null && next.dueAt < to && firings.length < count) {
    const { iteration, nominalAt, dueAt } = next
    const reasons = unusualIn(schedule, next, first.anchorAt)
    firings.push({ iteration, nominalAt, dueAt, reasons })
    next = isRepeating(schedule) ? after(schedule, { ...timer, iteration, nominalAt }, null) : null
  }
  return firings
}

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
export function nextIteration(timer: Scheduled, from: Millis | null): Iteration | null {
  const schedule = repeatedSchedule(timer)
  return schedule && after(schedule, timer, from)
}

/** The last one after the current that is due at `at` or before; null when there is none. */
export function lastIterationUntil(timer: Scheduled, at: Millis): Iteration | null {
  const schedule = repeatedSchedule(timer)
  if (schedule === null) return null
  const { rules } = timer
  const shift = spreadShift(timer)
  const until = Math.min(at - shift, rules?.endAt ?? Infinity)
  const last = recurrenceOf(schedule).lastUntil(schedule, timer.anchorAt!, pointOf(timer), until)
  const isPast = last !== null && last.iteration > (rules?.lastIteration ?? Infinity)
  return last === null || isPast ? null : iterationAt(last, shift)
}

function after(schedule: Repeating, timer: Scheduled, from: Millis | null): Iteration | null {
  const recurrence = recurrenceOf(schedule)
  const shift = spreadShift(timer)
  const next =
    from === null
      ? recurrence.after(schedule, timer.anchorAt!, pointOf(timer))
      : recurrence.afterFrom(schedule, timer.anchorAt!, pointOf(timer), from - shift)
  const point = within(timer.rules, next)
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

function iterationAt({ iteration, at }: Point, shift: Millis): Iteration {
  return { iteration, nominalAt: at, dueAt: at + shift }
}

function repeatedSchedule(timer: Scheduled): Repeating | null {
  if (!repeats(timer) || timer.schedule === null) return null
  const schedule = parseSchedule(timer.schedule, timer.timeZone, timer.rules)
  return isRepeating(schedule) ? schedule : null
}
