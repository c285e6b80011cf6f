// When a recurrence rule fires: at its local times, on the clocks of its zone. Of one with a COUNT, the firings before it was
// made count, too: the rule says which ones it has.

import { DELAY_MAX_YEARS } from '../../limits.ts'
import type { Millis } from '../millis.ts'
import { steppingRecurrence } from '../recurring/recurrence.ts'
import type { Recurrence } from '../recurring/recurrence.ts'
import type { RRuleSchedule } from '../schedule.ts'
import { DST_DEFAULT, nextInZone } from '../zone/local-rule.ts'
import { zoneOf } from '../zone/zone.ts'
import { rruleTimes } from './rrule-times.ts'

const HORIZON_MS = DELAY_MAX_YEARS * 366 * 86_400_000

const stepping = steppingRecurrence<RRuleSchedule>(nextAfter)

export const rruleRecurrence: Recurrence<RRuleSchedule> = {
  ...stepping,
  first: (schedule, from) => {
    const { rule, start } = schedule
    if (rule.count === null || start === null) return stepping.first(schedule, from)
    const beginning = stepping.first(schedule, start - 48 * 3_600_000) // local times are within two days of UTC
    if (beginning === null || beginning.point.at >= from) return beginning
    const point = stepping.afterFrom(schedule, beginning.anchorAt, beginning.point, from)
    return point === null ? null : { anchorAt: beginning.anchorAt, point }
  },
}

function nextAfter(schedule: RRuleSchedule, anchorAt: Millis, at: Millis): Millis | null {
  const { rule, start, rules } = schedule
  const zone = zoneOf(schedule.timeZone ?? 'UTC')
  const times = rruleTimes(rule, start ?? Math.floor((anchorAt + zone.offsetAt(anchorAt)) / 1_000) * 1_000)
  const until = rule.until?.isLocal === false ? Math.min(at + HORIZON_MS, rule.until.at) : at + HORIZON_MS
  return nextInZone(times, zone, { ...DST_DEFAULT, ...rules?.dst }, { after: at, until })
}
