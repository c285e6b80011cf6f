// One attempt to deliver, as every delivery makes it, and its outcome on the way to the store.

import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import { failedDelivery } from '../../core/timer/delivery.ts'
import { deliveryId } from '../../core/timer/ids.ts'
import { firingDueAt } from '../../core/timer/timer.ts'
import type { Millis, Timer } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { TargetAdapter } from '../../targets/target.ts'
import type { PutResult } from '../commit/commit-queue.ts'
import type { OwnedRows } from '../commit/owned-rows.ts'
import type { Ended } from './dispatcher.ts'
import type { DeliveryParts } from './in-flight-deliveries.ts'
import { isSameWrite } from './same-write.ts'

export const WRITE_AGAIN_FIRST_MS = 100
export const WRITE_AGAIN_MAX_MS = 500 // all that wait go in one commit, and each holds up its timer's next firing

type AttemptParts = Pick<DeliveryParts, 'observer' | 'signal' | 'logger'>

/** `ended` is told the outcome; null when the service stopped before the receiver answered. */
export function attemptOnce(
  parts: AttemptParts,
  timer: Timer,
  startedAt: Millis,
  adapter: TargetAdapter,
  ended: (outcome: DeliveryOutcome | null) => void,
): void {
  const { observer, signal } = parts
  const firing: Firing = { timer, deliveryId: deliveryId(timer), attempt: timer.attempts + 1, firedAt: startedAt }
  observer.fired(timer, timer.attempts === 0 ? startedAt - firingDueAt(timer) : null)
  const broken = (error: unknown): void => ended(brokenAttempt(parts, timer, error))
  try {
    adapter.deliver(firing, signal).then(ended, broken)
  } catch (error) {
    broken(error)
  }
}

function brokenAttempt({ signal, logger }: AttemptParts, timer: Timer, error: unknown): DeliveryOutcome | null {
  if (signal.aborted) return null
  logger.error(
    { namespace: timer.namespace, id: timer.id, err: error },
    'a target failed in a way it should have reported',
  )
  return failedDelivery('internal error of the delivery; the log has the cause')
}

/** No answer at all says something about the target's health. */
export function endedHow(outcome: DeliveryOutcome | null, { isLocal }: TargetAdapter): Ended {
  const isSilent = outcome?.type === 'failed' && outcome.statusCode === null && isLocal !== true
  return isSilent ? 'unreachable' : 'answered'
}

type Change = { readonly before: Timer; readonly after: Timer }
type Parts = { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal }

/**
 * An outcome is not given up while the service runs: losing it would mean delivering again. Null when it stopped first. `first`:
 * what came of the first write.
 */
export async function writeUntilDurable(
  rows: Pick<OwnedRows, 'write'>,
  { before, after }: Change,
  { clock, logger, signal }: Parts,
  first?: () => Promise<PutResult>,
): Promise<PutResult | null> {
  let writing = first
  for (let waitMs = WRITE_AGAIN_FIRST_MS; ; waitMs = Math.min(waitMs * 2, WRITE_AGAIN_MAX_MS)) {
    try {
      const result = await (writing === undefined ? rows.write(before, after) : writing())
      // A write whose outcome was not known may have happened: then this finds its own row.
      return result.type === 'missed' && isSameWrite(result.row, after) ? { type: 'written' } : result
    } catch (error) {
      writing = undefined
      const isFirst = waitMs === WRITE_AGAIN_FIRST_MS
      if (isFirst)
        logger.error(
          { namespace: after.namespace, id: after.id, err: error },
          'could not store the outcome of a delivery; trying again',
        )
    }
    try {
      await sleep(clock, waitMs, signal)
    } catch {
      return null
    }
  }
}
