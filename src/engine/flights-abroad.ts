// Deliveries of a shard's timers that another node started before the shard came here, and still carries. Their timers
// are held: they are not delivered here until the carrier has told what came of it, or is gone.

import { deliveryId } from '../core/ids.ts'
import { settle } from '../core/settle.ts'
import type { EndedAttempt } from '../core/settle.ts'
import { isFinished } from '../core/timer.ts'
import type { Timer, TimerUuid } from '../core/timer.ts'
import type { FlightDeck } from './flights.ts'
import type { FlightAbroad, Landing } from './hand-over.ts'
import type { Holds } from './holds.ts'
import { ROUNDS_MAX } from './owned-rows.ts'
import type { OwnedRows } from './owned-rows.ts'
import type { Window } from './window.ts'

export type AbroadParts = Pick<FlightDeck, 'clock' | 'retentionMs' | 'observer'> & {
  readonly window: Window
  /** Deliveries that other nodes carry, of timers that are in this shard. */
  readonly abroad: readonly FlightAbroad[]
}

export class FlightsAbroad {
  readonly #parts: AbroadParts
  readonly #rows: OwnedRows
  readonly #holds: Holds
  readonly #flights = new Map<TimerUuid, FlightAbroad>()

  constructor(parts: AbroadParts, rows: OwnedRows, holds: Holds) {
    this.#parts = parts
    this.#rows = rows
    this.#holds = holds
    for (const flight of parts.abroad) {
      this.#flights.set(flight.uuid, flight)
      holds.hold(flight.uuid)
    }
  }

  list(): FlightAbroad[] {
    return [...this.#flights.values()]
  }

  /** This very firing of the timer is being delivered. */
  has(timer: Timer): boolean {
    return this.#flights.size > 0 && this.#flights.get(timer.uuid)?.deliveryId === deliveryId(timer)
  }

  /** Its carrier says that it is over. Resolves when what came of it is durable. */
  async land({ flight, ended }: Landing): Promise<void> {
    if (ended !== null) await this.#settle(flight, ended)
    this.#end(flight)
  }

  /** What a carrier that is gone had under way starts again. */
  endUnlessCarriedBy(living: ReadonlySet<string>): void {
    for (const flight of this.#flights.values()) if (!living.has(flight.carrier)) this.#end(flight)
  }

  async #settle(flight: FlightAbroad, ended: EndedAttempt): Promise<void> {
    const { clock, retentionMs, window, observer } = this.#parts
    let row = window.get(flight.uuid)?.timer ?? (await this.#rows.read(flight))
    for (let round = 0; round < ROUNDS_MAX; round++) {
      // Something else has become of it, or it is being delivered again.
      if (row === null || isFinished(row) || !isAttemptOf(row, flight) || window.get(row.uuid)?.state === 'flying') return
      const after = settle(row, ended, { now: clock.now(), retentionMs: retentionMs(row.namespace) })
      const result = await this.#rows.change(row, after)
      if (result.type === 'written') return observer.settled(row, after, ended.outcome, ended.durationMs)
      row = result.row
    }
  }

  /** One that is not known here, as when the shard came without its flights, changes nothing. */
  #end({ uuid, deliveryId: id, attempt }: FlightAbroad): void {
    const flight = this.#flights.get(uuid)
    if (flight?.deliveryId !== id || flight.attempt !== attempt) return
    this.#flights.delete(uuid)
    this.#holds.release(uuid)
  }
}

export function flightAbroad(timer: Timer, carrier: string): FlightAbroad {
  const { namespace, id, uuid } = timer
  return { namespace, id, uuid, deliveryId: deliveryId(timer), attempt: timer.attempts + 1, carrier }
}

/** Whether the row is still at the attempt that the flight is. */
function isAttemptOf(row: Timer, flight: FlightAbroad): boolean {
  return deliveryId(row) === flight.deliveryId && row.attempts + 1 === flight.attempt
}
