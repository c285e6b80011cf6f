// The timer as clients see it. Written by hand: payload and metadata are JSON text already and go in as they are, and
// a create answers in a microsecond or two. Optional fields that are absent are left out.

import { repeats } from '../core/time/firings.ts'
import { deliveryId } from '../core/timer/ids.ts'
import { formatInterval } from '../core/time/interval.ts'
import { TIMEOUT_DEFAULT_MS } from '../core/limits.ts'
import { withoutRunning } from '../core/timer/running-firings.ts'
import { firingDueAt, isShifted, NEVER, Status } from '../core/timer/timer.ts'
import type { Target } from '../core/targets/target.ts'
import type { Attempt, Millis, Timer } from '../core/timer/timer.ts'
import { isoText } from '../core/time/iso-text.ts'
import { callbackJson, callbackUrlOf } from './callback.ts'
import { catchUpJson, firingRulesJson } from './firing-rules.ts'
import { retryPolicyJson } from './retry-policy.ts'

/** `secrets`: show header values and passwords as they are. */
export function timerJson(timer: Timer, { secrets = false }: { readonly secrets?: boolean } = {}): string {
  const namespace = JSON.stringify(timer.namespace)
  const createdAt = isoText(timer.createdAt)
  const updatedAt = timer.updatedAt === timer.createdAt ? createdAt : isoText(timer.updatedAt)
  let json = `{"id":${JSON.stringify(timer.id)},"namespace":${namespace},"groupId":${namespace},"status":"${timer.status}"`
  json += `,"executeAt":"${isoText(timer.dueAt)}"`
  if (timer.schedule !== null) json += `,"schedule":${JSON.stringify(timer.schedule)}`
  if (timer.timeZone !== null) json += `,"timeZone":${JSON.stringify(timer.timeZone)}`
  if (timer.rules !== null) json += firingRulesJson(timer.rules)
  if (isShifted(timer)) json += `,"nominalAt":"${isoText(timer.nominalAt)}"`
  if (repeats(timer)) json += `,"iteration":${timer.iteration},"catchUp":${catchUpJson(timer.catchUp)}`
  if (timer.maxLatenessMs !== null) json += `,"maxLateness":"${formatInterval(timer.maxLatenessMs)}"`
  if (timer.overlap !== null) json += `,"overlap":"${timer.overlap}"`
  if (timer.skipped !== 0) json += `,"skipped":${timer.skipped}`
  if (timer.running !== null) json += `,"running":${runningJson(timer)}`
  const pausedUntil = pauseEnd(timer)
  if (pausedUntil !== null) json += `,"pausedUntil":"${isoText(pausedUntil)}"`
  json += targetJson(timer.target, secrets)
  if (timer.payload !== null) json += `,"payload":${timer.payload}`
  if (timer.metadata !== null) json += `,"metadata":${timer.metadata}`
  json += `,"retryPolicy":${retryPolicyJson(timer.retry)}`
  json += timer.timeoutMs === TIMEOUT_DEFAULT_MS ? DEFAULT_TIMEOUT_TEXT : timeoutText(timer.timeoutMs)
  json += `,"createdAt":"${createdAt}","updatedAt":"${updatedAt}"`
  if (timer.executedAt !== null) json += `,"executedAt":"${isoText(timer.executedAt)}"`
  if (timer.extra !== null) json += `,"triggeredAt":"${isoText(timer.extra.dueAt)}"`
  const retryAt = nextAttemptAt(timer)
  if (retryAt !== null) json += `,"nextAttemptAt":"${isoText(retryAt)}"`
  json += `,"attemptCount":${timer.attempts},"attempts":${timer.attemptLog.length === 0 ? '[]' : attemptsJson(timer.attemptLog)}`
  if (timer.lastError !== null) json += `,"lastError":${JSON.stringify(timer.lastError)}`
  if (timer.correlationId !== null) json += `,"correlationId":${JSON.stringify(timer.correlationId)}`
  return `${json},"version":${timer.version},"deliveryId":"${deliveryId(timer)}"}`
}

const DEFAULT_TIMEOUT_TEXT = timeoutText(TIMEOUT_DEFAULT_MS)

function timeoutText(timeoutMs: Millis): string {
  return `,"callbackTimeout":"${formatInterval(timeoutMs)}","callbackTimeoutSeconds":${timeoutMs / 1_000}`
}

function targetJson(target: Target, secrets: boolean): string {
  const callback = callbackJson(target, { secrets })
  if (callback === null) return ''
  const url = callbackUrlOf(target, { secrets })
  return `${url === null ? '' : `,"callbackUrl":${JSON.stringify(url)}`},"callback":${callback}`
}

/** When the pause ends by itself; null when it does not, or the timer is not paused. */
export function pauseEnd(timer: Timer): Millis | null {
  const { status, wakeAt, extra } = withoutRunning(timer)
  if ((extra?.regular.status ?? status) !== Status.paused) return null
  const until = extra?.regular.wakeAt ?? wakeAt
  return until === NEVER ? null : until
}

/** While the current firing waits for a retry; else null. */
export function nextAttemptAt(timer: Timer): Millis | null {
  const { status, wakeAt } = withoutRunning(timer)
  return status === Status.pending && wakeAt !== firingDueAt(timer) && wakeAt !== NEVER ? wakeAt : null
}

/** The firings that go on beside the current one. */
export function runningJson(timer: Timer): string {
  return JSON.stringify(
    (timer.running?.firings ?? []).map(({ firing, iteration, dueAt, wakeAt, attempts }) => ({
      iteration,
      executeAt: isoText(dueAt),
      attemptCount: attempts,
      ...(attempts > 0 && { nextAttemptAt: isoText(wakeAt) }),
      deliveryId: deliveryId({ ...timer, firing, extra: null }),
    })),
  )
}

export function attemptsJson(attempts: readonly Attempt[]): string {
  return JSON.stringify(
    attempts.map(({ at, durationMs, outcome, statusCode, error, note, of }) => ({
      at: isoText(at),
      durationMs,
      outcome,
      ...(statusCode === null ? {} : { statusCode }),
      ...(error === null ? {} : { error }),
      ...(note === undefined ? {} : { note }),
      ...(of === undefined ? {} : { iteration: of.iteration }),
    })),
  )
}
