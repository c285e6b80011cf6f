// The points of a schedule that a calendar leaves. Those that it excludes are passed over, or move to the next allowed moment: of
// several that move to the same moment, the last one fires for all of them. Which ones are left follows from the schedule, the last
// point and the calendar alone, so that every node, after every crash, computes the same.

import type { Calendar } from '../calendar/calendar.ts'
import type { CalendarRule, FiringRules } from '../firing-rules.ts'
import type { Millis } from '../millis.ts'
import type { Point, Recurrence } from './recurrence.ts'

/** Those of a namespace, by name. */
export type Calendars = ReadonlyMap<string, Calendar>

/** `firesAt`: later than `at` if it moved. */
export type FiringPoint = Point & { readonly firesAt: Millis }

export type OnCalendar = { readonly calendar: Calendar; readonly onExcluded: CalendarRule['onExcluded'] }

/** Null where none is named, and where the named one is not there any more: then nothing is excluded. */
export function calendarIn(rules: FiringRules | null, calendars: Calendars | undefined): OnCalendar | null {
  const named = rules?.calendar
  const calendar = named === undefined ? undefined : calendars?.get(named.name)
  return calendar === undefined ? null : { calendar, onExcluded: named!.onExcluded }
}

/** A search for an allowed point ends after so many, or so far ahead. That one is looked at again when it comes due. */
const JUMPS_MAX = 400
const AHEAD_MAX_MS = 10 * 366 * 86_400_000

/** A schedule that repeats, and from where its points are counted. */
export class PointsOnCalendar<S> {
  readonly #recurrence: Recurrence<S>
  readonly #schedule: S
  readonly #anchorAt: Millis
  readonly #on: OnCalendar | null

  constructor(recurrence: Recurrence<S>, schedule: S, anchorAt: Millis, on: OnCalendar | null) {
    this.#recurrence = recurrence
    this.#schedule = schedule
    this.#anchorAt = anchorAt
    this.#on = on
  }

  /** The one that follows; with `from`, the first of those that fires then or later. */
  after(point: Point, from: Millis | null): FiringPoint | null {
    const next =
      from === null
        ? this.#recurrence.after(this.#schedule, this.#anchorAt, point)
        : this.#recurrence.afterFrom(this.#schedule, this.#anchorAt, point, this.#earliestOf(from))
    return next && this.left(next)
  }

  /** The last of those that follow which fires at `until` or before. */
  lastUntil(point: Point, until: Millis): FiringPoint | null {
    const on = this.#on
    if (on === null) return asItIs(this.#lastUntil(point, until))
    let limit = on.calendar.previousAllowed(until)
    for (let jumps = 0; limit !== null && jumps < JUMPS_MAX; jumps++) {
      const last = this.#lastUntil(point, limit)
      if (last === null || on.calendar.isAllowed(last.at)) return asItIs(last)
      if (on.onExcluded === 'move') return { ...last, firesAt: on.calendar.nextAllowed(last.at) }
      limit = on.calendar.previousAllowed(last.at)
    }
    return null
  }

  /** The point itself, or what the calendar leaves of it. */
  left(point: Point): FiringPoint | null {
    if (this.#on === null || this.#on.calendar.isAllowed(point.at)) return asItIs(point)
    return this.#on.onExcluded === 'skip' ? asItIs(this.#passedOver(point)) : this.#moved(point)
  }

  #moved(point: Point): FiringPoint {
    const firesAt = this.#on!.calendar.nextAllowed(point.at)
    return { ...(this.#lastUntil(point, firesAt) ?? point), firesAt }
  }

  #passedOver(point: Point): Point | null {
    const { calendar } = this.#on!
    let next: Point | null = point
    for (let jumps = 0; next !== null && !calendar.isAllowed(next.at); jumps++) {
      if (jumps === JUMPS_MAX || next.at - point.at > AHEAD_MAX_MS) return next
      next = this.#recurrence.afterFrom(this.#schedule, this.#anchorAt, next, calendar.nextAllowed(next.at))
    }
    return next
  }

  /** A point before `from` may move to it, or to a later time. */
  #earliestOf(from: Millis): Millis {
    if (this.#on?.onExcluded !== 'move') return from
    const before = this.#on.calendar.previousAllowed(from - 1)
    return before === null ? from : before + 1
  }

  #lastUntil(point: Point, until: Millis): Point | null {
    return this.#recurrence.lastUntil(this.#schedule, this.#anchorAt, point, until)
  }
}

function asItIs(point: Point | null): FiringPoint | null {
  return point && { iteration: point.iteration, at: point.at, firesAt: point.at }
}
