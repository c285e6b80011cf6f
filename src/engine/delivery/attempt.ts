// One attempt to deliver, as every delivery makes it.

import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import { failedDelivery } from '../../core/timer/delivery.ts'
import { deliveryId } from '../../core/timer/ids.ts'
import { firingDueAt } from '../../core/timer/timer.ts'
import type { Millis, Timer } from '../../core/timer/timer.ts'
import type { TargetAdapter } from '../../targets/target.ts'
import type { Ended } from './dispatcher.ts'
import type { DeliveryParts } from './in-flight-deliveries.ts'

export const WRITE_AGAIN_FIRST_MS = 100
export const WRITE_AGAIN_MAX_MS = 500 // all that wait go in one commit, and each holds up its timer's next firing

/** Null when the service stopped before the receiver answered. */
export async function attemptOnce(
  { observer, signal, logger }: Pick<DeliveryParts, 'observer' | 'signal' | 'logger'>,
  timer: Timer,
  startedAt: Millis,
  adapter: TargetAdapter,
): Promise<DeliveryOutcome | null> {
  const firing: Firing = { timer, deliveryId: deliveryId(timer), attempt: timer.attempts + 1, firedAt: startedAt }
  observer.fired(timer, timer.attempts === 0 ? startedAt - firingDueAt(timer) : null)
  try {
    return await adapter.deliver(firing, signal)
  } catch (error) {
    if (signal.aborted) return null
    logger.error(
      { namespace: timer.namespace, id: timer.id, err: error },
      'a target failed in a way it should have reported',
    )
    return failedDelivery('internal error of the delivery; the log has the cause')
  }
}

/** No answer at all says something about the target's health. */
export function endedHow(outcome: DeliveryOutcome | null, { isLocal }: TargetAdapter): Ended {
  const isSilent = outcome?.type === 'failed' && outcome.statusCode === null && isLocal !== true
  return isSilent ? 'unreachable' : 'answered'
}
