// A calendar: a named list of days and times when nothing fires. As clients write it, and as what answers whether a moment is
// allowed. Between two transitions of its zone clocks run evenly, so each stretch between them is searched by itself: a local time
// that clocks skip or show twice needs no rule of its own.

import { inField, invalidInput } from '../../errors.ts'
import { CALENDAR_ENTRIES_MAX, CALENDAR_NAME_CHARS_MAX, CALENDAR_TIMED_RANGES_MAX } from '../../limits.ts'
import type { Millis } from '../millis.ts'
import { parseTimeZone } from '../instant.ts'
import { zoneOf } from '../zone/zone.ts'
import { parseCalendarEntry } from './calendar-entry.ts'
import type { CalendarEntry } from './calendar-entry.ts'
import { YEARS_SEARCHED_MAX, LocalCalendar } from './local-calendar.ts'

/** As it is stored, and as clients see it. */
export type WrittenCalendar = {
  readonly name: string
  /** Whose days and clocks are meant. */
  readonly timeZone: string
  /** When nothing fires. */
  readonly exclude: readonly string[]
  /** If there are any, nothing fires at other times. What is excluded stays so. */
  readonly allow: readonly string[]
}

const DAY = 86_400_000
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

export function parseCalendarName(name: string, field = 'name'): string {
  if (name.length <= CALENDAR_NAME_CHARS_MAX && NAME.test(name)) return name
  const right = `1 to ${CALENDAR_NAME_CHARS_MAX} letters, digits, '.', '-' or '_', and start with a letter or digit`
  throw invalidInput(field, `the name of a calendar must be ${right}`)
}

export class Calendar {
  readonly written: WrittenCalendar
  readonly #local: LocalCalendar

  /** Throws at the field that is wrong. */
  constructor(written: WrittenCalendar) {
    const { exclude, allow } = written
    inField('timeZone', () => parseTimeZone(written.timeZone))
    if (exclude.length + allow.length > CALENDAR_ENTRIES_MAX)
      throw invalidInput('exclude', `a calendar has at most ${CALENDAR_ENTRIES_MAX} entries`)
    this.written = written
    this.#local = new LocalCalendar({ exclude: parsed(exclude, 'exclude'), allow: parsed(allow, 'allow') })
  }

  isAllowed(at: Millis): boolean {
    return this.#local.isAllowed(at + zoneOf(this.written.timeZone).offsetAt(at))
  }

  /**
   * The first allowed moment at `at` or later. One that allows nothing for years answers with the end of its search, which is
   * not allowed: whoever waits until then asks again.
   */
  nextAllowed(at: Millis): Millis {
    return this.#search(at).at
  }

  /** The last allowed moment at `at` or before; null when there is none for years. */
  previousAllowed(at: Millis): Millis | null {
    const zone = zoneOf(this.written.timeZone)
    let [until, offset] = [at, zone.offsetAt(at)]
    let known = until + offset
    let local = this.#local.previous(known)
    for (; local !== null;) {
      const guess: Millis = local - offset
      zone.offsetAt(guess) // so that the zone knows its transitions from there on
      const began = zone.transitionUntil(until)
      if (began === null || guess >= began.at) return guess
      until = began.at - 1
      offset = began.before
      if (local <= until + offset && until + offset <= known) continue
      known = until + offset
      local = this.#local.previous(known)
    }
    return null
  }

  /** A calendar that allows nothing is a mistake: what names it would never fire. */
  assertAllowsSome(now: Millis): void {
    if (!this.#search(now).found)
      throw invalidInput('exclude', `the calendar allows nothing in the next ${YEARS_SEARCHED_MAX} years`)
  }

  #search(at: Millis): { readonly at: Millis; readonly found: boolean } {
    const zone = zoneOf(this.written.timeZone)
    let [from, offset] = [at, zone.offsetAt(at)]
    let known = from + offset
    let next = this.#local.next(known)
    for (;;) {
      const guess: Millis = next.local - offset
      const ended = zone.transitionAfter(from, guess)
      if (ended === null) return { at: guess, found: next.found }
      from = ended.at
      offset = ended.after
      // Local times between what was searched from and what was found are excluded on either side of the transition.
      if (known <= from + offset && from + offset <= next.local) continue
      known = from + offset
      next = this.#local.next(known)
    }
  }
}

function parsed(texts: readonly string[], field: string): readonly CalendarEntry[] {
  const entries = texts.map((text, index) => parseCalendarEntry(text, `${field}[${index}]`))
  const timed = entries.filter(
    ({ days, times }) => days.kind === 'dates' && days.first < days.last && times.to - times.from < DAY,
  )
  if (timed.length <= CALENDAR_TIMED_RANGES_MAX) return entries
  throw invalidInput(field, `a calendar has at most ${CALENDAR_TIMED_RANGES_MAX} ranges of days with a time`)
}
