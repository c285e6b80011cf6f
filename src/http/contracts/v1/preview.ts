// When a schedule would fire, in UTC and, when a time zone is given, on the clocks there; in words; and what is unusual about it.

import { inField, invalidSchedule } from '../../../core/errors.ts'
import { PREVIEW_FIRINGS_DEFAULT } from '../../../core/limits.ts'
import { parseInstant, parseTimeZone, parseZonedInstant } from '../../../core/time/instant.ts'
import { isoText } from '../../../core/time/iso-text.ts'
import type { PreviewedFiring, Reason } from '../../../core/time/preview.ts'
import { reasonInWords, scheduleInWords } from '../../../language/schedule-words.ts'
import type { Schedule } from '../../../core/time/schedule.ts'
import { parseTimerId, timerUuid } from '../../../core/timer/ids.ts'
import type { Millis } from '../../../core/timer/timer.ts'
import { requiredSchedule } from '../../../language/timing.ts'
import type { Timers } from '../../../service/timers.ts'
import { readNamespace } from './mapping.ts'
import type { PreviewBody } from './schema.ts'

type Preview = {
  readonly now: string
  readonly firings: readonly string[]
  readonly timeZone?: string
  readonly localFirings?: readonly string[]
  readonly description: string
  readonly unusual: readonly Unusual[]
}

type Unusual = {
  readonly executeAt: string
  readonly nominalAt?: string
  readonly reasons: readonly Reason[]
  readonly note: string
}

export async function preview(body: PreviewBody, timers: Timers): Promise<Preview> {
  const { timeZone, count = PREVIEW_FIRINGS_DEFAULT, from, to, namespace, id, ...timing } = body
  const zone = timeZone === undefined ? undefined : inField('timeZone', () => parseTimeZone(timeZone))
  // An executeAt with an offset needs no zone to be understood; the zone is for the answer then.
  const isForAnswer = zone === undefined || (timing.executeAt !== undefined && hasOffset(timing.executeAt))
  const schedule = requiredSchedule(isForAnswer ? timing : { ...timing, timeZone: zone })
  const named = readNamespace(namespace)
  const { now, firings } = timers.preview(schedule, {
    count,
    from: from === undefined ? undefined : inField('from', () => parseInstant(from)),
    to: to === undefined ? undefined : inField('to', () => parseInstant(to)),
    uuid: id === undefined ? undefined : timerUuid(named, parseTimerId(id)),
    calendars: await timers.calendars.for(schedule, named),
  })
  if (firings[0] !== undefined && firings[0].nominalAt < now) {
    throw invalidSchedule('past', `the due time must be in the future; it is ${isoText(now)} here`, schedule.text)
  }
  const shownZone = zone ?? (schedule.kind === 'local' ? schedule.timeZone : undefined)
  return {
    now: isoText(now),
    firings: firings.map(({ dueAt }) => isoText(dueAt)),
    ...(shownZone !== undefined && {
      timeZone: shownZone,
      localFirings: firings.map(({ dueAt }) => localText(dueAt, shownZone)),
    }),
    description: scheduleInWords(schedule),
    unusual: firings.filter(({ reasons }) => reasons.length > 0).map((firing) => unusual(firing, schedule)),
  }
}

function hasOffset(executeAt: string): boolean {
  try {
    parseZonedInstant(executeAt)
    return true
  } catch {
    return false
  }
}

function unusual({ dueAt, nominalAt, reasons, passedOver }: PreviewedFiring, schedule: Schedule): Unusual {
  return {
    executeAt: isoText(dueAt),
    ...(nominalAt !== dueAt && { nominalAt: isoText(nominalAt) }),
    reasons,
    note: reasons.map((reason) => reasonInWords(reason, schedule, passedOver)).join('; '),
  }
}

function localText(at: Millis, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timeZone)
    .toString({ smallestUnit: 'millisecond' })
}
