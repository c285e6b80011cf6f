// Lengths of time as people write them, 3d, 1h30m, 1.5h, { days: 3 }, made into the ISO 8601 durations that schedules
// know. Days and longer units stay what they are, since they follow the calendar.

import { checkLength, parseIsoDuration } from './duration.ts'
import { invalidSchedule } from '../errors.ts'

export type DurationFields = {
  readonly years?: number | undefined
  readonly months?: number | undefined
  readonly weeks?: number | undefined
  readonly days?: number | undefined
  readonly hours?: number | undefined
  readonly minutes?: number | undefined
  readonly seconds?: number | undefined
  readonly milliseconds?: number | undefined
}

const TERMS = /^(?:\d{1,12}(?:\.\d{1,9})?(?:ms|mo|[ywdhms]))+$/
const TERM = /(\d+(?:\.\d+)?)(ms|mo|[ywdhms])/g
const FIELD_BY_UNIT: Readonly<Record<string, keyof DurationFields>> = {
  y: 'years',
  mo: 'months',
  w: 'weeks',
  d: 'days',
  h: 'hours',
  m: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
}
const FIELDS: ReadonlySet<string> = new Set(Object.values(FIELD_BY_UNIT))

/** ISO text is checked and answered as it is. Refused text is an `invalidSchedule`. */
export function isoDurationText(text: string): string {
  checkLength(text)
  const written = text.trim()
  if (written.startsWith('P')) return checked(written, text)
  if (!TERMS.test(written)) {
    throw invalidSchedule(
      'format',
      `"${text}" is not a length of time: write 90s, 1h30m, 3d, 2w, 6mo, 1y, or ISO 8601 such as P3D.`,
      text,
    )
  }
  const fields: Record<string, number> = {}
  for (const [, amount, unit = ''] of written.matchAll(TERM)) {
    const name = FIELD_BY_UNIT[unit]!
    fields[name] = (fields[name] ?? 0) + Number(amount)
  }
  return isoText(fields, text)
}

/** Also takes a Temporal.Duration, which has the same fields. */
export function isoDurationOf(fields: DurationFields): string {
  const shown = JSON.stringify(fields)
  const unknown = Object.keys(fields).find((name) => !FIELDS.has(name))
  if (unknown !== undefined)
    throw invalidSchedule('format', `"${unknown}" is no unit of time; known are ${[...FIELDS].join(', ')}.`, shown)
  if ([...FIELDS].every((name) => fields[name as keyof DurationFields] === undefined)) {
    throw invalidSchedule('format', `${shown} is no length of time: say how long, such as { hours: 1 }.`, shown)
  }
  return isoText(fields, shown)
}

function isoText(fields: DurationFields, provided: string): string {
  const amount = (name: keyof DurationFields): number => {
    const value = fields[name] ?? 0
    if (Number.isFinite(value) && value >= 0) return value
    throw invalidSchedule('format', `${provided}: ${name} must be a number, 0 or more.`, provided)
  }
  const calendar = (
    [
      ['years', 'Y'],
      ['months', 'M'],
      ['weeks', 'W'],
      ['days', 'D'],
    ] as const
  ).map(([name, letter]) => {
    const value = amount(name)
    if (Number.isInteger(value)) return value === 0 ? '' : `${value}${letter}`
    throw invalidSchedule(
      'format',
      `${provided}: ${name} must be whole, since their length varies; use hours instead.`,
      provided,
    )
  })
  // Hours and smaller have fixed lengths, so parts of them add up.
  const ms =
    amount('hours') * 3_600_000 + amount('minutes') * 60_000 + amount('seconds') * 1_000 + amount('milliseconds')
  const iso = `P${calendar.join('')}${clockText(Math.round(ms))}`
  return iso === 'P' ? 'PT0S' : checked(iso, provided)
}

function checked(iso: string, provided: string): string {
  parseIsoDuration(iso, provided)
  return iso
}

function clockText(ms: number): string {
  if (ms === 0) return ''
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms % 60_000) / 1_000]
  return `T${hours === 0 ? '' : `${hours}H`}${minutes === 0 ? '' : `${minutes}M`}${seconds === 0 ? '' : `${seconds}S`}`
}
