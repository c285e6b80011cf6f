// Whether a timer was made with the same parameters as a create asks for, so that a client can repeat a create it does
// not know the fate of. What happened to the timer since (attempts, retries, a receiver that moved it) does not count;
// an update does, because it gave the timer other parameters.

import type { TimerSpec } from './command.ts'
import { hash128 } from '../timer/ids.ts'
import { canonicalJson, sameJson } from '../json/json-equality.ts'
import { sameRetryPolicy } from './retry.ts'
import { rulesText, sameRules } from '../time/firing-rules.ts'
import { repeats } from '../time/firings.ts'
import { parseSchedule } from '../time/schedule.ts'
import type { Schedule } from '../time/schedule.ts'
import { sameTarget, targetText } from '../targets/target-equality.ts'
import type { Timer } from '../timer/timer.ts'

/** A hash of the same parameters, for a timer to remember what it was made with. */
export function fingerprintOf(spec: TimerSpec): string {
  const { schedule, target, retry } = spec
  const when: unknown[] = schedule.kind === 'instant' ? [schedule.at] : [schedule.text, schedule.timeZone, spec.catchUp]
  if (schedule.rules !== null) when.push(rulesText(schedule.rules))
  const { maxLatenessMs = null, overlap = null } = spec
  if (maxLatenessMs !== null || overlap !== null) when.push(maxLatenessMs, overlap)
  const policy = [
    retry.maxAttempts,
    retry.initialIntervalMs,
    retry.multiplier,
    retry.maxIntervalMs,
    retry.maxDurationMs,
  ]
  const json = [spec.metadata, spec.payload].map((text) => (text === null ? null : canonicalJson(text)))
  return hash128(JSON.stringify([spec.protocol, spec.timeoutMs, policy, when, targetText(target), ...json]))
}

export function hasParameters(timer: Timer, spec: TimerSpec): boolean {
  return (
    timer.timeoutMs === spec.timeoutMs &&
    timer.maxLatenessMs === (spec.maxLatenessMs ?? null) &&
    timer.overlap === (spec.overlap ?? null) &&
    timer.protocol === spec.protocol &&
    sameRetryPolicy(timer.retry, spec.retry) &&
    sameTarget(timer.target, spec.target) &&
    hasSchedule(timer, spec) &&
    sameJson(timer.metadata, spec.metadata) &&
    sameJson(timer.payload, spec.payload)
  )
}

/**
 * Instants are compared as moments, in whatever offset they were written; anything else as it was written. A one-shot
 * that was moved away from its instant (by its receiver, or fired by hand) has kept that instant as its schedule.
 */
function hasSchedule(timer: Timer, { schedule, catchUp }: TimerSpec): boolean {
  if (!sameRules(timer.rules, schedule.rules)) return false
  const own: Schedule | null = timer.schedule === null ? null : parseSchedule(timer.schedule, timer.timeZone)
  if (own === null || own.kind === 'instant')
    return schedule.kind === 'instant' && schedule.at === (own?.at ?? timer.nominalAt)
  if (schedule.text !== own.text || schedule.timeZone !== own.timeZone) return false
  return !repeats(timer) || catchUp === timer.catchUp
}
