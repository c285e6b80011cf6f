// One owned shard: executes commands on its timers and fires them. Only the owner writes a shard, so the rules are
// applied here, once, to what memory or the store knows; a commit that misses its expected version is judged again.
//
// Its parts: the window, which its keeper fills; the rows in the store; the deliveries in flight, here and at other nodes.

import { rezoned } from '../core/rules/due/rezone.ts'
import { withoutRunning, withRunning } from '../core/timer/running-firings.ts'
import { Status } from '../core/timer/timer.ts'
import type { Millis, ShardId, Timer } from '../core/timer/timer.ts'
import type { OwnedShard } from '../store/store.ts'
import { HandedOverDeliveries } from './delivery/handed-over-deliveries.ts'
import type { HandoverParts } from './delivery/handed-over-deliveries.ts'
import { InFlightDeliveries } from './delivery/in-flight-deliveries.ts'
import type { DeliveryParts } from './delivery/in-flight-deliveries.ts'
import { RunningDeliveries } from './delivery/running-deliveries.ts'
import { RemoteDeliveries } from './delivery/remote-deliveries.ts'
import type { RemoteDeliveriesParts } from './delivery/remote-deliveries.ts'
import type { DeliveryReport, Handover, RemoteDelivery } from './delivery/remote-delivery.ts'
import { Holds } from './commit/holds.ts'
import { notOwner, OwnedRows } from './commit/owned-rows.ts'
import type { RowsParts } from './commit/owned-rows.ts'
import { ShardCommands } from './shard-commands.ts'
import type { CommandsParts } from './shard-commands.ts'
import type { SplitShard } from './split/split-shard.ts'
import type { Entry } from './window/entry.ts'
import { WindowKeeper } from './window/window-keeper.ts'
import type { KeeperParts } from './window/window-keeper.ts'

export type ShardParts = DeliveryParts & RowsParts & KeeperParts & RemoteDeliveriesParts & HandoverParts & CommandsParts

/** `lagMs`: how long the timer that has waited longest in memory has been due; 0 when none waits. */
export type ShardStatus = { readonly windowTimers: number; readonly inFlight: number; readonly lagMs: Millis }

const DUE_BATCH = 500 // due timers handed over in one go; then the event loop gets a turn to send and answer

export class Shard {
  readonly commands: ShardCommands
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
    this.commands = new ShardCommands(parts, { ...shard, view: (timer) => this.view(timer) })
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
