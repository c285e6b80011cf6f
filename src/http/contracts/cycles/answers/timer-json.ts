// The timer as this contract shows it. Metadata is JSON text already and goes in as it is.

import { iterationOf, repeats } from '../../../../core/time/firings.ts'
import { parseSchedule } from '../../../../core/time/schedule.ts'
import { callbackUrlOf } from '../../../../language/callback.ts'
import { isFinished, Status } from '../../../../core/timer/timer.ts'
import type { Millis, Timer } from '../../../../core/timer/timer.ts'
import { wheelPosition } from '../../../../core/statistics/wheel-levels.ts'
import type { WheelPosition } from '../../../../core/statistics/wheel-levels.ts'
import { isoText } from '../../../../core/time/iso-text.ts'
import { statusWord, typeWord } from './status.ts'

const ITERATIONS_SHOWN = 3

export function timerJson(timer: Timer, now: Millis): string {
  return `{${timerFields(timer, now)}}`
}

/** Without the braces, for answers that have more to say. */
export function timerFields(timer: Timer, now: Millis): string {
  const place = placeOf(timer, now)
  return (
    `"timer_id":${JSON.stringify(timer.id)},"duration_or_cycle":${JSON.stringify(timer.schedule ?? isoText(timer.dueAt))}` +
    `,"status":"${statusWord(timer.status)}","created_at":"${isoText(timer.createdAt)}","scheduled_at":"${isoText(timer.dueAt)}"` +
    `,"tenant_id":${JSON.stringify(timer.namespace)},"timer_type":"${typeWord(timer)}","cycle_info":${cycleJson(timer)}` +
    `,"remaining_time_ms":${remainingMs(timer, now)},"metadata":${timer.metadata ?? '{}'}` +
    `,"callback_url":${JSON.stringify(callbackUrlOf(timer.target))}` +
    `,"timewheel_level":${place?.level ?? null},"slot_position":${place?.slot ?? null}`
  )
}

/** Null for timers that are not in the wheel: finished and paused ones. A retry waits where its next attempt is. */
export function placeOf(timer: Timer, now: Millis): WheelPosition | null {
  return isFinished(timer) || timer.status === Status.paused ? null : wheelPosition(timer.wakeAt, now)
}

export function remainingMs(timer: Timer, now: Millis): Millis {
  return isFinished(timer) ? 0 : Math.max(0, timer.dueAt - now)
}

function cycleJson(timer: Timer): string {
  if (!repeats(timer) || timer.schedule === null) return 'null'
  const schedule = parseSchedule(timer.schedule, timer.timeZone)
  if (schedule.kind !== 'cycle') return 'null'
  const next: Millis[] = isFinished(timer) ? [] : [timer.dueAt]
  while (next.length > 0 && next.length < ITERATIONS_SHOWN) {
    const iteration = iterationOf(timer, timer.iteration + next.length)
    if (iteration === null) break
    next.push(iteration.dueAt)
  }
  return JSON.stringify({
    repetitions: schedule.repetitions === null ? 'infinite' : String(schedule.repetitions),
    interval_duration: timer.schedule.slice(timer.schedule.lastIndexOf('/') + 1),
    current_iteration: timer.iteration,
    next_iterations: next.map(isoText),
  })
}
