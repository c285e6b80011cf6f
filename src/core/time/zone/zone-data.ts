// Where the offsets of time zones come from: the zone data of the runtime, through Temporal. They are an object with a name, because
// governments change their rules: whoever kept an instant that was computed with other data has to compute it again.

import type { Millis } from '../millis.ts'

/** Clocks that showed `at + before` when it happened show `at + after` from then on. */
export type Transition = { readonly at: Millis; readonly before: Millis; readonly after: Millis }

export type ZoneData = {
  /** Such as 2026a; another one when the rules of some zone are others. */
  readonly version: string
  readonly offsetAt: (timeZone: string, at: Millis) => Millis
  /** The first change of the offset after the instant; null when none is known. */
  readonly transitionAfter: (timeZone: string, at: Millis) => Transition | null
}

/** `version`: of the data that Temporal has here. */
export function temporalZoneData(version: string): ZoneData {
  const zoned = (timeZone: string, at: Millis) =>
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone)
  const offsetAt = (timeZone: string, at: Millis) => zoned(timeZone, at).offsetNanoseconds / 1_000_000
  return {
    version,
    offsetAt,
    transitionAfter: (timeZone, from) => {
      for (let next = zoned(timeZone, from).getTimeZoneTransition('next'); next !== null;) {
        const at = next.epochMilliseconds
        const [before, after] = [offsetAt(timeZone, at - 1), next.offsetNanoseconds / 1_000_000]
        if (before !== after) return { at, before, after }
        next = next.getTimeZoneTransition('next')
      }
      return null
    },
  }
}
