// The deliveries of one shard that are under way: from the moment a due timer's turn has come until what came of it
// is durable. Its slot in the dispatcher is free again when the receiver has answered; outcomes that wait for the store
// are counted there, too, so a store that does not answer slows firing down instead of piling them up. A process that
// dies in between has lost nothing: the row is as it was, and whoever owns the shard next delivers again, with the same
// delivery id.

import type { DeliveryOutcome } from '../../core/timer/delivery.ts'
import { isMissedIteration, stepAtDue } from '../../core/rules/due/due-step.ts'
import { markExecuting, settle } from '../../core/rules/settle.ts'
import type { EndedAttempt } from '../../core/rules/settle.ts'
import type { Calendars } from '../../core/time/recurring/on-calendar.ts'
import type { Target } from '../../core/targets/target.ts'
import type { Millis, Namespace, Timer, TimerUuid } from '../../core/timer/timer.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { TargetAdapter } from '../../targets/target.ts'
import type { PutResult } from '../commit/commit-queue.ts'
import type { NodeCalendars } from '../calendars/node-calendars.ts'
import type { Holds } from '../commit/holds.ts'
import type { OwnedRows } from '../commit/owned-rows.ts'
import { attemptOnce, endedHow, writeUntilDurable } from './attempt.ts'
import type { CatchUpRate } from './catch-up-rate.ts'
import type { Dispatcher, Job } from './dispatcher.ts'
import { attemptIdentity, isAtAttempt } from './same-write.ts'
import type { Entry } from '../window/entry.ts'
import type { WindowKeeper } from '../window/window-keeper.ts'
import type { Window } from '../window/window.ts'

/** What a delivery needs of the node. */
export type DeliveryParts = {
  readonly targetFor: (target: Target) => TargetAdapter
  readonly dispatcher: Dispatcher
  readonly catchUp: CatchUpRate
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: DeliveryObserver
  readonly retentionMs: (namespace: Namespace) => Millis
  readonly rescheduleMinMs: Millis
  /** Aborts when the time for deliveries to finish is over. */
  readonly signal: AbortSignal
  readonly window: Window
  /** The window has something due at this time. */
  readonly wakeBy: (at: Millis) => void
  /** False while another node may have claimed the shard without our knowing: no delivery starts. */
  readonly mayStart: () => boolean
  readonly calendars: NodeCalendars
}

export type DeliveryObserver = {
  /** An attempt started; `lateMs` behind its due time when it was the first of its firing, else null. */
  fired(timer: Timer, lateMs: number | null): void
  /** A firing was not made: it was missed, or a pause ended and this is what was stored. */
  passed?(before: Timer, after: Timer): void
  /** An attempt ended and this is what was stored. */
  settled(before: Timer, after: Timer, outcome: DeliveryOutcome, durationMs: number): void
}

/** The parts of the shard that its deliveries work with. */
export type DeliveryShard = {
  readonly rows: Pick<OwnedRows, 'write'>
  readonly keeper: Pick<WindowKeeper, 'endDelivery' | 'putBack'>
  readonly holds: Pick<Holds, 'has'>
  /** Aborts when the shard is not to fire any more. */
  readonly stopped: AbortSignal
}

/** The way to the node to which the shard has been handed over. */
export type DeliveryReporter = {
  /** A delivery is over, since `endedMono`; `ended` is null when there is nothing to store. Resolves when the owner has it. */
  report(timer: Timer, ended: EndedAttempt | null, endedMono: number): Promise<void>
}

type InFlightDelivery = {
  readonly entry: Entry
  readonly startedMonoMs: number
  timer: Timer
  marking: Promise<void> | null
}

const EXECUTING_AFTER_MS = 1_000 // most deliveries are over by then and cost one write, not two

export class InFlightDeliveries {
  readonly #parts: DeliveryParts
  readonly #shard: DeliveryShard
  readonly #deliveries = new Set<InFlightDelivery>()
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
    const { timer } = entry
    const { clock, catchUp, targetFor } = this.#parts
    const adapter = targetFor(timer.target)
    const destination = adapter.destinationOf(timer.target, timer.namespace)
    const isCatchUp = isMissedIteration(timer, clock.now())
    const job: Job = {
      tenant: timer.tenant,
      namespace: timer.namespace,
      target: destination,
      start: () => {
        const now = clock.now()
        if (!this.#isWanted(entry, now)) return false
        if (isCatchUp) catchUp.started(timer.namespace)
        void this.#run(entry, adapter, job, now)
        return true
      },
      isGone: () => this.#isGone(entry),
      ...(adapter.isOpen !== undefined && { isOpen: () => adapter.isOpen!(destination) }),
      ...(isCatchUp && {
        isCatchUp,
        isOpen: () => adapter.isOpen?.(destination) !== false && catchUp.isOpen(timer.namespace),
      }),
    }
    return job
  }

  /** Another node is the owner: it hears how the deliveries end. */
  reportTo(reporter: DeliveryReporter): void {
    this.#reporter = reporter
  }

  allEnded(): Promise<void> {
    if (this.#deliveries.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onAllEnded.push(resolve))
  }

  /** Asked when a timer's turn has come: is it still the current version, still due, and no change of it on its way? Then it starts. */
  #isWanted(entry: Entry, now: Millis): boolean {
    if (this.#isGone(entry)) return false
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

  /** It was replaced, canceled or evicted; the shard may have another entry for the timer. */
  #isGone(entry: Entry): boolean {
    return this.#shard.stopped.aborted || this.#parts.window.get(entry.uuid) !== entry
  }

  async #run(entry: Entry, adapter: TargetAdapter, job: Job, turnAt: Millis): Promise<void> {
    let startedAt = turnAt
    const { clock, dispatcher, signal } = this.#parts
    const delivery: InFlightDelivery = { entry, startedMonoMs: clock.monotonic(), timer: entry.timer, marking: null }
    entry.state = 'in-flight'
    this.#deliveries.add(delivery)
    this.#sweepLater()
    let calendars: Calendars | undefined
    if (entry.timer.rules?.calendar !== undefined) {
      delivery.marking = Promise.resolve() // it is not being delivered yet
      this.#passing.add(entry.uuid)
      calendars = await this.#parts.calendars.waitFor(entry.timer, signal)
      this.#passing.delete(entry.uuid)
      if (!this.#mayStillStart(delivery)) return this.#pass(delivery, job, null)
      delivery.marking = null
      startedAt = clock.now()
    }
    const context = { now: startedAt, retentionMs: this.#parts.retentionMs(entry.timer.namespace), calendars }
    const step = stepAtDue(entry.timer, context)
    if (step !== null) return this.#pass(delivery, job, step)
    const outcome = await attemptOnce(this.#parts, entry.timer, startedAt, adapter)
    dispatcher.ended(job, endedHow(outcome, adapter))
    try {
      if (outcome === null) await this.#report(delivery.timer, null, clock.monotonic())
      else await this.#settle(delivery, startedAt, outcome)
    } finally {
      this.#ended(delivery)
    }
    if (signal.aborted && outcome === null)
      this.#parts.logger.debug({ id: entry.timer.id }, 'delivery abandoned; it starts again after the restart')
  }

  /** After a wait: it may have been replaced, or is about to be, or the shard belongs to another node. */
  #mayStillStart({ entry, timer }: InFlightDelivery): boolean {
    const { stopped, holds } = this.#shard
    return !stopped.aborted && this.#parts.mayStart() && entry.timer === timer && !holds.has(entry.uuid)
  }

  /** The timer goes on without this delivery; null: as it is, since nothing may start here any more. */
  async #pass(delivery: InFlightDelivery, job: Job, after: Timer | null): Promise<void> {
    const { dispatcher, observer, clock } = this.#parts
    const { entry, timer: before } = delivery
    delivery.marking = Promise.resolve()
    this.#passing.add(entry.uuid)
    dispatcher.ended(job, 'answered')
    try {
      const result = after === null ? null : await this.#writeUntilDurable(before, after)
      this.#passing.delete(entry.uuid)
      if (result?.type === 'written') observer.passed?.(before, after!)
      if (result !== null && result.type !== 'fenced')
        this.#shard.keeper.endDelivery(entry, result.type === 'written' ? after : result.row)
      else if (after === null && !this.#shard.stopped.aborted) this.#shard.keeper.endDelivery(entry, before)
      await this.#report(before, null, clock.monotonic())
    } finally {
      this.#ended(delivery)
    }
  }

  #ended(delivery: InFlightDelivery): void {
    this.#deliveries.delete(delivery)
    this.#parts.dispatcher.settled()
    if (this.#deliveries.size === 0) this.#noneInFlight()
  }

  async #settle(delivery: InFlightDelivery, startedAt: Millis, outcome: DeliveryOutcome): Promise<void> {
    const { clock, observer, retentionMs, rescheduleMinMs, signal } = this.#parts
    const [arrivedAt, endedMono] = [clock.now(), clock.monotonic()]
    const durationMs = Math.round(endedMono - delivery.startedMonoMs)
    // A mark that is written while the outcome waits for the store would stand in the outcome's way.
    await (delivery.marking ??= Promise.resolve())
    const ended: EndedAttempt = { startedAt, durationMs, outcome }
    const calendars = delivery.timer.rules?.calendar && (await this.#parts.calendars.waitFor(delivery.timer, signal))
    const settled = (timer: Timer) => {
      const retention = retentionMs(timer.namespace)
      const context = { now: clock.now(), arrivedAt, retentionMs: retention, rescheduleMinMs, calendars }
      return settle(timer, ended, context)
    }
    let before = delivery.timer
    let after = settled(before)
    let result = await this.#writeUntilDurable(before, after)
    // A mark whose answer was lost, or a command that the row remembers since: it is this very attempt still.
    while (result?.type === 'missed' && result.row !== null && isAtAttempt(result.row, attemptIdentity(before))) {
      before = result.row
      after = settled(before)
      result = await this.#writeUntilDurable(before, after)
    }
    if (result === null || result.type === 'fenced') return this.#report(before, ended, endedMono)
    if (result.type === 'written') observer.settled(before, after, outcome, durationMs)
    this.#shard.keeper.endDelivery(delivery.entry, result.type === 'written' ? after : result.row)
    await this.#report(before, null, endedMono)
  }

  async #report(timer: Timer, ended: EndedAttempt | null, endedMono: number): Promise<void> {
    await this.#reporter?.report(timer, ended, endedMono)
  }

  #writeUntilDurable(before: Timer, after: Timer): Promise<PutResult | null> {
    return writeUntilDurable(this.#shard.rows, { before, after }, this.#parts)
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#parts.clock.after(EXECUTING_AFTER_MS, () => {
      this.#cancelSweep = null
      const since = this.#parts.clock.monotonic() - EXECUTING_AFTER_MS
      for (const delivery of this.#deliveries)
        if (delivery.marking === null && delivery.startedMonoMs <= since) delivery.marking = this.#mark(delivery)
      if (this.#deliveries.size > 0) this.#sweepLater()
    })
  }

  /** For those who look into the store. Not needed for anything else, so a failure is not repeated. */
  async #mark(delivery: InFlightDelivery): Promise<void> {
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
