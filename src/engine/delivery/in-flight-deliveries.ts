// The deliveries of one shard that are under way: from the moment a due timer's turn has come until what came of it
// is durable. Its slot in the dispatcher is free again when the receiver has answered; outcomes that wait for the store
// are counted there, too, so a store that does not answer slows firing down instead of piling them up. A process that
// dies in between has lost nothing: the row is as it was, and whoever owns the shard next delivers again, with the same
// delivery id.

import type { DeliveryOutcome } from '../../core/timer/delivery.ts'
import { stepAtDue } from '../../core/rules/due/due-step.ts'
import { markExecuting, settle } from '../../core/rules/settle.ts'
import type { EndedAttempt } from '../../core/rules/settle.ts'
import type { Calendars } from '../../core/time/recurring/on-calendar.ts'
import type { Millis, Namespace, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { UnorderedList } from '../../core/unordered-list.ts'
import type { Cancel } from '../../runtime/clock/clock.ts'
import type { PutResult } from '../commit/commit-queue.ts'
import { attemptOnce, endedHow, writeUntilDurable } from './attempt.ts'
import { Delivery } from './delivery.ts'
import type { DeliveryMaker, DeliveryParts, DeliveryReporter, DeliveryShard } from './delivery.ts'
import type { EndedDelivery, WrittenOutcome } from './delivery.ts'
import type { Job } from './dispatcher.ts'
import { attemptIdentity, isAtAttempt } from './same-write.ts'
import type { Entry } from '../window/entry.ts'

export type { DeliveryObserver, DeliveryParts, DeliveryReporter, DeliveryShard } from './delivery.ts'

const EXECUTING_AFTER_MS = 1_000 // most deliveries are over by then and cost one write, not two
const UNMARKED = Promise.resolve()

export class InFlightDeliveries implements DeliveryMaker {
  readonly #parts: DeliveryParts
  readonly #shard: DeliveryShard
  readonly #deliveries = new UnorderedList<Delivery>()
  readonly #passing = new Set<TimerUuid>()
  /** Set when the shard has been handed over. */
  #reporter: DeliveryReporter | null = null
  #cancelSweep: Cancel | null = null
  #onAllEnded: (() => void)[] = []

  constructor(parts: DeliveryParts, shard: DeliveryShard) {
    this.#parts = parts
    this.#shard = shard
  }

  get size(): number {
    return this.#deliveries.size
  }

  /** Whether nothing is being called yet: the timer goes on without a delivery, which is being written, or waits for a calendar. */
  isPassing(uuid: TimerUuid): boolean {
    return this.#passing.has(uuid)
  }

  /** The timers under way, as they were when their deliveries started. */
  timers(): Timer[] {
    return Array.from(this.#deliveries, ({ timer }) => timer).filter(({ uuid }) => !this.#passing.has(uuid))
  }

  /** The entry's turn in the dispatcher. */
  jobFor(entry: Entry): Job {
    entry.state = 'ready'
    return new Delivery(this, entry, this.#parts.targetFor(entry.timer.target), this.#parts.clock.now())
  }

  /** Another node is the owner: it hears how the deliveries end. */
  reportTo(reporter: DeliveryReporter): void {
    this.#reporter = reporter
  }

  allEnded(): Promise<void> {
    if (this.#deliveries.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onAllEnded.push(resolve))
  }

  start(delivery: Delivery): boolean {
    const { clock, catchUp } = this.#parts
    const now = clock.now()
    if (!this.#isWanted(delivery.entry, now)) return false
    if (delivery.isCatchUp) catchUp.started(delivery.namespace)
    delivery.timer = delivery.entry.timer
    delivery.startedAt = now
    delivery.startedMono = clock.monotonic()
    this.#deliveries.add(delivery)
    this.#sweepLater()
    if (delivery.timer.rules?.calendar === undefined) this.#deliver(delivery)
    else void this.#deliverByCalendar(delivery, delivery.timer)
    return true
  }

  isGone(entry: Entry): boolean {
    return this.#shard.stopped.aborted || this.#parts.window.get(entry.uuid) !== entry
  }

  mayCatchUp(namespace: Namespace): boolean {
    return this.#parts.catchUp.isOpen(namespace)
  }

  /** Asked when a timer's turn has come: is it still the current version, still due, and no change of it on its way? Then it starts. */
  #isWanted(entry: Entry, now: Millis): boolean {
    if (this.isGone(entry)) return false
    const { holds, keeper } = this.#shard
    if (holds.has(entry.uuid)) {
      this.#parts.window.hold(entry)
      return false
    }
    if (now >= entry.wakeAt && this.#parts.mayStart()) {
      this.#parts.window.startDelivery(entry)
      return true
    }
    // While the timer waited for a slot the clock was set back, or the store could not be reached.
    keeper.putBack(entry)
    return false
  }

  async #deliverByCalendar(delivery: Delivery, timer: Timer): Promise<void> {
    const { calendars, signal, clock } = this.#parts
    delivery.marking = UNMARKED // it is not being delivered yet
    this.#passing.add(timer.uuid)
    const found = await calendars.waitFor(timer, signal)
    this.#passing.delete(timer.uuid)
    if (!this.#mayStillStart(delivery)) return this.#pass(delivery, null)
    delivery.marking = null
    delivery.startedAt = clock.now()
    this.#deliver(delivery, found)
  }

  #deliver(delivery: Delivery, calendars?: Calendars): void {
    const { timer, startedAt, adapter } = delivery
    const context = { now: startedAt, retentionMs: this.#parts.retentionMs(timer.namespace), calendars }
    const step = stepAtDue(timer, context)
    if (step !== null) return void this.#pass(delivery, step)
    attemptOnce(this.#parts, timer, startedAt, adapter, (outcome) => {
      this.#parts.dispatcher.ended(delivery, endedHow(outcome, adapter))
      if (outcome === null) void this.#abandoned(delivery)
      else this.#settle(delivery, outcome)
    })
  }

  async #abandoned(delivery: Delivery): Promise<void> {
    const { clock, logger } = this.#parts
    logger.debug({ id: delivery.timer.id }, 'delivery abandoned; it starts again after the restart')
    await this.#reportAndEnd(delivery, { timer: delivery.timer, ended: null, endedMono: clock.monotonic() })
  }

  /** After a wait: it may have been replaced, or is about to be, or the shard belongs to another node. */
  #mayStillStart({ entry, timer }: Delivery): boolean {
    const { stopped, holds } = this.#shard
    return !stopped.aborted && this.#parts.mayStart() && entry.timer === timer && !holds.has(entry.uuid)
  }

  /** The timer goes on without this delivery; null: as it is, since nothing may start here any more. */
  async #pass(delivery: Delivery, after: Timer | null): Promise<void> {
    const { dispatcher, observer, clock } = this.#parts
    const { entry, timer: before } = delivery
    const { keeper, rows, stopped } = this.#shard
    delivery.marking = UNMARKED
    this.#passing.add(entry.uuid)
    dispatcher.ended(delivery, 'answered')
    const result = after === null ? null : await writeUntilDurable(rows, { before, after }, this.#parts)
    this.#passing.delete(entry.uuid)
    if (result?.type === 'written') observer.passed?.(before, after!)
    if (result !== null && result.type !== 'fenced')
      keeper.endDelivery(entry, result.type === 'written' ? after : result.row)
    else if (after === null && !stopped.aborted) keeper.endDelivery(entry, before)
    await this.#reportAndEnd(delivery, { timer: before, ended: null, endedMono: clock.monotonic() })
  }

  /** Nearly always the outcome is the next version of the row, and is written. */
  #settle(delivery: Delivery, outcome: DeliveryOutcome): void {
    const { clock } = this.#parts
    const endedMono = clock.monotonic()
    const durationMs = Math.round(endedMono - delivery.startedMono)
    const attempt = { startedAt: delivery.startedAt, durationMs, outcome }
    const ended: EndedDelivery = { attempt, arrivedAt: clock.now(), endedMono }
    if (delivery.marking !== null || delivery.timer.rules?.calendar !== undefined)
      return void this.#settleSlowly(delivery, ended)
    // A mark that is written while the outcome waits for the store would stand in the outcome's way.
    delivery.marking = UNMARKED
    const after = this.#afterEnd(delivery.timer, ended)
    delivery.outcome = { ended, after }
    this.#shard.rows.startWrite(delivery.timer, after, delivery)
  }

  written(delivery: Delivery, { ended, after }: WrittenOutcome, result: PutResult): void {
    if (result.type === 'written') this.#stored(delivery, ended, delivery.timer, after)
    else void this.#settleSlowly(delivery, ended, { after, writing: () => Promise.resolve(result) })
  }

  failed(delivery: Delivery, { ended, after }: WrittenOutcome, error: unknown): void {
    void this.#settleSlowly(delivery, ended, { after, writing: () => Promise.reject(error) })
  }

  #afterEnd(timer: Timer, { attempt, arrivedAt }: EndedDelivery, calendars?: Calendars): Timer {
    const { clock, retentionMs, rescheduleMinMs } = this.#parts
    const retention = retentionMs(timer.namespace)
    return settle(timer, attempt, { now: clock.now(), arrivedAt, retentionMs: retention, rescheduleMinMs, calendars })
  }

  /** With all that may stand in the way of an outcome. `first`: what came of its first write. */
  async #settleSlowly(
    delivery: Delivery,
    ended: EndedDelivery,
    first?: { readonly after: Timer; readonly writing: () => Promise<PutResult> },
  ): Promise<void> {
    const { signal, calendars } = this.#parts
    const { rows, keeper } = this.#shard
    await (delivery.marking ??= UNMARKED)
    const found = delivery.timer.rules?.calendar && (await calendars.waitFor(delivery.timer, signal))
    let before = delivery.timer
    let after = first?.after ?? this.#afterEnd(before, ended, found)
    let result = await writeUntilDurable(rows, { before, after }, this.#parts, first?.writing)
    // A mark whose answer was lost, or a command that the row remembers since: it is this very attempt still.
    while (result?.type === 'missed' && result.row !== null && isAtAttempt(result.row, attemptIdentity(before))) {
      before = result.row
      after = this.#afterEnd(before, ended, found)
      result = await writeUntilDurable(rows, { before, after }, this.#parts)
    }
    if (result?.type === 'written') return this.#stored(delivery, ended, before, after)
    if (result?.type === 'missed') keeper.endDelivery(delivery.entry, result.row)
    const { attempt, endedMono } = ended
    await this.#reportAndEnd(delivery, { timer: before, ended: result?.type === 'missed' ? null : attempt, endedMono })
  }

  #stored(delivery: Delivery, { attempt, endedMono }: EndedDelivery, before: Timer, after: Timer): void {
    this.#parts.observer.settled(before, after, attempt.outcome, attempt.durationMs)
    this.#shard.keeper.endDelivery(delivery.entry, after)
    if (this.#reporter === null) this.#ended(delivery)
    else void this.#reportAndEnd(delivery, { timer: before, ended: null, endedMono })
  }

  /** `ended` is null when there is nothing for another node to store. */
  async #reportAndEnd(
    delivery: Delivery,
    { timer, ended, endedMono }: { timer: Timer; ended: EndedAttempt | null; endedMono: number },
  ): Promise<void> {
    try {
      const reporting = this.#reporter?.report(timer, ended, endedMono)
      if (reporting !== undefined) await this.#parts.dispatcher.whileHeldUp(reporting)
    } finally {
      this.#ended(delivery)
    }
  }

  #ended(delivery: Delivery): void {
    this.#deliveries.remove(delivery)
    this.#parts.dispatcher.settled()
    if (this.#deliveries.size === 0) this.#noneInFlight()
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#parts.clock.after(EXECUTING_AFTER_MS, () => {
      this.#cancelSweep = null
      const since = this.#parts.clock.monotonic() - EXECUTING_AFTER_MS
      for (const delivery of this.#deliveries)
        if (delivery.marking === null && delivery.startedMono <= since) delivery.marking = this.#mark(delivery)
      if (this.#deliveries.size > 0) this.#sweepLater()
    })
  }

  /** For those who look into the store. Not needed for anything else, so a failure is not repeated. */
  async #mark(delivery: Delivery): Promise<void> {
    const marked = markExecuting(delivery.timer, this.#parts.clock.now())
    try {
      const result = await this.#shard.rows.write(delivery.timer, marked)
      if (result.type !== 'written') return
      delivery.timer = marked
      if (delivery.entry.timer.version < marked.version) delivery.entry.timer = marked
    } catch (error) {
      this.#parts.logger.warn({ id: marked.id, err: error }, 'could not mark a timer as executing')
    }
  }

  #noneInFlight(): void {
    this.#cancelSweep?.()
    this.#cancelSweep = null
    for (const resolve of this.#onAllEnded.splice(0)) resolve()
  }
}
