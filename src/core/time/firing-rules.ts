// What a client can say about a schedule beside the schedule itself. One object, null for most timers, stored as it is.

import type { Millis } from './millis.ts'
import type { DstPolicy } from './zone/local-rule.ts'

export type FiringRules = {
  /** Where clocks change; what is not given follows from the kind of schedule. */
  readonly dst?: Partial<DstPolicy>
  /** Of a schedule that repeats: nothing fires before, or after. */
  readonly startAt?: Millis
  readonly endAt?: Millis
  /** So many iterations, and no more; those that are passed over count. */
  readonly maxFirings?: number
  /** The iteration that `maxFirings` makes the last one: a cycle with a start in the past does not begin with the first. */
  readonly lastIteration?: number
  /** Every firing is later by a part of this that follows from the timer's id. */
  readonly spreadMs?: Millis
  /** By its name in the timer's namespace: nothing fires when it says so. */
  readonly calendar?: CalendarRule
}

/** What becomes of a firing that the calendar excludes: it is passed over, or it is at the next allowed moment. */
export type CalendarRule = { readonly name: string; readonly onExcluded: 'skip' | 'move' }

/** How much later than its schedule says a timer fires. */
export function spreadShift({ uuid, rules }: { readonly uuid: string; readonly rules: FiringRules | null }): Millis {
  const spreadMs = rules?.spreadMs
  if (spreadMs === undefined) return 0
  // The uuid is a hash already: eight of its digits are as evenly spread as all of them.
  return Math.floor((Number.parseInt(uuid.slice(-8), 16) / 2 ** 32) * spreadMs)
}

/** As it was given. */
export function sameRules(a: FiringRules | null, b: FiringRules | null): boolean {
  return a === b || rulesText(a) === rulesText(b)
}

/** Of what clients give, in one order. */
export function rulesText(rules: FiringRules | null): string {
  if (rules === null) return ''
  const { dst, startAt, endAt, maxFirings, spreadMs, calendar } = rules
  const said = [dst?.gap, dst?.overlap, startAt, endAt, maxFirings, spreadMs]
  return JSON.stringify(calendar === undefined ? said : [...said, calendar.name, calendar.onExcluded])
}
