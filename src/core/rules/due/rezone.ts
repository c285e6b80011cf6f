// A timer on the clocks of a zone follows the zone data of the day it fires. Its time was computed with the data of an earlier day;
// where the runtime has others by now it is computed again: by a pass over all timers, and before a firing would be early.

import { nominalToday, zoneStamp } from '../../time/firings.ts'
import { spreadShift } from '../../time/firing-rules.ts'
import { zoneDataVersion } from '../../time/zone/zone.ts'
import { Status } from '../../timer/timer.ts'
import type { Timer } from '../../timer/timer.ts'
import { newFiring } from '../steps.ts'
import type { RuleContext } from '../steps.ts'

/** The next version of the timer, which may only say that its time is right; null when there is nothing to do, or a delivery has begun. */
export function rezoned(timer: Timer, { now }: RuleContext): Timer | null {
  const { zoned, nominalAt, dueAt, status } = timer
  if (zoned === null || zoned.data === zoneDataVersion()) return null
  const waits = (status === Status.pending || status === Status.paused) && timer.attempts === 0 && timer.extra === null
  if (!waits) return null
  const at = nominalToday(timer, zoned.offsetMs)
  // What the receiver has moved stays there.
  const isMoved = dueAt === nominalAt + spreadShift(timer) && at !== nominalAt
  if (!isMoved) return { ...timer, version: timer.version + 1, zoned: zoneStamp(timer) }
  const next = newFiring({ ...timer, nominalAt: at, dueAt: at + spreadShift(timer) }, now)
  return status === Status.paused ? { ...next, wakeAt: timer.wakeAt } : next
}
