// When a cron expression fires: at the local times it says, on the clocks of its zone.

import { DELAY_MAX_YEARS } from '../../limits.ts'
import type { Millis } from '../millis.ts'
import { steppingRecurrence } from '../recurring/recurrence.ts'
import type { CronSchedule } from '../schedule.ts'
import { cronRule } from './cron-days.ts'
import { DST_DEFAULT, nextInZone } from '../zone/local-rule.ts'
import type { DstPolicy } from '../zone/local-rule.ts'
import { zoneOf } from '../zone/zone.ts'

/** An expression that does not fire in so many years never will, as far as this service is concerned. */
const HORIZON_MS = DELAY_MAX_YEARS * 366 * 86_400_000

export const cronRecurrence = steppingRecurrence<CronSchedule>((schedule, _anchorAt, at) =>
  nextCron(schedule, at, at + HORIZON_MS),
)

function nextCron(schedule: CronSchedule, after: Millis, until: Millis): Millis | null {
  return nextInZone(cronRule(schedule.expression), zoneOf(schedule.timeZone ?? 'UTC'), cronDst(schedule), {
    after,
    until,
  })
}

/** What is written to go on evenly, every 15 minutes say, does so also in the hour that clocks show twice. */
export function cronDst({ expression, rules }: CronSchedule): DstPolicy {
  const dst = rules?.dst
  return {
    gap: dst?.gap ?? DST_DEFAULT.gap,
    overlap: dst?.overlap ?? (expression.isEven ? 'both' : DST_DEFAULT.overlap),
  }
}
