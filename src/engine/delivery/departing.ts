// A shard that has been given to another node while some of its deliveries are still under way here. The next owner is told
// of them and leaves their timers alone, so it must hear how each of them ended.

import type { EndedAttempt } from '../../core/rules/settle.ts'
import type { Millis, ShardId, Timer } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { Flights } from './flights.ts'
import { carriedForMs, flightAbroad } from './flights-abroad.ts'
import type { FlightsAbroad } from './flights-abroad.ts'
import type { Departure, FlightAbroad, Landing } from './hand-over.ts'

export type DepartingParts = {
  readonly id: ShardId
  readonly node: string
  readonly clock: Clock
  readonly logger: Logger
  readonly signal: AbortSignal
  readonly leaseMs: Millis
  /** Tells the shard's owner, as far as it is known here, how a delivery ended; false when that node does not own it. */
  readonly landAtOwner: (landing: Landing) => Promise<boolean>
  /** Finds out who owns the shard by now. */
  readonly lookNow: () => Promise<void>
}

const TELL_AGAIN_FIRST_MS = 50
const TELL_AGAIN_MAX_MS = 500

export class Departing implements Departure {
  readonly #parts: DepartingParts
  readonly #flights: Flights
  readonly #abroad: FlightsAbroad
  readonly #handedOver = Promise.withResolvers<void>()
  /** What the next owner was told of. */
  #known: ReadonlySet<string> = new Set()
  #handedOverAt = Infinity

  constructor(parts: DepartingParts, flights: Flights, abroad: FlightsAbroad) {
    this.#parts = parts
    this.#flights = flights
    this.#abroad = abroad
  }

  /** Those that this node carries, and those that it was told of itself. */
  flights(): readonly FlightAbroad[] {
    const own = this.#flights.timers().map((timer) => flightAbroad(timer, this.#parts.node))
    this.#known = new Set(own.map(({ deliveryId }) => deliveryId))
    this.#handedOverAt = this.#parts.clock.monotonic()
    return [...own, ...this.#abroad.list()]
  }

  end(): void {
    this.#handedOver.resolve()
  }

  /** A delivery that this node carries is over; `ended` is null when there is nothing to store. Resolves when the owner has it. */
  async report(timer: Timer, ended: EndedAttempt | null): Promise<void> {
    await Promise.race([this.#handedOver.promise, aborted(this.#parts.signal)])
    const flight = flightAbroad(timer, this.#parts.node)
    if (this.#known.has(flight.deliveryId)) await this.#tellOwner({ shard: this.#parts.id, flight, ended })
  }

  /**
   * Until the owner by now has it, or waits for it no longer. It may be on its way to yet another node, or dead; or this
   * one may have the shard again.
   */
  async #tellOwner(landing: Landing): Promise<void> {
    const { clock, logger, signal, leaseMs, landAtOwner, lookNow } = this.#parts
    const untilMono = this.#handedOverAt + carriedForMs(landing.flight, leaseMs)
    for (let waitMs = TELL_AGAIN_FIRST_MS; ; waitMs = Math.min(waitMs * 2, TELL_AGAIN_MAX_MS)) {
      try {
        if (await landAtOwner(landing)) return
      } catch (error) {
        logger.debug({ shard: landing.shard, err: error }, 'could not report the end of a delivery; trying again')
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
