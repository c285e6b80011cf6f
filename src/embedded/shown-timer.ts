// The timer as the program sees it: plain values, times as Dates, what is absent null.

import type { CalendarRule } from '../core/time/firing-rules.ts'
import { repeats } from '../core/time/firings.ts'
import { deliveryId } from '../core/timer/ids.ts'
import { formatInterval } from '../core/time/interval.ts'
import type { Status } from '../core/timer/timer.ts'
import type { Target } from '../core/targets/target.ts'
import type { AttemptOutcome, JsonText, Millis, Timer as StoredTimer } from '../core/timer/timer.ts'
import type { Metadata } from '../language/metadata.ts'
import { nextAttemptAt, pauseEnd } from '../language/timer-json.ts'

export type Timer<Payload = unknown> = {
  readonly id: string
  readonly namespace: string
  readonly status: Status
  /** When the current firing is due. Retries do not move it. */
  readonly dueAt: Date
  /** As it was given; null for a plain instant. */
  readonly schedule: string | null
  readonly timeZone: string | null
  /** Which iteration of a cycle is next, from 1; null for a timer that fires once. */
  readonly iteration: number | null
  /** What is called: `function` is the namespace's handler. */
  readonly callback: Target
  readonly payload: Payload
  /** The payload as JSON, as it is stored: JavaScript rounds integers beyond 2^53. */
  readonly payloadText: string | null
  readonly metadata: Metadata | null
  readonly callbackTimeout: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** When the last attempt started. */
  readonly executedAt: Date | null
  readonly finishedAt: Date | null
  /** While a cycle fires once more, beside its schedule, because somebody asked for it. */
  readonly triggeredAt: Date | null
  /** When the schedule says that the current firing is; `dueAt` is later where firings are spread, or a calendar has moved it. */
  readonly nominalAt: Date
  /** The calendar that says when nothing fires; null for none. */
  readonly calendar: CalendarRule | null
  /** How many iterations were not fired. */
  readonly skipped: number
  /** With `overlap: 'allow'`: iterations that have begun and are not over, beside the next one. */
  readonly running: readonly RunningIteration[]
  /** While it is paused: when the pause ends by itself. */
  readonly pausedUntil: Date | null
  /** While it waits for a retry. */
  readonly nextAttemptAt: Date | null
  /** Attempts made of the current firing. */
  readonly attemptCount: number
  /** The last attempts, oldest first. */
  readonly attempts: readonly Attempt[]
  readonly lastError: string | null
  readonly version: number
  readonly deliveryId: string
}

export type RunningIteration = {
  readonly iteration: number
  readonly dueAt: Date
  /** Attempts that have ended. */
  readonly attemptCount: number
  readonly nextAttemptAt: Date | null
  readonly deliveryId: string
}

export type Attempt = {
  readonly at: Date
  readonly durationMs: number
  readonly outcome: AttemptOutcome
  readonly statusCode: number | null
  readonly error: string | null
  /** What is worth knowing although it is no failure. */
  readonly note?: string
  /** Of one that ran beside others. */
  readonly iteration?: number
}

export function shownTimer<Payload>(timer: StoredTimer): Timer<Payload> {
  return {
    id: timer.id,
    namespace: timer.namespace,
    status: timer.status,
    dueAt: new Date(timer.dueAt),
    schedule: timer.schedule,
    timeZone: timer.timeZone,
    iteration: repeats(timer) ? timer.iteration : null,
    callback: timer.target,
    payload: parsed(timer.payload) as Payload,
    payloadText: timer.payload,
    metadata: parsed(timer.metadata) as Metadata | null,
    callbackTimeout: formatInterval(timer.timeoutMs),
    createdAt: new Date(timer.createdAt),
    updatedAt: new Date(timer.updatedAt),
    executedAt: dateOrNull(timer.executedAt),
    finishedAt: dateOrNull(timer.finishedAt),
    triggeredAt: dateOrNull(timer.extra?.dueAt ?? null),
    nominalAt: new Date(timer.nominalAt),
    calendar: timer.rules?.calendar ?? null,
    skipped: timer.skipped,
    running: (timer.running?.firings ?? []).map(({ firing, iteration, dueAt, attempts, wakeAt }) => ({
      iteration,
      dueAt: new Date(dueAt),
      attemptCount: attempts,
      nextAttemptAt: attempts > 0 ? new Date(wakeAt) : null,
      deliveryId: deliveryId({ ...timer, firing, extra: null }),
    })),
    pausedUntil: dateOrNull(pauseEnd(timer)),
    nextAttemptAt: dateOrNull(nextAttemptAt(timer)),
    attemptCount: timer.attempts,
    attempts: timer.attemptLog.map(({ at, of, ...attempt }) => ({
      at: new Date(at),
      ...attempt,
      ...(of !== undefined && { iteration: of.iteration }),
    })),
    lastError: timer.lastError,
    version: timer.version,
    deliveryId: deliveryId(timer),
  }
}

export function parsed(json: JsonText | null): unknown {
  return json === null ? null : (JSON.parse(json) as unknown)
}

function dateOrNull(at: Millis | null): Date | null {
  return at === null ? null : new Date(at)
}
