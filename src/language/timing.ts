// When a timer fires, as clients write it: `executeAt`, or `schedule`, with its time zone and its rules.

import { inField, invalidInput } from '../core/errors.ts'
import { isRepeating } from '../core/time/firings.ts'
import { parseLocalTime, parseTimeZone, parseZonedInstant } from '../core/time/instant.ts'
import { parseSchedule } from '../core/time/schedule.ts'
import type { Schedule } from '../core/time/schedule.ts'
import { boundOf, movedOnce, readFiringRules } from './firing-rules.ts'
import type { FiringRulesFields } from './firing-rules.ts'

export type TimingFields = FiringRulesFields & {
  readonly executeAt?: string | undefined
  readonly schedule?: string | undefined
  readonly timeZone?: string | undefined
}

/** Undefined when neither field is there. */
export function readSchedule(fields: TimingFields): Schedule | undefined {
  const { executeAt, schedule: written, timeZone } = fields
  if (executeAt !== undefined && written !== undefined)
    throw invalidInput('schedule', 'give executeAt or schedule, not both')
  if (timeZone !== undefined) assertTimeZone(timeZone, fields)
  const rules = readFiringRules(fields, timeZone ?? null)
  if (executeAt === undefined && written === undefined) {
    if (rules === null) return undefined
    const [field = ''] = Object.keys(rules)
    const name = field === 'spreadMs' ? 'spread' : field
    throw invalidInput(name, `${name} belongs to a schedule: give the schedule with it`)
  }
  const schedule =
    written !== undefined
      ? parseSchedule(written, timeZone ?? null, rules)
      : isLocal(executeAt!)
        ? parseSchedule(executeAt!, timeZone ?? null, rules)
        : ({ kind: 'instant', text: executeAt!, rules, ...parseZonedInstant(executeAt!) } as const)
  if (rules === null || isRepeating(schedule)) return schedule
  const bound = boundOf(rules)
  if (bound !== null) throw invalidInput(bound, `${bound} belongs to a schedule that repeats, and this one fires once`)
  return movedOnce(schedule, fields)
}

export function requiredSchedule(fields: TimingFields): Schedule {
  if (fields.executeAt === undefined && fields.schedule === undefined)
    throw invalidInput('executeAt', 'executeAt is required, or schedule instead of it')
  return readSchedule(fields)!
}

/** Without an offset: what it means depends on a time zone. Most end with Z, so the others are looked at more closely. */
function isLocal(executeAt: string): boolean {
  return !executeAt.endsWith('Z') && parseLocalTime(executeAt) !== null
}

function assertTimeZone(timeZone: string, { executeAt, schedule }: TimingFields): void {
  if (schedule === undefined && executeAt === undefined)
    throw invalidInput('timeZone', 'timeZone belongs to a schedule; give it with executeAt or schedule')
  if (executeAt !== undefined && !isLocal(executeAt)) {
    inField('executeAt', () => parseZonedInstant(executeAt)) // if it is no time at all, that is what is wrong
    throw invalidInput('timeZone', 'timeZone belongs to a schedule; executeAt has its offset already')
  }
  inField('timeZone', () => parseTimeZone(timeZone))
}
