// A copy of src/core/time/written-duration.ts, made by `npm run docs`: change it there.

// Lengths of time as people write them, 3d, 1h30m, 1.5h, { days: 3 }, made into ISO 8601 durations. Days and longer units stay
// what they are, since they follow the calendar. The SDK has a copy of this file, which is why it imports nothing and
// leaves the words of refusals to its callers.

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

export type DurationFault =
  /** Not numbers with units. */
  | { readonly fault: 'text' }
  /** Not one unit. */
  | { readonly fault: 'empty' }
  /** Negative, infinite, or no number. */
  | { readonly fault: 'amount'; readonly unit: string }
  /** A part of a unit whose length varies. */
  | { readonly fault: 'part'; readonly unit: string }

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
export const DURATION_UNITS: readonly (keyof DurationFields)[] = Object.values(FIELD_BY_UNIT)

/** ISO 8601, or what is wrong. Text that is ISO 8601 already is the caller's to judge. */
export function isoOfText(text: string): string | DurationFault {
  const written = text.trim()
  if (!TERMS.test(written)) return { fault: 'text' }
  const fields: Record<string, number> = {}
  for (const [, amount, unit = ''] of written.matchAll(TERM)) {
    const name = FIELD_BY_UNIT[unit]!
    fields[name] = (fields[name] ?? 0) + Number(amount)
  }
  return isoOfFields(fields)
}

const CALENDAR = { years: 'Y', months: 'M', weeks: 'W', days: 'D' } as const

/** Also takes a Temporal.Duration, which has the same fields. Others are ignored. */
export function isoOfFields(fields: DurationFields): string | DurationFault {
  const amounts = DURATION_UNITS.map((unit) => ({ unit, value: fields[unit] ?? 0 }))
  const wrong = amounts.find(({ value }) => !Number.isFinite(value) || value < 0)
  if (wrong !== undefined) return { fault: 'amount', unit: wrong.unit }
  const part = amounts.find(({ unit, value }) => unit in CALENDAR && !Number.isInteger(value))
  if (part !== undefined) return { fault: 'part', unit: part.unit }
  if (DURATION_UNITS.every((unit) => fields[unit] === undefined)) return { fault: 'empty' }
  const calendar = Object.entries(CALENDAR).map(([unit, letter]) => {
    const value = fields[unit as keyof typeof CALENDAR] ?? 0
    return value === 0 ? '' : `${value}${letter}`
  })
  const { hours = 0, minutes = 0, seconds = 0, milliseconds = 0 } = fields
  // Hours and smaller have fixed lengths, so parts of them add up.
  const ms = Math.round(hours * 3_600_000 + minutes * 60_000 + seconds * 1_000 + milliseconds)
  const text = `${calendar.join('')}${clockText(ms)}`
  return text === '' ? 'PT0S' : `P${text}`
}

function clockText(ms: number): string {
  if (ms === 0) return ''
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms % 60_000) / 1_000]
  return `T${hours === 0 ? '' : `${hours}H`}${minutes === 0 ? '' : `${minutes}M`}${seconds === 0 ? '' : `${seconds}S`}`
}
