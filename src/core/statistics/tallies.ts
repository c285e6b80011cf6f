// What a change adds to the statistics: numbers that a store adds up beside the row, in the same commit, so that they
// are as true as the rows are and no question about a million timers has to look at them.
//
// A tally of a slot tells what happened in it; the store also adds it to the sum of all time. A standing tally tells
// how things are now: what it counts is taken back when it is no longer so.

import type { IsoDuration } from '../time/duration.ts'
import { bucketOf } from './histogram.ts'
import { parseSchedule } from '../time/schedule.ts'
import { isOnlyRemembered } from '../rules/sent-commands.ts'
import { deliveredIn } from '../timer/running-firings.ts'
import { isFinished, Status } from '../timer/timer.ts'
import type { Attempt, Millis, Timer } from '../timer/timer.ts'
import { kindOf, TimerKind } from '../timer/timer-kind.ts'

export type Tally = {
  readonly name: string
  /** When it happened, cut to its slot; STANDING for how things are. */
  readonly slotAt: Millis
  readonly amount: number
}

export const STANDING: Millis = 0
export const SLOT_MS = 600_000 // fine enough for "the last hour", and 30 days of them can be added up
export const SLOTS_KEPT_MS = 31 * 86_400_000 // what happened before is in the sum of all time only

export const TallyName = {
  created: 'created',
  createdCycles: 'created.cycles',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
  /** Cycles that ended, in whatever way. */
  endedCycles: 'ended.cycles',
  /** Firings, counted at their first attempt. */
  fired: 'fired',
  firedCycles: 'fired.cycles',
  /** Milliseconds that first attempts started behind their time, in all. */
  lateMs: 'late.ms',
  /** Milliseconds that attempts took, in all. */
  deliveryMs: 'delivery.ms',
} as const

/** Names that go on with a number or a text. */
export const TallyPrefix = {
  /** Created, by the first delay: one of DELAY_BANDS. */
  delay: 'delay.',
  /** Firings by lateness: a bucket of the histogram. */
  late: 'late.in.',
  /** Standing: live cycles by interval. */
  interval: 'interval.',
  /** Standing: timers that wake in an hour, or in a day, counted since 1970. */
  wakeHour: 'wake.h.',
  wakeDay: 'wake.d.',
  /** Standing: timers by the zone data that their time was computed with. */
  zoneData: 'zone.',
} as const

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Timers that are set further ahead than this are counted by day: a thousand of them share a few hundred days. */
const BY_HOUR_UP_TO_MS = 2 * DAY

export const DELAY_BANDS: readonly { readonly name: string; readonly belowMs: Millis }[] = [
  { name: 'under_1m', belowMs: 60_000 },
  { name: '1m_to_5m', belowMs: 5 * 60_000 },
  { name: '5m_to_30m', belowMs: 30 * 60_000 },
  { name: '30m_to_1h', belowMs: HOUR },
  { name: '1h_to_24h', belowMs: DAY },
  { name: 'over_24h', belowMs: Infinity },
]

const delayNames = DELAY_BANDS.map(({ name }) => TallyPrefix.delay + name)

export type AddTally = (name: string, slotAt: Millis, amount: number) => void

/** As `addTallies`, in a list. */
export function talliesOf(before: Timer | null, after: Timer): readonly Tally[] {
  const tallies: Tally[] = []
  addTallies(before, after, (name, slotAt, amount) => void tallies.push({ name, slotAt, amount }))
  return tallies
}

/** Every write is tallied: it makes no lists. `before` is the row that `after` takes the place of. */
export function addTallies(before: Timer | null, after: Timer, add: AddTally): void {
  addStanding(before, after, add)
  if (isOnlyRemembered(before, after)) return
  const slotAt = Math.floor(after.updatedAt / SLOT_MS) * SLOT_MS
  if (before === null || before.createdAt !== after.createdAt) addCreated(after, slotAt, add)
  else if (isFinished(after) && !isFinished(before)) addEnded(after, slotAt, add)
  if (before !== null) addAttempt(before, after, slotAt, add)
}

function addCreated(timer: Timer, slotAt: Millis, add: AddTally): void {
  const delayMs = timer.dueAt - timer.createdAt
  add(TallyName.created, slotAt, 1)
  if (kindOf(timer) !== TimerKind.once) add(TallyName.createdCycles, slotAt, 1)
  add(delayNames[DELAY_BANDS.findIndex(({ belowMs }) => delayMs < belowMs)]!, slotAt, 1)
}

function addEnded(timer: Timer, slotAt: Millis, add: AddTally): void {
  const name =
    timer.status === Status.completed
      ? TallyName.completed
      : timer.status === Status.failed
        ? TallyName.failed
        : TallyName.canceled
  add(name, slotAt, 1)
  if (kindOf(timer) !== TimerKind.once) add(TallyName.endedCycles, slotAt, 1)
}

function addAttempt(before: Timer, after: Timer, slotAt: Millis, add: AddTally): void {
  const attempt = newAttempt(before, after)
  if (attempt === undefined) return
  add(TallyName.deliveryMs, slotAt, attempt.durationMs)
  const { attempts, wakeAt } = deliveredIn(before, attempt)
  // Retries are late by design: only the first attempt says how punctual the service is.
  if (attempts > 0) return
  const lateMs = Math.max(0, attempt.at - wakeAt)
  add(TallyName.fired, slotAt, 1)
  if (kindOf(before) !== TimerKind.once) add(TallyName.firedCycles, slotAt, 1)
  add(TallyName.lateMs, slotAt, lateMs)
  add(lateBuckets.nameOf(bucketOf(lateMs)), slotAt, 1)
}

/** What is carried over from the row before is the very same value. */
function newAttempt(before: Timer, after: Timer): Attempt | undefined {
  const last = after.attemptLog.at(-1)
  return last === before.attemptLog.at(-1) ? undefined : last
}

const NONE: readonly string[] = []

function addStanding(before: Timer | null, after: Timer, add: AddTally): void {
  if ((before === null || isPlain(before)) && isPlain(after)) {
    const was = before === null ? null : wakeName(before)
    const is = wakeName(after)
    if (was === is) return
    if (was !== null) add(was, STANDING, -1)
    if (is !== null) add(is, STANDING, 1)
    return
  }
  const was = before === null ? NONE : standingOf(before)
  const is = standingOf(after)
  for (const name of was) if (!is.includes(name)) add(name, STANDING, -1)
  for (const name of is) if (!was.includes(name)) add(name, STANDING, 1)
}

/** Nearly all: it counts for nothing but the time when it wakes. */
function isPlain(timer: Timer): boolean {
  return timer.zoned === null && kindOf(timer) === TimerKind.once
}

/** What a row counts for as long as it is there: a function of the row alone, so that it can be taken back. */
function standingOf(timer: Timer): readonly string[] {
  if (isFinished(timer)) return NONE
  const wake = wakeName(timer)
  const names = wake === null ? [] : [wake]
  if (kindOf(timer) !== TimerKind.once) names.push(TallyPrefix.interval + intervalOf(timer))
  if (timer.zoned !== null) names.push(TallyPrefix.zoneData + timer.zoned.data)
  return names
}

/** Null when it does not wake. */
function wakeName(timer: Timer): string | null {
  if (isFinished(timer) || timer.status === Status.paused) return null
  const { wakeAt, updatedAt } = timer
  const isNear = wakeAt - updatedAt <= BY_HOUR_UP_TO_MS
  return isNear ? wakeHours.nameOf(Math.floor(wakeAt / HOUR)) : wakeDays.nameOf(Math.floor(wakeAt / DAY))
}

/** Names that every write asks for, and mostly for the same ones again: the same text need not be made, hashed and compared anew. */
class KnownNames {
  readonly #prefix: string
  readonly #names = new Map<number, string>()

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  nameOf(number: number): string {
    const known = this.#names.get(number)
    if (known !== undefined) return known
    if (this.#names.size === KNOWN_NAMES_MAX) this.#names.clear()
    const name = `${this.#prefix}${number}`
    this.#names.set(number, name)
    return name
  }
}

const KNOWN_NAMES_MAX = 1_000
const wakeHours = new KnownNames(TallyPrefix.wakeHour)
const wakeDays = new KnownNames(TallyPrefix.wakeDay)
const lateBuckets = new KnownNames(TallyPrefix.late)

export const OTHER_INTERVALS = 'other'
const INTERVAL_MAX = 999 // of a unit: bounds how many names clients can make

function intervalOf({ schedule, timeZone }: Timer): string {
  const parsed = parseSchedule(schedule!, timeZone)
  return parsed.kind === 'cycle' ? commonInterval(parsed.duration) : OTHER_INTERVALS
}

/** In one unit, the largest that does it, so that PT60S and PT1M are the same. */
function commonInterval({ years, months, weeks, days, hours, minutes, milliseconds }: IsoDuration): string {
  const fixedMs = milliseconds + minutes * 60_000 + hours * HOUR + (days + 7 * weeks) * DAY
  const calendarMonths = years * 12 + months
  if (fixedMs > 0 && calendarMonths > 0) return OTHER_INTERVALS
  if (calendarMonths > 0)
    return calendarMonths % 12 === 0 ? named(calendarMonths / 12, 'P', 'Y') : named(calendarMonths, 'P', 'M')
  if (fixedMs % DAY === 0) return named(fixedMs / DAY, 'P', 'D')
  if (fixedMs % HOUR === 0) return named(fixedMs / HOUR, 'PT', 'H')
  return fixedMs % 60_000 === 0 ? named(fixedMs / 60_000, 'PT', 'M') : named(fixedMs / 1_000, 'PT', 'S')
}

function named(value: number, before: string, unit: string): string {
  return Number.isInteger(value) && value <= INTERVAL_MAX ? `${before}${value}${unit}` : OTHER_INTERVALS
}
