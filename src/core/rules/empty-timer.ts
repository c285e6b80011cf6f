// A timer that nothing has happened to yet: what every maker of timers starts from.

import { TIMEOUT_DEFAULT_MS } from '../limits.ts'
import type { TimerIdentity } from '../timer/ids.ts'
import { CatchUp, NO_ATTEMPTS, Status } from '../timer/timer.ts'
import type { Millis, Timer } from '../timer/timer.ts'
import { SINGLE_ATTEMPT } from './retry.ts'

/** Made now, due now, and calling nobody. */
export function emptyTimer({ namespace, id, uuid }: TimerIdentity, now: Millis): Timer {
  return {
    namespace,
    id,
    uuid,
    version: 1,
    status: Status.pending,
    schedule: null,
    timeZone: null,
    rules: null,
    anchorAt: null,
    iteration: 1,
    catchUp: CatchUp.all,
    maxLatenessMs: null,
    overlap: null,
    skipped: 0,
    nominalAt: now,
    zoned: null,
    dueAt: now,
    wakeAt: now,
    target: { type: 'none' },
    protocol: 'none',
    payload: null,
    metadata: null,
    retry: SINGLE_ATTEMPT,
    timeoutMs: TIMEOUT_DEFAULT_MS,
    createdAt: now,
    updatedAt: now,
    executedAt: null,
    finishedAt: null,
    firing: 1,
    attempts: 0,
    firstAttemptAt: null,
    extra: null,
    running: null,
    lastError: null,
    attemptLog: NO_ATTEMPTS,
    traceparent: null,
    correlationId: null,
    fingerprint: null,
    lastCommand: null,
    tenant: null,
  }
}
