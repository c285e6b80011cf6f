// Samples of what happens to timers, as the live feed shows them.

import type { Command } from '../../core/rules/command.ts'
import { firingDueAt, isFinished, NEVER } from '../../core/timer/timer.ts'
import type { Millis, Timer } from '../../core/timer/timer.ts'
import type { DeliveryResult } from '../../runtime/telemetry/metrics-namespaces.ts'

/** An attempt that ended. */
export type FiringSample = {
  readonly timer: Timer
  readonly dueAt: Millis
  readonly firedAt: Millis
  /** Null for retries, which are late by design. */
  readonly latenessMs: Millis | null
  readonly outcome: DeliveryResult
  readonly statusCode: number | null
  readonly error: string | null
  readonly attempt: number
  readonly durationMs: Millis
  /** When it wakes next; null when it does not. */
  readonly nextAt: Millis | null
}

export type ChangeSample = { readonly type: ChangeType; readonly timer: Timer; readonly at: Millis }

/** What each command does to a timer. */
export const CHANGES = {
  create: 'created',
  update: 'updated',
  cancel: 'canceled',
  pause: 'paused',
  resume: 'resumed',
  trigger: 'triggered',
  retry: 'retried',
} as const satisfies Record<Command['type'], string>
export type ChangeType = (typeof CHANGES)[Command['type']]

export function firingSample(before: Timer, after: Timer, outcome: DeliveryResult, durationMs: Millis): FiringSample {
  const attempt = after.attemptLog.at(-1)
  const firedAt = attempt?.at ?? after.updatedAt
  return {
    timer: after,
    dueAt: firingDueAt(before),
    firedAt,
    latenessMs: before.attempts === 0 ? firedAt - firingDueAt(before) : null,
    outcome,
    statusCode: attempt?.statusCode ?? null,
    error: attempt?.error ?? null,
    attempt: before.attempts + 1,
    durationMs,
    nextAt: isFinished(after) || after.wakeAt === NEVER ? null : after.wakeAt,
  }
}
