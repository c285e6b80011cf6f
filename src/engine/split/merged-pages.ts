// The first timers of some shards together, from the first ones of each.

import { compareKeys } from '../../core/timer/order.ts'
import type { Timer, TimerUuid } from '../../core/timer/timer.ts'

/** Each page is in order. Of a timer that is in several, the one in the later page counts. */
export function firstOf(limit: number, pages: readonly (readonly Timer[])[]): readonly Timer[] {
  const found = pages.filter((page) => page.length > 0)
  if (found.length < 2) return found[0] ?? []
  const timers = new Map<TimerUuid, Timer>()
  for (const page of found) for (const timer of page) timers.set(timer.uuid, timer)
  return [...timers.values()].toSorted(compareKeys).slice(0, limit)
}
