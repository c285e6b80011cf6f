// The steps from one version of a timer to the next that the rules are made of, and what they are told and answer.

import { invalidInput, invalidSchedule } from '../errors.ts'
import type { DuetimeError } from '../errors.ts'
import { firstFiring, zoneStamp } from '../time/firings.ts'
import type { Calendars } from '../time/recurring/on-calendar.ts'
import { writtenText } from '../time/schedule.ts'
import type { Schedule } from '../time/schedule.ts'
import type { Millis, Status, Timer, TimerUuid } from '../timer/timer.ts'

export type RuleContext = {
  readonly now: Millis
  /** When the command or the outcome arrived at the service, if that was before now: what was in the future then is in time, and durations count from then. */
  readonly arrivedAt?: Millis
  /** How long a finished timer of this namespace is kept. */
  readonly retentionMs: Millis
  /** How soon a timer is delivered again at the earliest, because its receiver asks for it or because it failed. */
  readonly rescheduleMinMs?: Millis
  /** Those of the namespace; left out where the timer names none. */
  readonly calendars?: Calendars | undefined
}

/**
 * `write` is what to store in place of `existing`; `keep` means that all is as the command wants it already. `refuse` is to
 * be stored, too, since it remembers the command, and then the command is refused.
 */
export type Decision =
  | { readonly type: 'write' | 'keep'; readonly timer: Timer }
  | { readonly type: 'refuse'; readonly timer: Timer; readonly error: DuetimeError }

export function write(timer: Timer): Decision {
  return { type: 'write', timer }
}

export function keep(timer: Timer): Decision {
  return { type: 'keep', timer }
}

export type Timing = Pick<
  Timer,
  'schedule' | 'timeZone' | 'rules' | 'anchorAt' | 'iteration' | 'nominalAt' | 'zoned' | 'dueAt' | 'wakeAt'
>

/** When the command that brings it arrived, and the calendars that it may name. */
type Arrival = { readonly arrivedAt: Millis; readonly calendars?: Calendars | undefined }

export function dueFrom(
  schedule: Schedule,
  minLeadMs: Millis | null,
  { arrivedAt, calendars }: Arrival,
  uuid?: TimerUuid,
): Timing {
  assertCalendar(schedule, calendars)
  const { nominalAt, dueAt, anchorAt, iteration, rules } = firstFiring(schedule, arrivedAt, uuid, calendars)
  if (minLeadMs !== null && isTooSoon(nominalAt - arrivedAt, minLeadMs)) {
    const wanted = minLeadMs === 0 ? 'in the future' : `more than ${minLeadMs / 1_000} s in the future`
    throw invalidSchedule(
      'past',
      `the due time must be ${wanted}; it is ${new Date(arrivedAt).toISOString()} here`,
      writtenText(schedule),
    )
  }
  const text = schedule.kind === 'instant' ? null : schedule.text
  return {
    schedule: text,
    timeZone: schedule.timeZone,
    rules,
    anchorAt,
    iteration,
    nominalAt,
    zoned: zoneStamp({ schedule: text, timeZone: schedule.timeZone, nominalAt }),
    dueAt,
    wakeAt: dueAt,
  }
}

/** One that goes away later is missed by nobody: the timer then fires as if it named none. A new timer that names none is a mistake. */
export function assertCalendar({ rules }: Schedule, calendars: Calendars | undefined): void {
  const name = rules?.calendar?.name
  if (name === undefined || calendars?.has(name) === true) return
  throw invalidInput('calendar', `there is no calendar "${name}" in the namespace: make it first`, { calendar: name })
}

/** Now is not the past yet; but a lead that is asked for must be exceeded. */
function isTooSoon(leadMs: Millis, minLeadMs: Millis): boolean {
  return minLeadMs === 0 ? leadMs < 0 : leadMs <= minLeadMs
}

/** The timing of a one-shot that moves away from the instant it was created with keeps that instant as its schedule. */
export function dueAgainAt(timer: Timer, at: Millis): Pick<Timer, 'schedule' | 'dueAt' | 'wakeAt'> {
  return { schedule: timer.schedule ?? new Date(timer.dueAt).toISOString(), dueAt: at, wakeAt: at }
}

export function newFiring(timer: Timer, now: Millis): Timer {
  return {
    ...timer,
    version: timer.version + 1,
    zoned: zoneStamp(timer),
    wakeAt: timer.dueAt,
    updatedAt: now,
    firing: timer.firing + 1,
    attempts: 0,
    firstAttemptAt: null,
  }
}

export function finished(timer: Timer, status: Status, { now, retentionMs }: RuleContext): Timer {
  return {
    ...timer,
    version: timer.version + 1,
    status,
    wakeAt: now + retentionMs,
    updatedAt: now,
    finishedAt: now,
    extra: null,
  }
}
