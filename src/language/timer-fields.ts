// Single fields of a timer as JSON, for lists that ask for some only. With all of them it says what timer-json.ts says,
// which is written for speed; a test compares the two.

import { repeats } from '../core/time/firings.ts'
import type { Static } from 'typebox'
import { deliveryId } from '../core/timer/ids.ts'
import { formatInterval } from '../core/time/interval.ts'
import { isShifted } from '../core/timer/timer.ts'
import type { Millis, Timer } from '../core/timer/timer.ts'
import { TIMER_PARTS } from '../store/store.ts'
import type { TimerPart } from '../store/store.ts'
import { isoText } from '../core/time/iso-text.ts'
import type { TimerAnswer } from './answer-schema.ts'
import { callbackJson, callbackUrlOf } from './callback.ts'
import { catchUpJson } from './firing-rules.ts'
import { retryPolicyJson } from './retry-policy.ts'
import { attemptsJson, nextAttemptAt, runningJson, pauseEnd } from './timer-json.ts'

export type TimerField = keyof Static<typeof TimerAnswer>

/** In the order in which they are written. Null: the timer has none. */
const FIELDS: Readonly<Record<TimerField, (timer: Timer) => string | null>> = {
  id: ({ id }) => JSON.stringify(id),
  namespace: ({ namespace }) => JSON.stringify(namespace),
  groupId: ({ namespace }) => JSON.stringify(namespace),
  status: ({ status }) => JSON.stringify(status),
  executeAt: ({ dueAt }) => instant(dueAt),
  schedule: ({ schedule }) => text(schedule),
  timeZone: ({ timeZone }) => text(timeZone),
  dst: ({ rules }) => given(rules?.dst),
  startAt: ({ rules }) => instant(rules?.startAt ?? null),
  endAt: ({ rules }) => instant(rules?.endAt ?? null),
  maxFirings: ({ rules }) => given(rules?.maxFirings),
  spread: ({ rules }) => (rules?.spreadMs === undefined ? null : JSON.stringify(formatInterval(rules.spreadMs))),
  calendar: ({ rules }) => given(rules?.calendar),
  nominalAt: (timer) => (isShifted(timer) ? instant(timer.nominalAt) : null),
  iteration: (timer) => (repeats(timer) ? String(timer.iteration) : null),
  catchUp: (timer) => (repeats(timer) ? catchUpJson(timer.catchUp) : null),
  maxLateness: ({ maxLatenessMs }) => (maxLatenessMs === null ? null : JSON.stringify(formatInterval(maxLatenessMs))),
  overlap: ({ overlap }) => text(overlap),
  skipped: ({ skipped }) => (skipped === 0 ? null : String(skipped)),
  running: (timer) => (timer.running === null ? null : runningJson(timer)),
  pausedUntil: (timer) => instant(pauseEnd(timer)),
  callbackUrl: ({ target }) => text(callbackUrlOf(target)),
  callback: ({ target }) => callbackJson(target),
  payload: ({ payload }) => payload,
  metadata: ({ metadata }) => metadata,
  retryPolicy: ({ retry }) => retryPolicyJson(retry),
  callbackTimeout: ({ timeoutMs }) => JSON.stringify(formatInterval(timeoutMs)),
  callbackTimeoutSeconds: ({ timeoutMs }) => String(timeoutMs / 1_000),
  createdAt: ({ createdAt }) => instant(createdAt),
  updatedAt: ({ updatedAt }) => instant(updatedAt),
  executedAt: ({ executedAt }) => instant(executedAt),
  triggeredAt: ({ extra }) => instant(extra?.dueAt ?? null),
  nextAttemptAt: (timer) => instant(nextAttemptAt(timer)),
  attemptCount: ({ attempts }) => String(attempts),
  attempts: ({ attemptLog }) => attemptsJson(attemptLog),
  lastError: ({ lastError }) => text(lastError),
  correlationId: ({ correlationId }) => text(correlationId),
  version: ({ version }) => String(version),
  deliveryId: (timer) => JSON.stringify(deliveryId(timer)),
}

export const TIMER_FIELDS = Object.keys(FIELDS) as readonly TimerField[]

/** Which fields need a part that makes timers large. */
const NEEDED_BY: Readonly<Record<TimerPart, readonly TimerField[]>> = {
  payload: ['payload'],
  metadata: ['metadata'],
  headers: ['callback'],
  attempts: ['triggeredAt', 'nextAttemptAt', 'pausedUntil', 'attempts', 'lastError', 'deliveryId'],
}

export function partsNotIn(fields: readonly TimerField[]): readonly TimerPart[] {
  return TIMER_PARTS.filter((part) => !NEEDED_BY[part].some((field) => fields.includes(field)))
}

export function timerFieldsJson(fields: readonly TimerField[]): (timer: Timer) => string {
  const asked = TIMER_FIELDS.filter((field) => fields.includes(field))
  return (timer) => {
    let json = ''
    for (const field of asked) {
      const value = FIELDS[field](timer)
      if (value !== null) json += `${json === '' ? '' : ','}"${field}":${value}`
    }
    return `{${json}}`
  }
}

function instant(at: Millis | null): string | null {
  return at === null ? null : `"${isoText(at)}"`
}

function given(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function text(value: string | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
