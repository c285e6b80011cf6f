// Calendars for tests, and an independent judge of them.

import fc from 'fast-check'
import type { WrittenCalendar } from './calendar.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Cairo',
  'Europe/Dublin',
]
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** An independent judge: by Temporal's own fields and the words of the entries. */
export function isAllowedBy({ exclude, allow }: WrittenCalendar, moment: Temporal.ZonedDateTime): boolean {
  const covers = (entry: string): boolean => {
    const [days, times] = entry.includes(' ') ? entry.split(' ') : /^\d\d:/.test(entry) ? [null, entry] : [entry, null]
    if (times !== null) {
      const clock = moment.toPlainTime().toString({ smallestUnit: 'minute' })
      const [from, to] = times.split('-') as [string, string]
      if (clock < from || clock >= to) return false
    }
    if (days === null) return true
    const date = moment.toPlainDate().toString()
    if (days.startsWith('--')) return date.endsWith(days.slice(1))
    if (/^\d/.test(days)) {
      const [first, last = first] = days.split('/') as [string, string?]
      return first <= date && date <= last
    }
    const [first, last = first] = days.split('-').map((name) => DAYS.indexOf(name)) as [number, number?]
    for (let day = first; ; day = (day + 1) % 7) {
      if (day === moment.dayOfWeek % 7) return true
      if (day === last) return false
    }
  }
  return !exclude.some(covers) && (allow.length === 0 || allow.some(covers))
}

const two = (number: number): string => String(number).padStart(2, '0')
/** Clocks change in the small hours, so many entries are there. */
const clock = fc
  .oneof(fc.integer({ min: 0, max: 95 }), fc.integer({ min: 0, max: 16 }))
  .map((quarter) => `${two(Math.floor(quarter / 4))}:${two((quarter % 4) * 15)}`)
const times = fc
  .tuple(clock, fc.oneof(clock, fc.constant('24:00')))
  .filter(([from, to]) => from < to)
  .map(([from, to]) => `${from}-${to}`)
const date = fc.integer({ min: 0, max: 20 }).map((day) => Temporal.PlainDate.from('2027-03-14').add({ days: day }))
const days = fc.oneof(
  date.map(String),
  date.map((one) => `-${one.toString().slice(4)}`),
  fc
    .tuple(date, fc.integer({ min: 0, max: 9 }))
    .map(([first, more]) => `${first.toString()}/${first.add({ days: more }).toString()}`),
  fc.constantFrom(...DAYS),
  fc.tuple(fc.constantFrom(...DAYS), fc.constantFrom(...DAYS)).map(([first, last]) => `${first}-${last}`),
)
const entry = fc.oneof(
  days,
  times,
  fc.tuple(days, times).map(([day, time]) => `${day} ${time}`),
)
export const anyCalendar = fc.record({
  name: fc.constant('c'),
  timeZone: fc.constantFrom(...ZONES),
  exclude: fc.array(entry, { maxLength: 4 }),
  allow: fc.oneof(fc.constant([]), fc.array(entry, { maxLength: 3 })),
})
