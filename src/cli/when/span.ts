// Lengths of time as people type them: 5m, 1h30m, 1.5h, 90 seconds, 2 days, 1mo. Answered as an ISO 8601 duration, which
// is what the service takes, with calendar units kept as calendar units.

import { UsageError } from '../command/usage-error.ts'

type Field = 'Y' | 'M' | 'W' | 'D' | 'TH' | 'TM' | 'ms'

/** By the words for it. A second of a duration has its fraction, so milliseconds are the smallest field. */
const UNITS: readonly (readonly [Field, number, readonly string[]])[] = [
  ['Y', 1, ['y', 'yr', 'yrs', 'year', 'years']],
  ['M', 1, ['mo', 'month', 'months']],
  ['W', 1, ['w', 'wk', 'wks', 'week', 'weeks']],
  ['D', 1, ['d', 'day', 'days']],
  ['TH', 1, ['h', 'hr', 'hrs', 'hour', 'hours']],
  ['TM', 1, ['m', 'min', 'mins', 'minute', 'minutes']],
  ['ms', 1_000, ['s', 'sec', 'secs', 'second', 'seconds']],
  ['ms', 1, ['ms', 'msec', 'millisecond', 'milliseconds']],
]
const BY_WORD = new Map(
  UNITS.flatMap(([field, factor, words]) => words.map((word) => [word, { field, factor }] as const)),
)

/** What a part of one of these is in milliseconds. Months and years have no parts. */
const FIXED_MS: Readonly<Partial<Record<Field, number>>> = {
  W: 604_800_000,
  D: 86_400_000,
  TH: 3_600_000,
  TM: 60_000,
  ms: 1,
}

const TERM = /(\d+)(?:[.,](\d{1,9}))?\s*([A-Za-z]+)\s*(?:,|and\b)?\s*/gy
const DIGITS_MAX = 10 // beyond that no timer can be due

/** `isCalendar`: it has days or longer units, whose length depends on where and when. */
export type Span = { readonly iso: string; readonly isCalendar: boolean }

/** Null when the text is nothing of the kind. Throws a UsageError when it is, and cannot be right. */
export function readSpan(text: string): Span | null {
  const fields = new Map<Field, number>()
  const matches = [...text.matchAll(TERM)]
  const last = matches.at(-1)
  if (last === undefined || last.index + last[0].length !== text.length) return null
  for (const [, whole = '', fraction = '', word = ''] of matches) {
    if (word === 'M') throw new UsageError(`"${text}" could be minutes or months: write ${whole}m or ${whole}mo.`)
    const unit = BY_WORD.get(word.toLowerCase())
    if (unit === undefined) return null
    if (whole.length > DIGITS_MAX) throw new UsageError(`"${text}" is too long: a timer is due within 100 years.`)
    add(fields, unit.field, Number(whole) * unit.factor)
    if (Number(fraction) > 0) addParts(fields, partMs(unit, fraction, text))
  }
  const iso = isoText(fields)
  return { iso, isCalendar: (['Y', 'M', 'W', 'D'] as const).some((field) => (fields.get(field) ?? 0) > 0) }
}

/** `every day` is every 1 day: the length of a unit named alone. */
export function unitSpan(word: string): Span | null {
  return word.length > 2 && BY_WORD.has(word) ? readSpan(`1${word}`) : null
}

function add(fields: Map<Field, number>, field: Field, count: number): void {
  fields.set(field, (fields.get(field) ?? 0) + count)
}

/** Half an hour is 30 minutes, not 1,800 seconds. */
function addParts(fields: Map<Field, number>, ms: number): void {
  let rest = ms
  for (const field of ['D', 'TH', 'TM', 'ms'] as const) {
    const unitMs = FIXED_MS[field]!
    if (rest >= unitMs) add(fields, field, Math.floor(rest / unitMs))
    rest %= unitMs
  }
}

function partMs(
  { field, factor }: { readonly field: Field; readonly factor: number },
  fraction: string,
  text: string,
): number {
  const ms = FIXED_MS[field]
  if (ms === undefined)
    throw new UsageError(`"${text}" has a part of a month or a year, which has no fixed length: use weeks or days.`)
  return Math.floor((Number(fraction) * ms * factor) / 10 ** fraction.length)
}

function isoText(fields: ReadonlyMap<Field, number>): string {
  const of = (field: Field, unit: string) => ((fields.get(field) ?? 0) > 0 ? `${fields.get(field)}${unit}` : '')
  const ms = fields.get('ms') ?? 0
  const seconds = ms === 0 ? '' : `${ms % 1_000 === 0 ? ms / 1_000 : (ms / 1_000).toFixed(3).replace(/0+$/, '')}S`
  const time = of('TH', 'H') + of('TM', 'M') + seconds
  const date = of('Y', 'Y') + of('M', 'M') + of('W', 'W') + of('D', 'D')
  return date === '' ? `PT${time === '' ? '0S' : time}` : `P${date}${time === '' ? '' : `T${time}`}`
}
