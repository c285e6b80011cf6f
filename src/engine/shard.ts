// One owned shard: executes commands on its timers and fires them. Only the owner writes a shard, so the rules are
// applied here, once, to what memory or the store knows; a commit that misses its expected version is judged again.
//
// Its parts: the window, which its keeper fills; the rows in the store; the deliveries in flight, here and at other nodes.

import type { ShardCommand } from '../core/rules/command.ts'
import { standsAlone } from '../core/rules/create.ts'
import { rezoned } from '../core/rules/due/rezone.ts'
import { decide } from '../core/rules/decide.ts'
import type { Decision, RuleContext } from '../core/rules/steps.ts'
import { unavailable } from '../core/errors.ts'
import { withoutRunning, withRunning } from '../core/timer/running-firings.ts'
import type { Calendars } from '../core/time/recurring/on-calendar.ts'
import { Status } from '../core/timer/timer.ts'
import type { Millis, ShardId, Timer } from '../core/timer/timer.ts'
import type { OwnedShard } from '../store/store.ts'
import { needsCalendar } from './calendars/node-calendars.ts'
import { HandedOverDeliveries } from './delivery/handed-over-deliveries.ts'
import type { HandoverParts } from './delivery/handed-over-deliveries.ts'
import { InFlightDeliveries } from './delivery/in-flight-deliveries.ts'
import type { DeliveryParts } from './delivery/in-flight-deliveries.ts'
import { RunningDeliveries } from './delivery/running-deliveries.ts'
import { RemoteDeliveries } from './delivery/remote-deliveries.ts'
import type { RemoteDeliveriesParts } from './delivery/remote-deliveries.ts'
import type { DeliveryReport, Handover, RemoteDelivery } from './delivery/remote-delivery.ts'
import { Holds } from './commit/holds.ts'
import { notOwner, OwnedRows, RETRY_AFTER_MS, ROUNDS_MAX, storeFailed } from './commit/owned-rows.ts'
import type { RowsParts } from './commit/owned-rows.ts'
import type { SplitShard } from './split/split-shard.ts'
import type { Entry } from './window/entry.ts'
import { WindowKeeper } from './window/window-keeper.ts'
import type { KeeperParts } from './window/window-keeper.ts'

export type ShardParts = DeliveryParts & RowsParts & KeeperParts & RemoteDeliveriesParts & HandoverParts

/** What a command did: the timer as it is stored now, and the one that it took the place of. */
export type Executed = { readonly timer: Timer; readonly previous: Timer | null; readonly changed: boolean }

/** `lagMs`: how long the timer that has waited longest in memory has been due; 0 when none waits. */
export type ShardStatus = { readonly windowTimers: number; readonly inFlight: number; readonly lagMs: Millis }

const DUE_BATCH = 500 // due timers handed over in one go; then the event loop gets a turn to send and answer

export class Shard {
  readonly #parts: ShardParts
  readonly #keeper: WindowKeeper
  readonly #holds: Holds
  readonly #rows: OwnedRows
  readonly #deliveries: InFlightDeliveries
  readonly #running: RunningDeliveries
  readonly #remote: RemoteDeliveries
  /** Nothing starts any more. */
  readonly #stopping = new AbortController()
  #isHandedOver = false

  constructor(parts: ShardParts) {
    const stopped = this.#stopping.signal
    this.#parts = parts
    this.#keeper = new WindowKeeper(parts, stopped)
    this.#holds = new Holds((uuid) => this.#keeper.released(uuid))
    const [keeper, holds] = [this.#keeper, this.#holds]
    this.#rows = new OwnedRows(parts, { holds, window: keeper, stopped })
    const shard = { rows: this.#rows, keeper, holds, stopped }
    this.#deliveries = new InFlightDeliveries(parts, shard)
    this.#running = new RunningDeliveries(parts, { ...shard, currentIsDue: (entry) => this.#queue(entry) })
    this.#remote = new RemoteDeliveries(parts, { ...shard, running: this.#running })
  }

  get id(): ShardId {
    return this.#parts.id
  }

  get fence(): OwnedShard {
    return { shard: this.#parts.id, epoch: this.#parts.epoch, owner: this.#parts.node }
  }

  /** Where its rows are while it is being split; null when it is not. */
  get split(): SplitShard | null {
    return this.#parts.split
  }

  get windowBytes(): number {
    return this.#parts.window.bytes
  }

  get windowTimers(): number {
    return this.#parts.window.size
  }

  status(now: Millis): ShardStatus {
    const { window } = this.#parts
    return {
      windowTimers: window.size,
      inFlight: this.#deliveries.size + this.#running.size,
      lagMs: Math.max(0, now - window.oldestWaitingAt(now)),
    }
  }

  /** Resolves when the change is durable. Rejects with a DuetimeError when it is refused or the store failed. */
  async execute(command: ShardCommand): Promise<Executed> {
    const { window, clock, commits, outbox, mayStart, retentionMs, store, split } = this.#parts
    const arrivedAt = clock.now() - (command.waitedMs ?? 0)
    // Before anything is looked up: what is known of the timer now would be old after this wait.
    let calendars = needsCalendar(command, null) ? await this.#calendarsOf(command) : undefined
    // Who reads the store may have seen that change already, and memory does not know it: an answer from memory would deny it.
    const underWay = commits.underWay(command.uuid)
    if (underWay !== null) await underWay
    // What is in memory may be out of date then, and a refusal by it would be wrong. The shard may have been lost meanwhile.
    if (this.#stopping.signal.aborted || !mayStart() || this.#rows.isUnsure(command.uuid)) throw notOwner()
    let existing = window.get(command.uuid)?.timer ?? null
    // A fail-over of the database may have given the shard to another node, and this one hears of it late. A write is refused then;
    // an answer that needs none is given by what is stored.
    let isFromMemory = existing !== null && store.capabilities.shared
    if (existing === null && !standsAlone(command, arrivedAt, calendars)) existing = await this.#read(command)
    for (let round = 0; round < ROUNDS_MAX; round++) {
      if (calendars === undefined && needsCalendar(command, existing)) {
        calendars = await this.#calendarsOf(command)
        existing = await this.#read(command)
        isFromMemory = false
      }
      const context = { now: clock.now(), arrivedAt, retentionMs: retentionMs(command.namespace), calendars }
      const decision = decided(existing === null ? null : this.view(existing), command, context)
      if (isFromMemory && (decision.type === 'keep' || decision.type === 'throw')) {
        existing = await this.#read(command)
        isFromMemory = false
        continue
      }
      if (decision.type === 'throw') throw decision.error
      if (decision.type === 'keep') return { timer: decision.timer, previous: existing, changed: false }
      commits.assertRoom(1 + (split?.placing ?? 0))
      outbox?.assertRoom()
      const result = await this.#rows.change(existing, decision.timer)
      if (result.type === 'written') {
        if (decision.type === 'refuse') throw decision.error
        return { timer: decision.timer, previous: existing, changed: true }
      }
      existing = result.row
    }
    throw unavailable(`timer '${command.id}' is being changed by too many others at once`, RETRY_AFTER_MS)
  }

  /** Null when it is surely not there: who may have lost the shard by now has perhaps looked where it was before. */
  async #read(command: ShardCommand): Promise<Timer | null> {
    const row = await this.#rows.read(command)
    if (row === null && !this.#parts.mayStart()) throw notOwner()
    return row
  }

  async #calendarsOf({ namespace }: ShardCommand): Promise<Calendars> {
    try {
      return await this.#parts.calendars.of(namespace)
    } catch (error) {
      throw storeFailed(error)
    }
  }

  /** The timer as the outside sees it: being delivered, if it is, which the store may not know yet. */
  view(timer: Timer): Timer {
    const entry = this.#parts.window.get(timer.uuid)
    const isInFlight = entry?.state === 'in-flight' && entry.timer.version === timer.version
    return (isInFlight && !this.#deliveries.isPassing(timer.uuid)) || this.#remote.has(timer)
      ? { ...timer, status: Status.executing }
      : timer
  }

  /** Hands what is due to the dispatcher; when to call again. */
  wake(now: Millis): Millis {
    const { window } = this.#parts
    for (const entry of window.takeDue(now, DUE_BATCH)) {
      if (this.#holds.has(entry.uuid)) window.hold(entry)
      else if (entry.timer.running === null) this.#queue(entry)
      else this.#running.wake(entry, now)
    }
    void this.#keeper.load()
    return window.nextAt(now)
  }

  #queue(entry: Entry): void {
    this.#parts.dispatcher.add(this.#deliveries.jobFor(entry))
  }

  /** Resolves when the window holds what there is room for. */
  load(): Promise<void> {
    return this.#keeper.load()
  }

  /** The timer's time, if it was computed with other zone data, is computed again. True when that was to be done. */
  async followZone(row: Timer): Promise<boolean> {
    const { window, clock, retentionMs } = this.#parts
    const entry = window.get(row.uuid)
    const timer = entry?.timer ?? row
    // What is being delivered is computed anew when it ends.
    if (this.#holds.has(row.uuid) || (entry !== undefined && entry.state !== 'waiting')) return false
    const after = rezoned(withoutRunning(timer), { now: clock.now(), retentionMs: retentionMs(timer.namespace) })
    if (after === null || this.#stopping.signal.aborted) return false
    return (await this.#rows.change(timer, withRunning(after))).type === 'written'
  }

  /** Looks for due timers that should be in the window and are not. */
  repair(): Promise<void> {
    return this.#keeper.repair()
  }

  /** Delivering, or reading a page. */
  get isBusy(): boolean {
    return this.#deliveries.size > 0 || this.#running.size > 0 || this.#keeper.isLoading
  }

  /** Resolves when what is under way now is over; more may have begun by then. */
  async ended(): Promise<void> {
    await Promise.all([this.#deliveries.allEnded(), this.#running.allEnded()])
    await this.#keeper.loaded()
  }

  /** No delivery starts any more; resolves when those in flight have ended, or been abandoned after the signal. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.ended()
  }

  /** As `stop`, for a shard that nobody takes: it also waits for reports about deliveries of other nodes, until the signal. */
  async close(): Promise<void> {
    await this.stop()
    await this.#remote.allEnded()
  }

  /** Another node is about to own it. No delivery starts any more; those in flight go on, and their outcomes go to that node. */
  handOver(): Handover {
    this.#stopping.abort()
    this.#isHandedOver = true
    const all = { timers: () => [...this.#deliveries.timers(), ...this.#running.timers()] }
    const handover = new HandedOverDeliveries(this.#parts, all, this.#remote)
    this.#deliveries.reportTo(handover)
    this.#running.reportTo(handover)
    return handover
  }

  /** A delivery of another node is over. Resolves when its outcome is durable. */
  async acceptReport(report: DeliveryReport): Promise<void> {
    await this.#remote.acceptReport(report)
    // The shard has gone on to another node meanwhile, which may have been told of the delivery: it must hear of its end, too.
    if (this.#isHandedOver) throw notOwner()
  }

  /** These are in flight at other nodes, as is only known now. */
  told(deliveries: readonly RemoteDelivery[]): void {
    this.#remote.addLate(deliveries)
  }

  /** Deliveries of other nodes go on only while those nodes live. */
  seen(living: ReadonlySet<string>, seenAt: number): void {
    this.#remote.endUnlessAt(living, seenAt)
  }
}

function decided(
  existing: Timer | null,
  command: ShardCommand,
  context: RuleContext,
): Decision | { readonly type: 'throw'; readonly error: unknown } {
  try {
    return decide(existing, command, context)
  } catch (error) {
    return { type: 'throw', error }
  }
}
