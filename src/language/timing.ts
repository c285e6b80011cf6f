// When a timer fires, as clients write it: `executeAt`, or `schedule` with its time zone.

import { inField, invalidInput } from '../core/errors.ts'
import { parseTimeZone, parseZonedInstant } from '../core/time/instant.ts'
import { parseSchedule } from '../core/time/schedule.ts'
import type { Schedule } from '../core/time/schedule.ts'

export type TimingFields = { readonly executeAt?: string; readonly schedule?: string; readonly timeZone?: string }

/** Undefined when neither field is there. */
export function readSchedule({ executeAt, schedule, timeZone }: TimingFields): Schedule | undefined {
  if (executeAt !== undefined && schedule !== undefined)
    throw invalidInput('schedule', 'give executeAt or schedule, not both')
  if (timeZone !== undefined) assertTimeZone(timeZone, schedule)
  if (schedule !== undefined) return parseSchedule(schedule, timeZone ?? null)
  return executeAt === undefined ? undefined : { kind: 'instant', text: executeAt, ...parseZonedInstant(executeAt) }
}

export function requiredSchedule(fields: TimingFields): Schedule {
  const schedule = readSchedule(fields)
  if (schedule === undefined) throw invalidInput('executeAt', 'executeAt is required, or schedule instead of it')
  return schedule
}

function assertTimeZone(timeZone: string, schedule: string | undefined): void {
  if (schedule === undefined)
    throw invalidInput('timeZone', 'timeZone belongs to a schedule; executeAt has its offset already')
  inField('timeZone', () => parseTimeZone(timeZone))
}
