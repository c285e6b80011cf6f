// Turns what happens in the engine and the service into metrics.

import type { DeliveryOutcome } from '../core/timer/delivery.ts'
import { isOnlyRemembered } from '../core/rules/sent-commands.ts'
import { isSameFiring } from '../core/timer/timer.ts'
import type { Timer } from '../core/timer/timer.ts'
import type { EngineObserver } from '../engine/engine.ts'
import { DeliveryResult } from '../runtime/telemetry/metrics-namespaces.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { ServiceObserver } from './observers.ts'

export function observeInto(metrics: Metrics): EngineObserver & ServiceObserver {
  return {
    fired(timer, lateMs) {
      // Retries are late by design; only the first attempt says how punctual the service is.
      if (lateMs !== null) metrics.fired(timer, lateMs)
    },
    passed(before, after) {
      metrics.missed(after, after.skipped - before.skipped)
    },
    settled(before, after, outcome, durationMs) {
      metrics.delivered(after, resultOf(before, after, outcome), durationMs)
      metrics.missed(after, after.skipped - before.skipped)
    },
    committed(puts, durationMs) {
      metrics.committed(puts, durationMs)
    },
    executed(command, { changed, previous, timer }) {
      if (!changed || isOnlyRemembered(previous, timer)) return
      if (command.type === 'create') metrics.created(timer)
      if (command.type === 'cancel') metrics.canceled(timer)
    },
  }
}

/** A failure is `retried` while the same firing goes on, and `failed` when it was the firing's last attempt. */
export function resultOf(before: Timer, after: Timer, outcome: DeliveryOutcome): DeliveryResult {
  if (outcome.type !== 'failed') return outcome.type
  const goesOn = after.finishedAt === null && isSameFiring(before, after)
  return goesOn ? DeliveryResult.retried : DeliveryResult.failed
}
