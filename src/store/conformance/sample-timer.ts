// Timers for the tests of the stores: valid values with everything at its default, but for what a test names.

import { timerUuid } from '../../core/timer/ids.ts'
import { DEFAULT_RETRY } from '../../core/rules/retry.ts'
import { CatchUp, NO_ATTEMPTS, Status } from '../../core/timer/timer.ts'
import type { JsonText, Namespace, Timer, TimerId } from '../../core/timer/timer.ts'

/** Long past and round, so that a time in a failed assertion can be read. */
export const SAMPLE_NOW = Date.UTC(2030, 0, 1)

export function sampleTimer(changes: Partial<Timer> = {}): Timer {
  const namespace = changes.namespace ?? ('default' as Namespace)
  const id = changes.id ?? ('sample' as TimerId)
  const dueAt = changes.dueAt ?? changes.wakeAt ?? SAMPLE_NOW + 60_000
  return {
    namespace,
    id,
    uuid: timerUuid(namespace, id),
    version: 1,
    status: Status.pending,
    schedule: null,
    timeZone: null,
    anchorAt: null,
    iteration: 1,
    catchUp: CatchUp.all,
    dueAt,
    wakeAt: dueAt,
    target: { type: 'http', url: 'http://127.0.0.1:9/hooks/orders/reminders', headers: null },
    protocol: 'v1',
    payload: '{"order":"o-1234567890","reason":"payment reminder","n":1}' as JsonText,
    metadata: null,
    retry: DEFAULT_RETRY,
    timeoutMs: 30_000,
    createdAt: SAMPLE_NOW,
    updatedAt: SAMPLE_NOW,
    executedAt: null,
    finishedAt: null,
    firing: 1,
    attempts: 0,
    firstAttemptAt: null,
    extra: null,
    lastError: null,
    attemptLog: NO_ATTEMPTS,
    traceparent: null,
    correlationId: null,
    fingerprint: null,
    lastCommand: null,
    tenant: null,
    ...changes,
  }
}
