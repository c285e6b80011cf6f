// Deliveries of a shard's timers that another node started before the shard came here, and still carries. Their timers
// are held: they are not delivered here until the carrier has told what came of it, or is gone.

import { deliveryId } from '../core/ids.ts'
import type { Timer, TimerUuid } from '../core/timer.ts'
import type { FlightAbroad } from './hand-over.ts'

type Holding = { readonly hold: (uuid: TimerUuid) => void; readonly release: (uuid: TimerUuid) => void }

export class FlightsAbroad {
  readonly #flights = new Map<TimerUuid, FlightAbroad>()
  readonly #holding: Holding

  constructor(holding: Holding, flights: readonly FlightAbroad[]) {
    this.#holding = holding
    for (const flight of flights) {
      this.#flights.set(flight.uuid, flight)
      holding.hold(flight.uuid)
    }
  }

  get size(): number {
    return this.#flights.size
  }

  list(): FlightAbroad[] {
    return [...this.#flights.values()]
  }

  /** This very firing of the timer is being delivered. */
  has(timer: Timer): boolean {
    return this.#flights.size > 0 && this.#flights.get(timer.uuid)?.deliveryId === deliveryId(timer)
  }

  /** One that is not known here, as when the shard came without its flights, changes nothing. */
  end({ uuid, deliveryId: id, attempt }: FlightAbroad): void {
    const flight = this.#flights.get(uuid)
    if (flight?.deliveryId !== id || flight.attempt !== attempt) return
    this.#flights.delete(uuid)
    this.#holding.release(uuid)
  }

  /** What a carrier that is gone had under way starts again. */
  endUnlessCarriedBy(living: ReadonlySet<string>): void {
    for (const flight of this.#flights.values()) if (!living.has(flight.carrier)) this.end(flight)
  }
}

/** Whether the row is still at the attempt that the flight is. */
export function isAttemptOf(row: Timer, flight: FlightAbroad): boolean {
  return deliveryId(row) === flight.deliveryId && row.attempts + 1 === flight.attempt
}

export function flightAbroad(timer: Timer, carrier: string): FlightAbroad {
  const { namespace, id, uuid } = timer
  return { namespace, id, uuid, deliveryId: deliveryId(timer), attempt: timer.attempts + 1, carrier }
}
