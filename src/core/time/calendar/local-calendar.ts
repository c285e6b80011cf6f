// Which local times a calendar allows. A local time is a number here, as in zone.ts: the milliseconds from 1970 to that date and
// time, as if it were UTC. Every day is a list of stretches that are allowed, computed when somebody asks for that day.

import type { Millis } from '../millis.ts'
import { civilDate, weekdayOf } from '../zone/civil-date.ts'
import type { CalendarEntry, DayTimes } from './calendar-entry.ts'

const DAY = 86_400_000
/** A search ends after so many years, or so many days that it had to look at: days that are excluded as a range are jumped over. */
export const YEARS_SEARCHED_MAX = 10
const DAYS_LOOKED_AT_MAX = 800
const WHOLE_DAY: readonly DayTimes[] = [{ from: 0, to: DAY }]
const NO_TIMES: readonly DayTimes[] = []

export class LocalCalendar {
  readonly #exclude: DayIndex
  /** Null: all that is not excluded. */
  readonly #allow: DayIndex | null

  constructor({ exclude, allow }: { exclude: readonly CalendarEntry[]; allow: readonly CalendarEntry[] }) {
    this.#exclude = new DayIndex(exclude)
    this.#allow = allow.length === 0 ? null : new DayIndex(allow)
  }

  isAllowed(local: Millis): boolean {
    const day = Math.floor(local / DAY)
    const time = local - day * DAY
    return this.#stretchesOf(day).some(({ from, to }) => from <= time && time < to)
  }

  /** The first allowed time at `local` or later. If the search ends without one, where it ended, with `found: false`. */
  next(local: Millis): { readonly local: Millis; readonly found: boolean } {
    let day = Math.floor(local / DAY)
    const end = day + YEARS_SEARCHED_MAX * 366
    for (let looked = 0; looked < DAYS_LOOKED_AT_MAX && day <= end; looked++) {
      const begin = day * DAY
      const stretch = this.#stretchesOf(day).find(({ to }) => begin + to > local)
      if (stretch !== undefined) return { local: Math.max(local, begin + stretch.from), found: true }
      day = (this.#exclude.wholeDaysAt(day)?.last ?? day) + 1
    }
    return { local: Math.min(day, end) * DAY, found: false }
  }

  /** The last allowed time at `local` or before; null when the search ends without one. */
  previous(local: Millis): Millis | null {
    let day = Math.floor(local / DAY)
    const end = day - YEARS_SEARCHED_MAX * 366
    for (let looked = 0; looked < DAYS_LOOKED_AT_MAX && day >= end; looked++) {
      const begin = day * DAY
      const stretch = this.#stretchesOf(day).findLast(({ from }) => begin + from <= local)
      if (stretch !== undefined) return Math.min(local, begin + stretch.to - 1)
      day = (this.#exclude.wholeDaysAt(day)?.first ?? day) - 1
    }
    return null
  }

  /** In order, apart from each other. */
  #stretchesOf(day: number): readonly DayTimes[] {
    if (this.#exclude.wholeDaysAt(day) !== null) return NO_TIMES
    const excluded = this.#exclude.timesOf(day)
    const allowed = this.#allow === null ? WHOLE_DAY : this.#allow.timesOf(day)
    return excluded.length === 0 && this.#allow === null ? WHOLE_DAY : without(merged(allowed), merged(excluded))
  }
}

type Range = { readonly first: number; readonly last: number }

/** Entries by the days that they are about. */
class DayIndex {
  readonly #byWeekday: readonly DayTimes[][] = Array.from({ length: 7 }, () => [])
  readonly #byDate = new Map<number, DayTimes[]>()
  readonly #byDayOfYear = new Map<number, DayTimes[]>()
  /** Whole days from the first to the last: in order, apart from each other. */
  readonly #ranges: readonly Range[]
  readonly #timesOfRanges: (Range & { readonly times: DayTimes })[] = []

  constructor(entries: readonly CalendarEntry[]) {
    const ranges: Range[] = []
    for (const { days, times } of entries) {
      if (days.kind === 'weekdays') for (const weekday of days.weekdays) this.#byWeekday[weekday]!.push(times)
      else if (days.kind === 'yearly') add(this.#byDayOfYear, days.month * 100 + days.date, times)
      else if (days.first === days.last) add(this.#byDate, days.first, times)
      else if (isWholeDay(times)) ranges.push({ first: days.first, last: days.last })
      else this.#timesOfRanges.push({ first: days.first, last: days.last, times })
    }
    this.#ranges = mergedRanges(ranges)
  }

  timesOf(day: number): readonly DayTimes[] {
    if (this.wholeDaysAt(day) !== null) return WHOLE_DAY
    const times = [...this.#byWeekday[weekdayOf(day)]!, ...(this.#byDate.get(day) ?? NO_TIMES)]
    if (this.#byDayOfYear.size > 0) {
      const { month, date } = civilDate(day)
      times.push(...(this.#byDayOfYear.get(month * 100 + date) ?? NO_TIMES))
    }
    for (const { first, last, times: some } of this.#timesOfRanges) if (first <= day && day <= last) times.push(some)
    return times
  }

  /** The range of whole days that the day is in. */
  wholeDaysAt(day: number): Range | null {
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ranges[middle]!.last < day) low = middle + 1
      else high = middle
    }
    const range = this.#ranges[low]
    return range !== undefined && range.first <= day ? range : null
  }
}

function isWholeDay({ from, to }: DayTimes): boolean {
  return from === 0 && to === DAY
}

function mergedRanges(ranges: readonly Range[]): readonly Range[] {
  const all: Range[] = []
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = all.at(-1)
    if (before === undefined || first > before.last + 1) all.push({ first, last })
    else all[all.length - 1] = { first: before.first, last: Math.max(before.last, last) }
  }
  return all
}

function add(map: Map<number, DayTimes[]>, key: number, times: DayTimes): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [times])
  else known.push(times)
}

function merged(some: readonly DayTimes[]): readonly DayTimes[] {
  if (some.length < 2) return some
  const all: DayTimes[] = []
  for (const { from, to } of some.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last === undefined || from > last.to) all.push({ from, to })
    else all[all.length - 1] = { from: last.from, to: Math.max(last.to, to) }
  }
  return all
}

function without(some: readonly DayTimes[], others: readonly DayTimes[]): readonly DayTimes[] {
  return others.reduce<readonly DayTimes[]>(
    (left, { from, to }) =>
      left.flatMap((one) =>
        [
          { from: one.from, to: Math.min(one.to, from) },
          { from: Math.max(one.from, to), to: one.to },
        ].filter((part) => part.from < part.to),
      ),
    some,
  )
}
