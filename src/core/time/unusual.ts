// Why a firing is not simply when its schedule says, for previews.

import { cronRule } from './cron/cron-days.ts'
import { followsCalendar, timeMs } from './duration.ts'
import type { Iteration } from './firings.ts'
import type { Millis } from './millis.ts'
import { rruleTimes } from './rrule/rrule-times.ts'
import type { Schedule } from './schedule.ts'
import { zoneOf } from './zone/zone.ts'

const DAY = 86_400_000

export type Reason = 'gap' | 'overlap' | 'spread'

/** `anchorAt` is that of a cycle. */
export function unusualIn(
  schedule: Schedule,
  { nominalAt, dueAt }: Iteration,
  anchorAt: Millis | null,
): readonly Reason[] {
  const reasons: Reason[] = []
  if (schedule.timeZone !== null && schedule.kind !== 'instant') {
    const zone = zoneOf(schedule.timeZone)
    const local = nominalAt + zone.offsetAt(nominalAt)
    if (isMoved(schedule, local, anchorAt)) reasons.push('gap')
    else if (dependsOnClocks(schedule) && zone.instantsOf(local).length > 1) reasons.push('overlap')
  }
  if (dueAt !== nominalAt) reasons.push('spread')
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
