// What a delivery is told and what came of it: the vocabulary between the engine, the targets and `settle`.

import type { Millis, Timer } from './timer.ts'

/** One attempt to deliver one firing of a timer. */
export type Firing = {
  readonly timer: Timer
  /** The same on every attempt of this firing. */
  readonly deliveryId: string
  /** From 1. */
  readonly attempt: number
  /** When this attempt starts, on the service's clock; never before the due time. */
  readonly firedAt: Millis
}

export type DeliveryOutcome =
  /** `note`: what is worth keeping of an answer that nobody expects. */
  | { readonly type: 'delivered'; readonly statusCode: number | null; readonly note?: string }
  /** The receiver asked to be called again at this time, as a new firing. */
  | { readonly type: 'rescheduled'; readonly nextAt: Millis; readonly statusCode: number | null }
  | {
      readonly type: 'failed'
      readonly error: string
      readonly statusCode: number | null
      /** How long the receiver asked us to wait, if it did. */
      readonly retryAfterMs: Millis | null
      /** No further attempt makes sense (410 Gone). */
      readonly final: boolean
    }

export function failedDelivery(
  error: string,
  more: { statusCode?: number; retryAfterMs?: Millis | null; final?: boolean } = {},
): DeliveryOutcome {
  return {
    type: 'failed',
    error,
    statusCode: more.statusCode ?? null,
    retryAfterMs: more.retryAfterMs ?? null,
    final: more.final ?? false,
  }
}
