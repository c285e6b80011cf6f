// The deliveries of a shard that are still in flight here although the shard has been handed over to another node. The next
// owner is told of them and leaves their timers alone, so it must hear how each of them ended.

import type { EndedAttempt } from '../../core/rules/settle.ts'
import type { Millis, ShardId, Timer } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { DeliveryReporter, InFlightDeliveries } from './in-flight-deliveries.ts'
import type { RemoteDeliveries } from './remote-deliveries.ts'
import { remoteDelivery, reportedWithinMs } from './remote-delivery.ts'
import type { DeliveryReport, Handover, RemoteDelivery } from './remote-delivery.ts'

export type HandoverParts = {
  readonly id: ShardId
  readonly node: string
  readonly clock: Clock
  readonly logger: Logger
  readonly signal: AbortSignal
  readonly leaseMs: Millis
  /** Tells the shard's owner, as far as it is known here, how a delivery ended; false when that node does not own it. */
  readonly reportToOwner: (report: DeliveryReport) => Promise<boolean>
  /** Finds out who owns the shard by now. */
  readonly lookNow: () => Promise<void>
}

const TELL_AGAIN_FIRST_MS = 50
const TELL_AGAIN_MAX_MS = 500

export class HandedOverDeliveries implements Handover, DeliveryReporter {
  readonly #parts: HandoverParts
  readonly #deliveries: Pick<InFlightDeliveries, 'timers'>
  readonly #remote: RemoteDeliveries
  readonly #handedOver = Promise.withResolvers<void>()
  /** What the next owner was told of. */
  #known: ReadonlySet<string> = new Set()
  #handedOverAt = Infinity

  constructor(parts: HandoverParts, deliveries: Pick<InFlightDeliveries, 'timers'>, remote: RemoteDeliveries) {
    this.#parts = parts
    this.#deliveries = deliveries
    this.#remote = remote
  }

  /** Those that are in flight here, and those that it was told of itself. */
  deliveries(): readonly RemoteDelivery[] {
    const own = this.#deliveries.timers().map((timer) => remoteDelivery(timer, this.#parts.node))
    this.#known = new Set(own.map(({ deliveryId }) => deliveryId))
    this.#handedOverAt = this.#parts.clock.monotonic()
    return [...own, ...this.#remote.list()]
  }

  end(): void {
    this.#handedOver.resolve()
  }

  async report(timer: Timer, ended: EndedAttempt | null, endedMono: number): Promise<void> {
    await Promise.race([this.#handedOver.promise, aborted(this.#parts.signal)])
    const delivery = remoteDelivery(timer, this.#parts.node)
    if (this.#known.has(delivery.deliveryId)) await this.#tellOwner(delivery, ended, endedMono)
  }

  /**
   * Until the owner by now has it, or waits for it no longer. It may be on its way to yet another node, or dead; or this
   * one may have the shard again.
   */
  async #tellOwner(delivery: RemoteDelivery, ended: EndedAttempt | null, endedMono: number): Promise<void> {
    const { id: shard, clock, logger, signal, leaseMs, reportToOwner, lookNow } = this.#parts
    const untilMono = this.#handedOverAt + reportedWithinMs(delivery, leaseMs)
    const reported = () => ended && { ...ended, waitedMs: Math.round(clock.monotonic() - endedMono) }
    for (let waitMs = TELL_AGAIN_FIRST_MS; ; waitMs = Math.min(waitMs * 2, TELL_AGAIN_MAX_MS)) {
      try {
        if (await reportToOwner({ shard, delivery, ended: reported() })) return
      } catch (error) {
        logger.debug({ shard, err: error }, 'could not report the end of a delivery; trying again')
      }
      if (signal.aborted || clock.monotonic() >= untilMono) return
      await lookNow().catch(() => {})
      await sleep(clock, waitMs, signal).catch(() => {})
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
