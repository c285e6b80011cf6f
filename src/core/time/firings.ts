// The due times that follow from a schedule. Each kind of schedule has one object here that computes them; others ask only
// whether it repeats. Firings of a cycle sit on the grid anchor + n × duration, each computed from the anchor alone, so that
// neither slow callbacks nor downtime nor short months ever shift the ones that follow.

import { invalidSchedule } from '../errors.ts'
import { DELAY_MAX_YEARS } from '../limits.ts'
import { addDuration, stepsToReach } from './duration.ts'
import { NEVER } from './millis.ts'
import type { Millis } from './millis.ts'
import { HORIZON, parseSchedule, tooFar } from './schedule.ts'
import type { CycleSchedule, DurationSchedule, InstantSchedule, Schedule } from './schedule.ts'

/** `anchorAt`: from where the grid of a schedule that repeats is counted; null for one-shots. */
export type Firing = { readonly dueAt: Millis; readonly anchorAt: Millis | null; readonly iteration: number }

type Firings<S extends Schedule> = {
  readonly first: (schedule: S, now: Millis) => Firing
  /** When an iteration is due, the first being 1; null after the last one. Absent: the schedule does not repeat. */
  readonly dueAt?: (schedule: S, anchorAt: Millis | null, iteration: number) => Millis | null
  /** The last iteration that is due before `at`; 0 when none is. */
  readonly lastBefore?: (schedule: S, anchorAt: Millis | null, at: Millis) => number
}

const instant: Firings<InstantSchedule> = { first: ({ at }) => ({ dueAt: at, anchorAt: null, iteration: 1 }) }

const duration: Firings<DurationSchedule> = {
  first: (schedule, now) => ({
    dueAt: addDuration(now, schedule.duration, 1, schedule.timeZone),
    anchorAt: null,
    iteration: 1,
  }),
}

const cycle: Firings<CycleSchedule> = {
  /** One that began in the past joins in at its next grid point. */
  first: (schedule, now) => {
    const anchorAt = schedule.startAt ?? now
    const iteration = cycle.lastBefore!(schedule, anchorAt, now) + 1
    const dueAt = cycle.dueAt!(schedule, anchorAt, iteration)
    if (dueAt !== null) return { dueAt, anchorAt, iteration }
    const message = `All iterations of "${schedule.text}" lie in the past; start it later or repeat it more often.`
    throw invalidSchedule('past', message, schedule.text)
  },
  dueAt: (schedule, anchorAt, iteration) => {
    if (iteration < 1 || iteration > (schedule.repetitions ?? Infinity)) return null
    const steps = iteration - iterationAtAnchor(schedule)
    const dueAt = addDuration(anchorOf(schedule, anchorAt), schedule.duration, steps, schedule.timeZone)
    return dueAt < NEVER ? dueAt : null
  },
  lastBefore: (schedule, anchorAt, at) => {
    const steps = stepsToReach(anchorOf(schedule, anchorAt), at, schedule.duration, schedule.timeZone)
    const next = Math.max(1, steps + iterationAtAnchor(schedule))
    return Math.min(next - 1, schedule.repetitions ?? Infinity)
  },
}

const FIRINGS = { instant, duration, cycle }

function firingsOf(schedule: Schedule): Firings<Schedule> {
  return FIRINGS[schedule.kind] as Firings<Schedule>
}

const DAY = 86_400_000

/** Of a timer that is made now. A past instant is answered as it is, for the caller to judge. */
export function firstFiring(schedule: Schedule, now: Millis): Firing {
  const firing = firingsOf(schedule).first(schedule, now)
  // The calendar is asked only in the border region: no 100 years are shorter than so many times 365 days.
  const mayBeTooFar = firing.dueAt - now > DELAY_MAX_YEARS * 365 * DAY
  if (mayBeTooFar && firing.dueAt > addDuration(now, HORIZON, 1, schedule.timeZone))
    throw tooFar(schedule.text, schedule.text)
  return firing
}

/** The due times a timer would have if it were made now; fewer than `count` when the schedule ends before. */
export function upcomingFirings(schedule: Schedule, now: Millis, count: number): Millis[] {
  const dueTimes: Millis[] = []
  const { anchorAt, iteration, dueAt } = firstFiring(schedule, now)
  for (let next: Millis | null = dueAt; next !== null && dueTimes.length < count;) {
    dueTimes.push(next)
    next = firingOf(schedule, anchorAt, iteration + dueTimes.length)
  }
  return dueTimes
}

/** When an iteration is due, the first being 1; null after the last one, and for a schedule that does not repeat. */
export function firingOf(schedule: Schedule, anchorAt: Millis | null, iteration: number): Millis | null {
  return firingsOf(schedule).dueAt?.(schedule, anchorAt, iteration) ?? null
}

export function isRepeating(schedule: Schedule): boolean {
  return firingsOf(schedule).dueAt !== undefined
}

/** What a timer keeps of its schedule. */
export type Scheduled = {
  readonly schedule: string | null
  readonly timeZone: string | null
  readonly anchorAt: Millis | null
  readonly iteration: number
}
export type Iteration = { readonly iteration: number; readonly dueAt: Millis }

/** Whether the timer has a schedule with more than one firing, also when none of them is left. */
export function repeats({ anchorAt }: Pick<Scheduled, 'anchorAt'>): boolean {
  return anchorAt !== null
}

/** When an iteration of the timer is due; null when there is no such iteration. */
export function iterationOf(timer: Scheduled, iteration: number): Iteration | null {
  const schedule = repeatedSchedule(timer)
  return schedule && iterationIn(schedule, timer, iteration)
}

/** The one after the current; with `from`, the first of those that is due then or later. Null at the end. */
export function nextIteration(timer: Scheduled, from: Millis | null): Iteration | null {
  const schedule = repeatedSchedule(timer)
  if (schedule === null) return null
  const next = timer.iteration + 1
  return iterationIn(schedule, timer, from === null ? next : Math.max(next, lastBefore(schedule, timer, from) + 1))
}

/** The last one after the current that is due at `at` or before; null when there is none. */
export function lastIterationUntil(timer: Scheduled, at: Millis): Iteration | null {
  const schedule = repeatedSchedule(timer)
  const last = schedule === null ? 0 : lastBefore(schedule, timer, at + 1)
  return schedule === null || last <= timer.iteration ? null : iterationIn(schedule, timer, last)
}

function iterationIn(schedule: Schedule, { anchorAt }: Scheduled, iteration: number): Iteration | null {
  const dueAt = firingOf(schedule, anchorAt, iteration)
  return dueAt === null ? null : { iteration, dueAt }
}

function lastBefore(schedule: Schedule, { anchorAt }: Scheduled, at: Millis): number {
  return firingsOf(schedule).lastBefore?.(schedule, anchorAt, at) ?? 0
}

function repeatedSchedule(timer: Scheduled): Schedule | null {
  return repeats(timer) && timer.schedule !== null ? parseSchedule(timer.schedule, timer.timeZone) : null
}

/** A start is itself the first firing; the moment of creation is none. */
function iterationAtAnchor(schedule: CycleSchedule): 0 | 1 {
  return schedule.startAt === null ? 0 : 1
}

function anchorOf(schedule: CycleSchedule, anchorAt: Millis | null): Millis {
  const anchor = anchorAt ?? schedule.startAt
  if (anchor === null) throw new TypeError(`the cycle "${schedule.text}" was stored without its anchor`)
  return anchor
}
