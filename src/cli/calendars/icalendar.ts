// The days of the all-day events in an iCalendar text (RFC 5545), as entries of a calendar. That is what calendars of holidays have;
// events with a time, and rules that repeat them otherwise than every year, are refused rather than half understood.

import { UsageError } from '../command/usage-error.ts'

export function daysOfICalendar(text: string): string[] {
  // A line that begins with a space goes on with the one before.
  const lines = text.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)
  if (!/^BEGIN:VCALENDAR$/i.test(lines.find((line) => line.trim() !== '') ?? ''))
    throw new UsageError('This is not iCalendar: such a file begins with BEGIN:VCALENDAR.')
  const entries = new Set<string>()
  let event: Map<string, string> | null = null
  for (const line of lines) {
    if (/^BEGIN:VEVENT$/i.test(line)) event = new Map()
    else if (/^END:VEVENT$/i.test(line) && event !== null) {
      entries.add(entryOf(event))
      event = null
    } else if (event !== null) {
      const [, name, value] = /^([A-Z-]+)(?:;[^:]*)?:(.*)$/i.exec(line) ?? []
      if (name !== undefined && !event.has(name.toUpperCase())) event.set(name.toUpperCase(), value!.trim())
    }
  }
  if (entries.size === 0) throw new UsageError('There is no event in this iCalendar file.')
  return [...entries]
}

function entryOf(event: ReadonlyMap<string, string>): string {
  const name = event.get('SUMMARY') ?? 'an event without a name'
  const first = dateOf(event.get('DTSTART'))
  if (first === null) throw new UsageError(`"${name}" is not an all-day event: only those can be excluded from a file.`)
  const rule = event.get('RRULE')
  const end = dateOf(event.get('DTEND'))
  // The end is the day after the last.
  const last = end === null || !(end > first) ? first : Temporal.PlainDate.from(end).subtract({ days: 1 }).toString()
  if (rule === undefined) return last === first ? first : `${first}/${last}`
  if (/^FREQ=YEARLY(;INTERVAL=1)?$/i.test(rule) && last === first) return `-${first.slice(4)}`
  throw new UsageError(`"${name}" repeats by the rule ${rule}: only single days that come every year can be taken.`)
}

/** 20261225 as 2026-12-25; null for what has a time. */
function dateOf(value: string | undefined): string | null {
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(value ?? '') ?? []
  return year === undefined ? null : `${year}-${month}-${date}`
}
