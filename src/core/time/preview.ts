// When a schedule would fire, and why a firing is not simply when the schedule says.

import { cronRule } from './cron/cron-days.ts'
import { followsCalendar, timeMs } from './duration.ts'
import { spreadShift } from './firing-rules.ts'
import { firstFiring, nextIteration, UNSPREAD } from './firings.ts'
import type { Iteration } from './firings.ts'
import type { Millis } from './millis.ts'
import { calendarIn } from './recurring/on-calendar.ts'
import type { Calendars } from './recurring/on-calendar.ts'
import { rruleTimes } from './rrule/rrule-times.ts'
import type { Schedule } from './schedule.ts'
import { zoneOf } from './zone/zone.ts'

const DAY = 86_400_000

export type Reason = 'gap' | 'overlap' | 'calendar' | 'spread'

/** `reasons`: why it is not simply when the schedule says. */
export type PreviewedFiring = Iteration & {
  readonly reasons: readonly Reason[]
  /** How many iterations just before it a calendar excludes. */
  readonly passedOver: number
}

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
  readonly calendars?: Calendars | undefined
}

export function previewFirings(
  schedule: Schedule,
  now: Millis,
  { count, from, to = Infinity, uuid = UNSPREAD, calendars }: PreviewRange,
): PreviewedFiring[] {
  const firings: PreviewedFiring[] = []
  const first = firstFiring(schedule, now, uuid, calendars)
  const timer = { ...first, uuid, schedule: schedule.text, timeZone: schedule.timeZone }
  const isLater = from !== undefined && first.dueAt < from
  let next: Iteration | null = !isLater ? first : nextIteration(timer, from, calendars)
  // The one that would come without a calendar.
  const isOnCalendar = calendarIn(schedule.rules, calendars) !== null
  let expected = isLater || !isOnCalendar ? Infinity : firstFiring(schedule, now, uuid).iteration
  while (next !== null && next.dueAt < to && firings.length < count) {
    const { iteration, nominalAt, dueAt } = next
    const passedOver = Math.max(0, iteration - expected)
    const reasons = unusualIn(schedule, next, { anchorAt: first.anchorAt, shift: spreadShift(timer), passedOver })
    firings.push({ iteration, nominalAt, dueAt, reasons, passedOver })
    next = nextIteration({ ...timer, iteration, nominalAt }, null, calendars)
    if (isOnCalendar) expected = iteration + 1
  }
  return firings
}

/** `anchorAt` is that of a cycle, `shift` that of the spread; `passedOver`: how many just before it a calendar excludes. */
type Circumstances = { readonly anchorAt: Millis | null; readonly shift: Millis; readonly passedOver: number }

function unusualIn(
  schedule: Schedule,
  { nominalAt, dueAt }: Iteration,
  { anchorAt, shift, passedOver }: Circumstances,
): readonly Reason[] {
  const reasons: Reason[] = []
  if (schedule.timeZone !== null && schedule.kind !== 'instant') {
    const zone = zoneOf(schedule.timeZone)
    const local = nominalAt + zone.offsetAt(nominalAt)
    if (isMoved(schedule, local, anchorAt)) reasons.push('gap')
    else if (dependsOnClocks(schedule) && zone.instantsOf(local).length > 1) reasons.push('overlap')
  }
  if (passedOver > 0 || dueAt !== nominalAt + shift) reasons.push('calendar')
  if (shift > 0) reasons.push('spread')
  return reasons
}

function dependsOnClocks(schedule: Schedule): boolean {
  if (schedule.kind === 'cycle' || schedule.kind === 'duration') return followsCalendar(schedule.duration)
  return schedule.kind === 'cron' || schedule.kind === 'rrule' || schedule.kind === 'local'
}

/** Clocks do not show what the schedule says. */
function isMoved(schedule: Schedule, local: Millis, anchorAt: Millis | null): boolean {
  if (schedule.kind === 'cron') return cronRule(schedule.expression).next(local, local) !== local
  if (schedule.kind === 'rrule') {
    const start = schedule.start ?? anchorAt! + zoneOf(schedule.timeZone!).offsetAt(anchorAt!)
    return rruleTimes(schedule.rule, Math.floor(start / 1_000) * 1_000).next(local, local) !== local
  }
  if (schedule.kind === 'local') return local !== schedule.local
  if (schedule.kind !== 'cycle' || anchorAt === null || timeMs(schedule.duration) !== 0) return false
  const anchor = anchorAt + zoneOf(schedule.timeZone!).offsetAt(anchorAt)
  return (local - anchor) % DAY !== 0
}
