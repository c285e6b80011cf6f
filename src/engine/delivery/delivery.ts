// One delivery of a timer that has come due: its turn in the dispatcher, and what is known of it while it is under way. One
// object for all of that: at tens of thousands a second, an object and a closure for each step were a good part of the cost.

import { isMissedIteration } from '../../core/rules/due/due-step.ts'
import type { EndedAttempt } from '../../core/rules/settle.ts'
import type { Target } from '../../core/targets/target.ts'
import type { DeliveryOutcome } from '../../core/timer/delivery.ts'
import type { Millis, Namespace, Timer } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { TargetAdapter } from '../../targets/target.ts'
import type { NodeCalendars } from '../calendars/node-calendars.ts'
import type { Holds } from '../commit/holds.ts'
import type { PutResult } from '../commit/commit-queue.ts'
import type { OwnedRows, RowWriter } from '../commit/owned-rows.ts'
import type { Entry } from '../window/entry.ts'
import type { WindowKeeper } from '../window/window-keeper.ts'
import type { Window } from '../window/window.ts'
import type { CatchUpRate } from './pace/catch-up-rate.ts'
import type { Queue } from './delivery-queues.ts'
import type { Dispatcher, Job } from './dispatcher.ts'

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
  readonly rows: Pick<OwnedRows, 'write' | 'startWrite'>
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

/** Whoever makes deliveries. */
export type DeliveryMaker = {
  /** Its turn has come. False: it is not wanted any more. */
  start(delivery: Delivery): boolean
  /** It was replaced, canceled or evicted. */
  isGone(entry: Entry): boolean
  mayCatchUp(namespace: Namespace): boolean
  /** What came of it is written, or something is in its way. */
  written(delivery: Delivery, outcome: WrittenOutcome, result: PutResult): void
  failed(delivery: Delivery, outcome: WrittenOutcome, error: unknown): void
}

/** An attempt that has ended, and when: by both clocks. */
export type EndedDelivery = { readonly attempt: EndedAttempt; readonly arrivedAt: Millis; readonly endedMono: number }

/** What came of a delivery, and the row that says so. */
export type WrittenOutcome = { readonly ended: EndedDelivery; readonly after: Timer }

export class Delivery implements Job, RowWriter {
  readonly entry: Entry
  readonly adapter: TargetAdapter
  readonly tenant: string | null
  readonly namespace: Namespace
  readonly target: string
  readonly isCatchUp: boolean
  readonly #maker: DeliveryMaker
  queue: Queue | undefined = undefined
  /** As it was when the delivery started, or as it was marked since. */
  timer: Timer
  startedAt: Millis = 0
  startedMono = 0
  /** The mark that it is being delivered, on its way to the store; while one is set, none is made. */
  marking: Promise<void> | null = null
  /** While it is being written. */
  outcome: WrittenOutcome | null = null
  place = -1

  constructor(maker: DeliveryMaker, entry: Entry, adapter: TargetAdapter, now: Millis) {
    const { timer } = entry
    this.#maker = maker
    this.entry = entry
    this.adapter = adapter
    this.timer = timer
    this.tenant = timer.tenant
    this.namespace = timer.namespace
    this.target = adapter.destinationOf(timer.target, timer.namespace)
    this.isCatchUp = isMissedIteration(timer, now)
  }

  start(): boolean {
    return this.#maker.start(this)
  }

  isGone(): boolean {
    return this.#maker.isGone(this.entry)
  }

  written(result: PutResult): void {
    this.#maker.written(this, this.outcome!, result)
  }

  failed(error: unknown): void {
    this.#maker.failed(this, this.outcome!, error)
  }

  isOpen(): boolean {
    const { adapter, isCatchUp } = this
    if (adapter.isOpen !== undefined && !adapter.isOpen(this.target)) return false
    return !isCatchUp || this.#maker.mayCatchUp(this.namespace)
  }
}
