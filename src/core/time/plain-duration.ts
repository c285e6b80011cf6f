// Lengths of time as people write them, 3d, { days: 3 }, made into the ISO 8601 durations that schedules know.

import { checkLength, parseIsoDuration } from './duration.ts'
import { invalidSchedule } from '../errors.ts'
import { DURATION_UNITS, isoOfFields, isoOfText } from './written-duration.ts'
import type { DurationFault, DurationFields } from './written-duration.ts'

/** ISO text is checked and answered as it is. Refused text is an `invalidSchedule`. */
export function isoDurationText(text: string): string {
  checkLength(text)
  const written = text.trim()
  return checked(written.startsWith('P') ? written : isoOfText(written), `"${text}"`, text)
}

/** Also takes a Temporal.Duration, which has the same fields. */
export function isoDurationOf(fields: DurationFields): string {
  const shown = JSON.stringify(fields)
  const units: readonly string[] = DURATION_UNITS
  const unknown = Object.keys(fields).find((name) => !units.includes(name))
  if (unknown !== undefined)
    throw invalidSchedule('format', `"${unknown}" is no unit of time; known are ${units.join(', ')}.`, shown)
  return checked(isoOfFields(fields), shown, shown)
}

function checked(read: string | DurationFault, shown: string, provided: string): string {
  if (typeof read !== 'string') throw invalidSchedule('format', faultText(read, shown), provided)
  parseIsoDuration(read, provided)
  return read
}

function faultText(read: DurationFault, shown: string): string {
  switch (read.fault) {
    case 'text':
      return `${shown} is not a length of time: write 90s, 1h30m, 3d, 2w, 6mo, 1y, or ISO 8601 such as P3D.`
    case 'empty':
      return `${shown} is no length of time: say how long, such as { hours: 1 }.`
    case 'amount':
      return `${shown}: ${read.unit} must be a number, 0 or more.`
    case 'part':
      return `${shown}: ${read.unit} must be whole, since their length varies; use hours instead.`
  }
}
