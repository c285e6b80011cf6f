// How the live timers lie on the levels of the timing wheel. Up to the reach of a level they are counted one by one, unless
// there are too many: then what is known is the hour or the day they wake in, and a level whose reach ends within one of
// those has its share of it.

import type { Millis } from '../timer/timer.ts'
import { WHEEL_LEVELS } from './wheel-levels.ts'

/** So many timers wake in this stretch of time. */
export type WakeCount = { readonly from: Millis; readonly lengthMs: Millis; readonly count: number }

export type WheelLoad = {
  /** By level: all that wakes before the end of its reach (see reachEnd), overdue ones included, by its slots; null when that is not known. */
  readonly counted: readonly (readonly WakeCount[] | null)[]
  readonly coarse: readonly WakeCount[]
  /** Timers in the wheel. */
  readonly total: number
}

export type WheelUsage = { readonly levels: readonly number[]; readonly usedSlots: number; readonly totalSlots: number }

const TICK_MS = WHEEL_LEVELS[0]!.slotMs
const REACHES = WHEEL_LEVELS.map(({ slots, slotMs }) => slots * slotMs)
const TOTAL_SLOTS = WHEEL_LEVELS.reduce((sum, { slots }) => sum + slots, 0)

/** A reach includes the second that it ends in; what lies behind the last one waits at its end. */
export function reachEnd(level: number, now: Millis): Millis {
  return level === WHEEL_LEVELS.length - 1 ? Infinity : startOf(now) + REACHES[level]! + TICK_MS
}

export function wheelUsage(load: WheelLoad, now: Millis): WheelUsage {
  const start = startOf(now)
  const coarse = fromNowOn(load.coarse, start)
  const levels: number[] = []
  let [usedSlots, below, from] = [0, 0, start]
  for (const [level, { slots, slotMs }] of WHEEL_LEVELS.entries()) {
    const known = load.counted[level] ?? null
    const counts = known === null ? coarse : fromNowOn(known, start)
    const end = reachEnd(level, now)
    const upTo = Math.max(below, end === Infinity ? load.total : Math.round(countBefore(counts, end)))
    levels.push(upTo - below)
    usedSlots += Math.min(slots, upTo - below, slotsBetween(counts, { from, end, slotMs }))
    below = upTo
    from = end
  }
  return { levels, usedSlots, totalSlots: TOTAL_SLOTS }
}

function startOf(now: Millis): Millis {
  return Math.floor(now / TICK_MS) * TICK_MS
}

/** What should have woken already wakes now. */
function fromNowOn(counts: readonly WakeCount[], start: Millis): WakeCount[] {
  return counts.map(({ from, lengthMs, count }) => {
    const begin = Math.max(from, start)
    return { from: begin, lengthMs: Math.max(TICK_MS, from + lengthMs - begin), count: Math.max(0, count) }
  })
}

function countBefore(counts: readonly WakeCount[], end: Millis): number {
  return counts.reduce(
    (sum, { from, lengthMs, count }) => sum + count * Math.min(1, Math.max(0, (end - from) / lengthMs)),
    0,
  )
}

/** A stretch that is longer than a slot may be in as many as it has timers. */
function slotsBetween(
  counts: readonly WakeCount[],
  { from, end, slotMs }: { from: Millis; end: Millis; slotMs: Millis },
): number {
  const single = new Set<number>()
  let spread = 0
  for (const one of counts) {
    const [begin, stop] = [Math.max(one.from, from), Math.min(one.from + one.lengthMs, end)]
    if (one.count === 0 || stop <= begin) continue
    if (one.lengthMs <= slotMs) single.add(Math.floor(begin / slotMs))
    else spread += Math.min(one.count, Math.ceil((stop - begin) / slotMs))
  }
  return single.size + spread
}
