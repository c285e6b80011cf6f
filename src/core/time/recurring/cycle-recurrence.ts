// When a cycle fires: on the grid anchor + n × duration, each point computed from the anchor alone, so that neither slow
// callbacks nor downtime nor short months ever shift the ones that follow. An iteration is the number of a grid point.

import { addDuration, dateParts, followsCalendar, stepsToReach, timeMs } from '../duration.ts'
import { NEVER } from '../millis.ts'
import type { Millis } from '../millis.ts'
import type { Point, Recurrence } from './recurrence.ts'
import type { CycleSchedule } from '../schedule.ts'
import { DST_DEFAULT, resolveLocal } from '../zone/local-rule.ts'
import { zoneOf } from '../zone/zone.ts'

/** How many grid points in a row can be skipped, because clocks skip them. Two in a row have not been seen. */
const SKIPPED_MAX = 50

export const cycleRecurrence: Recurrence<CycleSchedule> = {
  /** One that began in the past joins in at its next grid point. */
  first: (schedule, from) => {
    const anchorAt = schedule.startAt ?? schedule.rules?.startAt ?? from
    const point = pointFrom(schedule, anchorAt, { iteration: 0, at: -NEVER }, from)
    return point === null ? null : { anchorAt, point }
  },
  after: (schedule, anchorAt, { iteration, at }) => {
    for (let next = Math.max(1, iteration); next <= iteration + SKIPPED_MAX; next++) {
      const instant = instantsOf(schedule, anchorAt, next)?.find((one) => one > at)
      if (instant !== undefined) return { iteration: next, at: instant }
    }
    return null
  },
  afterFrom: pointFrom,
  lastUntil: (schedule, anchorAt, point, until) => {
    // The grid is close to even, so the last one is among the few before the first that is later.
    const steps = stepsToReach(anchorAt, until + 1, schedule.duration, schedule.timeZone)
    const next = Math.min(steps + iterationAtAnchor(schedule), schedule.repetitions ?? Infinity) + 1
    for (let iteration = next; iteration >= Math.max(1, point.iteration, next - SKIPPED_MAX); iteration--) {
      const at = instantsOf(schedule, anchorAt, iteration)?.findLast((one) => one <= until && one > point.at)
      if (at !== undefined) return { iteration, at }
    }
    return null
  },
}

function pointFrom(schedule: CycleSchedule, anchorAt: Millis, point: Point, from: Millis): Point | null {
  const steps = stepsToReach(anchorAt, from, schedule.duration, schedule.timeZone)
  const next = Math.max(1, point.iteration + 1, steps + iterationAtAnchor(schedule))
  if (schedule.rules?.dst === undefined) {
    const [at] = instantsOf(schedule, anchorAt, next) ?? []
    return at === undefined ? null : { iteration: next, at }
  }
  // Clocks move a grid point by less than a day, so the one before the first in question may still be it.
  const near = next - 2
  const before =
    near > point.iteration ? { iteration: near, at: from - 1 } : { ...point, at: Math.max(point.at, from - 1) }
  return cycleRecurrence.after(schedule, anchorAt, before)
}

/** When an iteration is due, the first being 1: twice in an hour that clocks show twice, if so wanted. Null after the last one. */
export function instantsOf(schedule: CycleSchedule, anchorAt: Millis, iteration: number): readonly Millis[] | null {
  if (iteration < 1 || iteration > (schedule.repetitions ?? Infinity)) return null
  const { duration, timeZone, rules } = schedule
  const steps = iteration - iterationAtAnchor(schedule)
  const dueAt = addDuration(anchorAt, duration, steps, timeZone)
  if (dueAt >= NEVER) return null
  if (rules?.dst === undefined || timeZone === null || !followsCalendar(duration)) return [dueAt]
  const zone = zoneOf(timeZone)
  const local = addDuration(anchorAt + zone.offsetAt(anchorAt), dateParts(duration), steps, null)
  return resolveLocal(zone, local, { ...DST_DEFAULT, ...rules.dst }).map((at) => at + timeMs(duration) * steps)
}

/** A start is itself the first firing; the moment of creation is none. */
export function iterationAtAnchor({ startAt, rules }: CycleSchedule): 0 | 1 {
  return startAt === null && rules?.startAt === undefined ? 0 : 1
}
