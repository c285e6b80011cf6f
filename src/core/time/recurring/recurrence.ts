// What a kind of schedule that repeats answers. A point is one of its firings as the schedule says it: which one, and when. The
// next point follows from the schedule and the last point alone, so that every node, after every crash, computes the same.

import type { FiringRules } from '../firing-rules.ts'
import type { Millis } from '../millis.ts'

export type Point = { readonly iteration: number; readonly at: Millis }

export type Recurrence<S> = {
  /** The first point at `from` or later, and from where the others are counted. Null when there is none. */
  readonly first: (schedule: S, from: Millis) => { readonly anchorAt: Millis; readonly point: Point } | null
  /** The one that follows. */
  readonly after: (schedule: S, anchorAt: Millis, point: Point) => Point | null
  /** The first of those that follow which is at `from` or later. */
  readonly afterFrom: (schedule: S, anchorAt: Millis, point: Point, from: Millis) => Point | null
  /** The last of those that follow which is at `until` or before. */
  readonly lastUntil: (schedule: S, anchorAt: Millis, point: Point, until: Millis) => Point | null
}

/** Points that were passed over are counted up to here; beyond, their number is a lower bound. A thousand take half a millisecond. */
export const POINTS_COUNTED_MAX = 1_000

/** For schedules that know the next instant only. Many missed points are jumped over. */
export function steppingRecurrence<S extends { readonly rules: FiringRules | null }>(
  nextAfter: (schedule: S, anchorAt: Millis, at: Millis) => Millis | null,
): Recurrence<S> {
  const follow = (schedule: S, anchorAt: Millis, { iteration, at }: Point): Point | null => {
    const next = nextAfter(schedule, anchorAt, at)
    return next === null ? null : { iteration: iteration + 1, at: next }
  }
  return {
    first: (schedule, from) => {
      const anchorAt = schedule.rules?.startAt ?? from
      const at = nextAfter(schedule, anchorAt, from - 1)
      return at === null ? null : { anchorAt, point: { iteration: 1, at } }
    },
    after: follow,
    afterFrom: (schedule, anchorAt, point, from) => {
      let next = follow(schedule, anchorAt, point)
      for (let counted = 1; next !== null && next.at < from; counted++) {
        if (counted > POINTS_COUNTED_MAX) return follow(schedule, anchorAt, { ...next, at: from - 1 })
        next = follow(schedule, anchorAt, next)
      }
      return next
    },
    lastUntil: (schedule, anchorAt, point, until) => {
      let last: Point | null = null
      for (let counted = 1; counted <= POINTS_COUNTED_MAX; counted++) {
        const next = follow(schedule, anchorAt, last ?? point)
        if (next === null || next.at > until) return last
        last = next
      }
      const at = lastOf((after) => nextAfter(schedule, anchorAt, after), last!.at, until)
      return { iteration: last!.iteration + 1, at }
    },
  }
}

/** The last instant up to `until`, found by halving: `from` is one itself. */
function lastOf(nextAfter: (at: Millis) => Millis | null, from: Millis, until: Millis): Millis {
  let [low, high] = [from, until]
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2)
    const next = nextAfter(middle)
    if (next !== null && next <= until) low = next
    else high = middle
  }
  return low
}
