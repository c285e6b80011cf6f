// When a schedule would fire, in UTC and, when a time zone is given, on the clocks there.

import { invalidSchedule } from '../../../core/errors.ts'
import { parseTimeZone } from '../../../core/time/instant.ts'
import { PREVIEW_FIRINGS_DEFAULT } from '../../../core/limits.ts'
import type { Millis } from '../../../core/timer/timer.ts'
import type { Timers } from '../../../service/timers.ts'
import { isoText } from '../../../core/time/iso-text.ts'
import { inField } from '../../../core/errors.ts'
import { requiredSchedule } from '../../../language/timing.ts'
import type { PreviewBody } from './schema.ts'

type Preview = {
  readonly now: string
  readonly firings: readonly string[]
  readonly timeZone?: string
  readonly localFirings?: readonly string[]
}

export function preview(
  { timeZone, count = PREVIEW_FIRINGS_DEFAULT, ...timing }: PreviewBody,
  timers: Timers,
): Preview {
  const zone = timeZone === undefined ? undefined : inField('timeZone', () => parseTimeZone(timeZone))
  // An executeAt needs no zone to be understood; the zone is for the answer then.
  const schedule = requiredSchedule(
    timing.schedule === undefined || zone === undefined ? timing : { ...timing, timeZone: zone },
  )
  const { now, firings } = timers.preview(schedule, count)
  if (firings[0] !== undefined && firings[0] < now) {
    throw invalidSchedule('past', `the due time must be in the future; it is ${isoText(now)} here`, schedule.text)
  }
  const utc = { now: isoText(now), firings: firings.map(isoText) }
  return zone === undefined ? utc : { ...utc, timeZone: zone, localFirings: firings.map((at) => localText(at, zone)) }
}

function localText(at: Millis, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timeZone)
    .toString({ smallestUnit: 'millisecond' })
}
