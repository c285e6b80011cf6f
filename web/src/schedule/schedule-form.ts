// When a timer fires, as a form holds it, and the fields of a request that follow from it.

import { cronOfWords } from '@duetime/client'
import { durationText } from '../format/schedules.ts'
import type { Amount, Unit } from '../format/schedules.ts'
import { VIEWER_ZONE } from '../format/times.ts'
import { NO_RULES, ruleFields, rulesOf } from './rules-form.ts'
import type { RulesForm } from './rules-form.ts'

export const MODES = [
  ['at', 'At'],
  ['after', 'After'],
  ['cycle', 'Cycle'],
  ['text', 'Cron or text'],
] as const
export type Mode = (typeof MODES)[number][0]

export type ScheduleForm = {
  readonly mode: Mode
  /** As datetime-local gives it: a wall clock, in `zone`. */
  readonly at: string
  readonly after: Amount
  readonly every: Amount
  /** Empty: for ever. */
  readonly times: string
  /** Empty: one interval from now. */
  readonly start: string
  readonly text: string
  readonly zone: string
  /** What is said beside a schedule that repeats. */
  readonly rules: RulesForm
  /** Its name; empty: none. */
  readonly calendar: string
  readonly onExcluded: 'skip' | 'move'
}

export function emptyForm(now: number): ScheduleForm {
  return {
    mode: 'after',
    at: wallClock(now + 3_600_000),
    after: { value: '10', unit: 'minute' },
    every: { value: '1', unit: 'hour' },
    times: '',
    start: '',
    text: '',
    zone: VIEWER_ZONE,
    rules: NO_RULES,
    calendar: '',
    onExcluded: 'skip',
  }
}

/** The form for a timer that exists: its instant, or its schedule as it was written. */
export function formOf(
  timer: {
    readonly executeAt: string
    readonly schedule?: string
    readonly timeZone?: string
    readonly calendar?: { readonly name: string; readonly onExcluded?: 'skip' | 'move' }
  } & Parameters<typeof rulesOf>[0],
  now: number,
): ScheduleForm {
  const rules = rulesOf(timer, wallClock)
  const form = { ...emptyForm(now), at: wallClock(Date.parse(timer.executeAt)), rules, ...calendarOf(timer) }
  if (timer.schedule === undefined || !repeats(timer.schedule)) return { ...form, mode: 'at' }
  return { ...form, mode: 'text', text: timer.schedule, zone: timer.timeZone ?? 'UTC' }
}

function calendarOf({ calendar }: Parameters<typeof formOf>[0]): Pick<ScheduleForm, 'calendar' | 'onExcluded'> {
  return { calendar: calendar?.name ?? '', onExcluded: calendar?.onExcluded ?? 'skip' }
}

/** Cron, a rule or a cycle: neither a duration nor an instant. */
export function repeats(schedule: string): boolean {
  return !/^(?:P|\d{4}-)/.test(schedule)
}

/** The form for another timer like this one: its schedule as it was written, or its instant if that is still ahead. */
export function formLike(timer: Parameters<typeof formOf>[0], now: number): ScheduleForm {
  if (timer.schedule !== undefined && !/^\d{4}-/.test(timer.schedule))
    return { ...formOf(timer, now), mode: 'text', text: timer.schedule, zone: timer.timeZone ?? 'UTC' }
  return Date.parse(timer.executeAt) > now ? formOf(timer, now) : emptyForm(now)
}

/** A wall clock of the viewer, to the millisecond if there are some. */
export function wallClock(at: number): string {
  const text = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 23)
  return text.replace(/\.000$/, '')
}

/** As the service takes it. */
export type Timing = When & {
  readonly calendar?: { readonly name: string; readonly onExcluded?: 'skip' | 'move' | undefined }
}
type When =
  | { readonly executeAt: string; readonly schedule?: undefined; readonly timeZone?: undefined }
  | ({
      readonly schedule: string
      readonly timeZone?: string | undefined
      readonly executeAt?: undefined
    } & Partial<ReturnType<typeof ruleFields>>)
export type Reading = { readonly ok: true; readonly timing: Timing } | { readonly ok: false; readonly message: string }

/** An instant that says by itself which one it is, or a start with its own zone. */
const HAS_OFFSET = /^\d{4}-.*(?:Z|[+-]\d{2}:?\d{2}|\])$|\]|TZID=/i

const CALENDAR: ReadonlySet<Unit> = new Set(['day', 'week', 'month', 'year'])

export function readForm(form: ScheduleForm): Reading {
  const reading = readWhen(form)
  if (!reading.ok || form.calendar === '') return reading
  const onExcluded = isRepeated(reading) ? { onExcluded: form.onExcluded } : {}
  return good({ ...reading.timing, calendar: { name: form.calendar, ...onExcluded } })
}

function readWhen(form: ScheduleForm): Reading {
  switch (form.mode) {
    case 'at':
      return readAt(form.at)
    case 'after': {
      const duration = durationText(form.after)
      return duration === null
        ? bad('Give a whole number of units')
        : good({ schedule: duration, ...zoneFor(form, form.after.unit) })
    }
    case 'cycle':
      return readCycle(form)
    case 'text': {
      const text = form.text.trim()
      if (text === '') return bad('Type cron, an instant, a duration, a cycle or a rule')
      const schedule = cronOfWords(text) ?? text
      const rules = repeats(schedule) ? ruleFields(form.rules) : {}
      return good({ schedule, ...(HAS_OFFSET.test(schedule) ? {} : { timeZone: form.zone }), ...rules })
    }
  }
}

/** Whether what the form says fires again and again. */
export function isRepeated(reading: Reading): boolean {
  return reading.ok && reading.timing.schedule !== undefined && repeats(reading.timing.schedule)
}

function readAt(text: string): Reading {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? bad('Choose a date and time') : good({ executeAt: at.toISOString() })
}

function readCycle(form: ScheduleForm): Reading {
  const interval = durationText(form.every)
  if (interval === null) return bad('Give a whole number of units')
  const times = form.times.trim()
  if (times !== '' && !/^[1-9]\d{0,3}$/.test(times)) return bad('Times: 1 to 1000, or empty for ever')
  const start = form.start === '' ? null : new Date(form.start)
  if (start !== null && Number.isNaN(start.getTime())) return bad('Choose a start, or leave it empty')
  const parts = [`R${times}`, ...(start === null ? [] : [start.toISOString()]), interval]
  return good({ schedule: parts.join('/'), ...zoneFor(form, form.every.unit), ...ruleFields(form.rules) })
}

/** Only what is counted in days or more differs from zone to zone. */
function zoneFor({ zone }: ScheduleForm, unit: Unit): { readonly timeZone?: string } {
  return CALENDAR.has(unit) ? { timeZone: zone } : {}
}

function good(timing: Timing): Reading {
  return { ok: true, timing }
}

function bad(message: string): Reading {
  return { ok: false, message }
}

/** `dueAt` in the words people use, for one click. */
export function quickInstants(now: number): readonly (readonly [string, number])[] {
  const morning = (days: number) => {
    const date = new Date(now)
    date.setDate(date.getDate() + days)
    date.setHours(9, 0, 0, 0)
    return date.getTime()
  }
  const untilMonday = (8 - new Date(now).getDay()) % 7 || 7
  return [
    ['In a minute', now + 60_000],
    ['In an hour', now + 3_600_000],
    ['Tomorrow 9:00', morning(1)],
    ['Monday 9:00', morning(untilMonday)],
  ]
}

export const QUICK_AMOUNTS: readonly (readonly [string, Amount])[] = [
  ['10 s', { value: '10', unit: 'second' }],
  ['1 min', { value: '1', unit: 'minute' }],
  ['1 hour', { value: '1', unit: 'hour' }],
  ['1 day', { value: '1', unit: 'day' }],
]
