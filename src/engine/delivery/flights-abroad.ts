// Deliveries of a shard's timers that another node started before the shard came here, and still carries. Their timers
// are held: they are not delivered here until the carrier has told what came of it, or is gone.

import { deliveryId } from '../../core/timer/ids.ts'
import { settle } from '../../core/rules/settle.ts'
import type { EndedAttempt } from '../../core/rules/settle.ts'
import { isFinished } from '../../core/timer/timer.ts'
import type { Millis, Timer, TimerUuid } from '../../core/timer/timer.ts'
import type { FlightDeck } from './flights.ts'
import type { FlightAbroad, Landing } from './hand-over.ts'
import type { Holds } from '../holds.ts'
import { ROUNDS_MAX } from '../owned-rows.ts'
import type { OwnedRows } from '../owned-rows.ts'
import type { Window } from '../window/window.ts'

export type AbroadParts = Pick<FlightDeck, 'clock' | 'retentionMs' | 'rescheduleMinMs' | 'observer'> & {
  readonly window: Window
  /** Deliveries that other nodes carry, of timers that are in this shard. */
  readonly abroad: readonly FlightAbroad[]
  readonly leaseMs: Millis
  /** Aborts when the time for deliveries to finish is over. */
  readonly signal: AbortSignal
}

/** By the monotonic clock. */
type Known = { readonly flight: FlightAbroad; readonly sinceMono: number; readonly untilMono: number }

const LEASES_TO_REPORT = 2 // a carrier that has the outcome and could not say so for that long is cut off from here

export class FlightsAbroad {
  readonly #parts: AbroadParts
  readonly #rows: OwnedRows
  readonly #holds: Holds
  readonly #flights = new Map<TimerUuid, Known>()
  #onAllEnded: (() => void)[] = []

  constructor(parts: AbroadParts, rows: OwnedRows, holds: Holds) {
    this.#parts = parts
    this.#rows = rows
    this.#holds = holds
    for (const flight of parts.abroad) this.#add(flight)
  }

  list(): FlightAbroad[] {
    return Array.from(this.#flights.values(), ({ flight }) => flight)
  }

  /** The message about these was late: what has been started here meanwhile, or is over, stays as it is. */
  addLate(flights: readonly FlightAbroad[]): void {
    for (const flight of flights) {
      const entry = this.#parts.window.get(flight.uuid)
      const isOver = entry !== undefined && (entry.state === 'flying' || !isAttemptOf(entry.timer, flight))
      if (!isOver) this.#add(flight)
    }
  }

  /** Resolves when none is known any more, or the time for it is over. */
  async allEnded(): Promise<void> {
    const { signal } = this.#parts
    if (this.#flights.size === 0 || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#onAllEnded.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** This very firing of the timer is being delivered. */
  has(timer: Timer): boolean {
    return this.#flights.size > 0 && this.#flights.get(timer.uuid)?.flight.deliveryId === deliveryId(timer)
  }

  /** Its carrier says that it is over. Resolves when what came of it is durable. */
  async land({ flight, ended }: Landing): Promise<void> {
    if (ended !== null) await this.#settle(flight, ended)
    this.#end(flight)
  }

  /**
   * What a carrier that is gone had under way starts again, and so does what should have been reported long ago: the
   * carrier may live, and be unable to reach this node.
   */
  endUnlessCarriedBy(living: ReadonlySet<string>, seenAt: number): void {
    const now = this.#parts.clock.monotonic()
    for (const { flight, sinceMono, untilMono } of this.#flights.values()) {
      // A carrier that is newer than the look at the cluster is not gone.
      const isGone = sinceMono < seenAt && !living.has(flight.carrier)
      if (isGone || now >= untilMono) this.#end(flight)
    }
  }

  #add(flight: FlightAbroad): void {
    if (this.#flights.has(flight.uuid)) return
    const now = this.#parts.clock.monotonic()
    this.#flights.set(flight.uuid, {
      flight,
      sinceMono: now,
      untilMono: now + carriedForMs(flight, this.#parts.leaseMs),
    })
    this.#holds.hold(flight.uuid)
  }

  async #settle(flight: FlightAbroad, ended: EndedAttempt): Promise<void> {
    const { clock, retentionMs, rescheduleMinMs, window, observer } = this.#parts
    let row = window.get(flight.uuid)?.timer ?? (await this.#rows.read(flight))
    for (let round = 0; round < ROUNDS_MAX; round++) {
      // Something else has become of it, or it is being delivered again.
      if (row === null || isFinished(row) || !isAttemptOf(row, flight) || window.get(row.uuid)?.state === 'flying')
        return
      const after = settle(row, ended, { now: clock.now(), retentionMs: retentionMs(row.namespace), rescheduleMinMs })
      const result = await this.#rows.change(row, after)
      if (result.type === 'written') return observer.settled(row, after, ended.outcome, ended.durationMs)
      row = result.row
    }
  }

  /** One that is not known here, as when the shard came without its flights, changes nothing. */
  #end({ uuid, deliveryId: id, attempt }: FlightAbroad): void {
    const flight = this.#flights.get(uuid)?.flight
    if (flight?.deliveryId !== id || flight.attempt !== attempt) return
    this.#flights.delete(uuid)
    this.#holds.release(uuid)
    if (this.#flights.size === 0) for (const resolve of this.#onAllEnded.splice(0)) resolve()
  }
}

export function flightAbroad(timer: Timer, carrier: string): FlightAbroad {
  const { namespace, id, uuid, version, timeoutMs } = timer
  return {
    namespace,
    id,
    uuid,
    deliveryId: deliveryId(timer),
    attempt: timer.attempts + 1,
    version,
    timeoutMs,
    carrier,
  }
}

/** From the hand-over on: after that the new owner does not wait for it, and the carrier need not tell. */
export function carriedForMs({ timeoutMs }: FlightAbroad, leaseMs: Millis): Millis {
  return timeoutMs + LEASES_TO_REPORT * leaseMs
}

/**
 * Whether the row is still at the attempt that the flight is. One more write than the carrier knows of may have been made, as
 * its mark that the timer is executing; after two the firing may be one that a `retry` has begun anew, with the same numbers.
 */
function isAttemptOf(row: Timer, flight: FlightAbroad): boolean {
  return (
    deliveryId(row) === flight.deliveryId && row.attempts + 1 === flight.attempt && row.version <= flight.version + 1
  )
}
