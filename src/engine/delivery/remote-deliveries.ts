// Deliveries of a shard's timers that other nodes started before the shard came here, and that are still in flight there.
// Their timers are held: they are not delivered here until the other node has reported the outcome, or is gone.

import { deliveryId } from '../../core/timer/ids.ts'
import { settle } from '../../core/rules/settle.ts'
import { runningAs } from '../../core/timer/running-firings.ts'
import type { Calendars } from '../../core/time/recurring/on-calendar.ts'
import { isFinished } from '../../core/timer/timer.ts'
import type { Millis, Timer } from '../../core/timer/timer.ts'
import type { DeliveryParts } from './in-flight-deliveries.ts'
import { reportedWithinMs } from './remote-delivery.ts'
import type { DeliveryReport, RemoteDelivery, ReportedAttempt } from './remote-delivery.ts'
import type { RunningDeliveries } from './running-deliveries.ts'
import { isAtAttempt } from './same-write.ts'
import type { Holds } from '../commit/holds.ts'
import { ROUNDS_MAX } from '../commit/owned-rows.ts'
import type { OwnedRows } from '../commit/owned-rows.ts'
import type { Window } from '../window/window.ts'

export type RemoteDeliveriesParts = Pick<
  DeliveryParts,
  'clock' | 'retentionMs' | 'rescheduleMinMs' | 'observer' | 'calendars'
> & {
  readonly window: Window
  /** Deliveries of this shard's timers that are in flight at other nodes. */
  readonly remote: readonly RemoteDelivery[]
  readonly leaseMs: Millis
  /** Aborts when the time for deliveries to finish is over. */
  readonly signal: AbortSignal
}

/** By the monotonic clock. */
type Known = { readonly delivery: RemoteDelivery; readonly sinceMono: number; readonly untilMono: number }

export class RemoteDeliveries {
  readonly #parts: RemoteDeliveriesParts
  readonly #rows: OwnedRows
  readonly #holds: Holds
  readonly #running: RunningDeliveries
  /** By delivery id. */
  readonly #deliveries = new Map<string, Known>()
  #onAllEnded: (() => void)[] = []

  constructor(
    parts: RemoteDeliveriesParts,
    shard: { readonly rows: OwnedRows; readonly holds: Holds; readonly running: RunningDeliveries },
  ) {
    this.#parts = parts
    this.#rows = shard.rows
    this.#holds = shard.holds
    this.#running = shard.running
    for (const delivery of parts.remote) this.#add(delivery)
  }

  list(): RemoteDelivery[] {
    return Array.from(this.#deliveries.values(), ({ delivery }) => delivery)
  }

  /** The message about these was late: what has been started here meanwhile, or is over, stays as it is. */
  addLate(deliveries: readonly RemoteDelivery[]): void {
    for (const delivery of deliveries) {
      if (!this.#isOver(delivery)) this.#add(delivery)
    }
  }

  #isOver(delivery: RemoteDelivery): boolean {
    const entry = this.#parts.window.get(delivery.uuid)
    if (entry === undefined) return false
    const { uuid, firing } = delivery
    if (firing === undefined) return entry.state === 'in-flight' || !isAtAttempt(entry.timer, delivery)
    return this.#running.isUnderWay(uuid, firing) || runningAs(entry.timer, firing)?.attempts !== delivery.attempt - 1
  }

  /** Resolves when none is known any more, or the time for it is over. */
  async allEnded(): Promise<void> {
    const { signal } = this.#parts
    if (this.#deliveries.size === 0 || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#onAllEnded.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** This very firing of the timer is being delivered. A timer that the store says is over is not, although its node has not reported yet. */
  has(timer: Timer): boolean {
    if (this.#deliveries.size === 0 || isFinished(timer)) return false
    return this.#deliveries.has(deliveryId(timer))
  }

  /** The delivering node says that it is over. Resolves when the outcome is durable. */
  async acceptReport({ delivery, ended }: DeliveryReport): Promise<void> {
    if (ended !== null) await this.#settle(delivery, ended)
    this.#end(delivery)
  }

  /**
   * What was in flight at a node that is gone starts again, and so does what should have been reported long ago: that node
   * may live, and be unable to reach this one.
   */
  endUnlessAt(living: ReadonlySet<string>, seenAt: number): void {
    const now = this.#parts.clock.monotonic()
    for (const { delivery, sinceMono, untilMono } of this.#deliveries.values()) {
      // A node that is newer than the look at the cluster is not gone.
      const isGone = sinceMono < seenAt && !living.has(delivery.node)
      if (isGone || now >= untilMono) this.#end(delivery)
    }
  }

  #add(delivery: RemoteDelivery): void {
    if (this.#deliveries.has(delivery.deliveryId)) return
    const now = this.#parts.clock.monotonic()
    this.#deliveries.set(delivery.deliveryId, {
      delivery,
      sinceMono: now,
      untilMono: now + reportedWithinMs(delivery, this.#parts.leaseMs),
    })
    if (delivery.firing === undefined) this.#holds.hold(delivery.uuid)
    else this.#running.holdElsewhere(delivery.uuid, delivery.firing)
  }

  async #settle(delivery: RemoteDelivery, { waitedMs, ...ended }: ReportedAttempt): Promise<void> {
    const { clock, retentionMs, rescheduleMinMs, window, observer, calendars: known } = this.#parts
    const arrivedAt = clock.now() - waitedMs
    if (delivery.firing !== undefined)
      return this.#running.settle({
        timer: delivery,
        firing: delivery.firing,
        attempts: delivery.attempt - 1,
        ended,
        arrivedAt,
      })
    let row = window.get(delivery.uuid)?.timer ?? (await this.#rows.read(delivery))
    for (let round = 0; round < ROUNDS_MAX; round++) {
      // Something else has become of it, or it is being delivered again.
      if (row === null || !isAtAttempt(row, delivery) || window.get(row.uuid)?.state === 'in-flight') return
      const calendars: Calendars | undefined = row.rules?.calendar && (await known.lastOf(row.namespace))
      const retention = retentionMs(row.namespace)
      const context = { now: clock.now(), arrivedAt, retentionMs: retention, rescheduleMinMs, calendars }
      const after = settle(row, ended, context)
      const result = await this.#rows.change(row, after)
      if (result.type === 'written') return observer.settled(row, after, ended.outcome, ended.durationMs)
      row = result.row
    }
  }

  /** One that is not known here, as when the shard came without its deliveries, changes nothing. */
  #end({ uuid, deliveryId: id, attempt, firing }: RemoteDelivery): void {
    if (this.#deliveries.get(id)?.delivery.attempt !== attempt) return
    this.#deliveries.delete(id)
    if (firing === undefined) this.#holds.release(uuid)
    else this.#running.releaseElsewhere(uuid, firing)
    if (this.#deliveries.size === 0) for (const resolve of this.#onAllEnded.splice(0)) resolve()
  }
}
