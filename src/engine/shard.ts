// One owned shard: executes commands on its timers and fires them. Only the owner writes a shard, so the rules are
// applied here, once, to what memory or the store knows; a commit that misses its expected version is judged again.
//
// A timer that has a change on its way is *held*: it does not fire until the change is durable or has failed. That
// makes an acknowledged cancel or update final.

import type { Command } from '../core/command.ts'
import { decide, standsAlone } from '../core/decide.ts'
import { DuetimeError, ErrorCode, unavailable } from '../core/errors.ts'
import { settle } from '../core/settle.ts'
import type { EndedAttempt } from '../core/settle.ts'
import { talliesOf } from '../core/tallies.ts'
import { isFinished, Status } from '../core/timer.ts'
import type { Epoch, Millis, Namespace, ShardId, Timer, TimerUuid } from '../core/timer.ts'
import { kindOf } from '../core/timer-kind.ts'
import { sleep } from '../runtime/clock.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import { StoreError } from '../store/store.ts'
import type { ExpectedRow, Put, Store } from '../store/store.ts'
import type { CommitQueue, PutResult } from './commit-queue.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Entry } from './entries.ts'
import { Flights } from './flights.ts'
import type { FlightDeck } from './flights.ts'
import { flightAbroad, FlightsAbroad, isAttemptOf } from './flights-abroad.ts'
import type { Departure, FlightAbroad, Landing } from './hand-over.ts'
import type { Outbox } from './outbox.ts'
import type { Window } from './window.ts'

export type ShardParts = FlightDeck & {
  readonly id: ShardId
  readonly epoch: Epoch
  readonly window: Window
  readonly store: Store
  readonly commits: CommitQueue
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly logger: Logger
  readonly retentionMs: (namespace: Namespace) => Millis
  /** The window has something due at this time. */
  readonly wakeBy: (at: Millis) => void
  /** False while another node may have claimed the shard without our knowing: no delivery starts. */
  readonly mayStart: () => boolean
  /** A commit was refused: somebody else owns the shard. */
  readonly onFenced: () => void
  /** Absent where nobody wants events. */
  readonly outbox?: Outbox
  readonly node: string
  /** Deliveries that other nodes carry, of timers that are in this shard. */
  readonly abroad: readonly FlightAbroad[]
  /** Tells the shard's owner by now what came of a delivery that this node carries. */
  readonly report: (landing: Landing) => Promise<void>
}

/** What a command did: the timer as it is stored now, and the one that it took the place of. */
export type Executed = { readonly timer: Timer; readonly previous: Timer | null; readonly changed: boolean }

/** `lagMs`: how long the timer that has waited longest in memory has been due; 0 when none waits. */
export type ShardStatus = { readonly windowTimers: number; readonly inFlight: number; readonly lagMs: Millis }

const ROUNDS_MAX = 20 // each round lost means that another change of the same timer won; a client may ask again
const RETRY_AFTER_MS = 1_000
const ASK_AGAIN_FIRST_MS = 50
const ASK_AGAIN_MAX_MS = 1_000
const DUE_BATCH = 500 // due timers handed over in one go; then the event loop gets a turn to send and answer

export class Shard {
  readonly #parts: ShardParts
  readonly #flights: Flights
  readonly #holds = new Map<TimerUuid, number>()
  /** Timers with writes of unknown outcome, and how many. */
  readonly #unsure = new Map<TimerUuid, number>()
  #loading: Promise<void> | null = null
  readonly #abroad: FlightsAbroad
  #repairWanted = false
  #stopped = false
  /** Set when the shard has been given to another node, and resolves when that one knows. */
  #departed: Promise<void> | null = null
  /** What the next owner was told of. */
  #reported: ReadonlySet<string> = new Set()

  constructor(parts: ShardParts) {
    this.#parts = parts
    this.#abroad = new FlightsAbroad({ hold: (uuid) => this.#hold(uuid), release: (uuid) => this.#release(uuid) }, parts.abroad)
    this.#flights = new Flights(parts, {
      write: (before, after) => this.#write(before, after),
      land: (entry, row) => this.#land(entry, row),
      isWanted: (entry, now) => this.#isWanted(entry, now),
      isGone: (entry) => this.#isGone(entry),
      report: (timer, ended) => this.#report(timer, ended),
    })
  }

  get id(): ShardId {
    return this.#parts.id
  }

  get epoch(): Epoch {
    return this.#parts.epoch
  }

  get window(): Window {
    return this.#parts.window
  }

  /** Resolves when the change is durable. Rejects with a DuetimeError when it is refused or the store failed. */
  async execute(command: Command): Promise<Executed> {
    // What is in memory may be out of date then, and a refusal by it would be wrong.
    if (!this.#parts.mayStart() || this.#unsure.has(command.uuid)) throw notOwner()
    let existing = this.#known(command.uuid)
    if (existing === null && !standsAlone(command, this.#parts.clock.now())) existing = await this.#fetch(command)
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const context = { now: this.#parts.clock.now(), retentionMs: this.#parts.retentionMs(command.namespace) }
      const decision = decide(existing === null ? null : this.view(existing), command, context)
      if (decision.type === 'keep') return { timer: decision.timer, previous: existing, changed: false }
      this.#parts.commits.assertRoom(1)
      this.#parts.outbox?.assertRoom()
      const result = await this.#writeHeld(existing, decision.timer)
      if (result.type === 'written') return { timer: decision.timer, previous: existing, changed: true }
      existing = result.row
    }
    throw unavailable(`timer '${command.id}' is being changed by too many others at once`, RETRY_AFTER_MS)
  }

  /** The timer as the outside sees it: being delivered, if it is, which the store may not know yet. */
  view(timer: Timer): Timer {
    const entry = this.#parts.window.get(timer.uuid)
    const isFlying = entry?.state === 'flying' && entry.timer.version === timer.version
    return isFlying || this.#abroad.has(timer) ? { ...timer, status: Status.executing } : timer
  }

  status(now: Millis): ShardStatus {
    const { window } = this.#parts
    return { windowTimers: window.size, inFlight: this.#flights.size, lagMs: Math.max(0, now - window.oldestWaitingAt(now)) }
  }

  /** Hands what is due to the dispatcher; when to call again. */
  wake(now: Millis): Millis {
    const { window, dispatcher } = this.#parts
    for (const entry of window.takeDue(now, DUE_BATCH)) {
      if (this.#holds.has(entry.uuid)) entry.state = 'held'
      else dispatcher.add(this.#flights.jobFor(entry))
    }
    void this.load()
    return window.nextAt(now)
  }

  /** Fills the window as far as it has room. One load at a time; it goes on by itself after a failure of the store. */
  load(): Promise<void> {
    if (this.#loading !== null || this.#stopped || !this.#wantsRead()) return this.#loading ?? Promise.resolve()
    this.#loading = this.#loadAll().finally(() => (this.#loading = null))
    return this.#loading
  }

  /** Asks the store for due timers that are not known here, as a bug, a hand-made edit or a write of unknown outcome would leave behind. */
  repair(): Promise<void> {
    this.#repairWanted = true
    return this.load()
  }

  /** Delivering, or reading a page. */
  get isBusy(): boolean {
    return this.#flights.size > 0 || this.#loading !== null
  }

  /** Resolves when what is under way now is over; more may have begun by then. */
  async ended(): Promise<void> {
    await this.#flights.allEnded()
    await this.#loading
  }

  /** No delivery starts any more; resolves when those in flight have landed, or been abandoned after the signal. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#flights.allEnded()
    await this.#loading
  }

  /** Another node is about to own it. No delivery starts any more; those in flight go on, and their outcomes go to that node. */
  depart(): Departure {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#stopped = true
    this.#departed = promise
    const flights = () => {
      const own = this.#flights.timers().map((timer) => flightAbroad(timer, this.#parts.node))
      this.#reported = new Set(own.map(({ deliveryId }) => deliveryId))
      return [...own, ...this.#abroad.list()]
    }
    return { flights, end: resolve }
  }

  /** A delivery that another node carries is over. Resolves when what came of it is durable. */
  async land({ flight, ended }: Landing): Promise<void> {
    if (ended !== null) await this.#settle(flight, ended)
    this.#abroad.end(flight)
    // The shard has gone on to another node meanwhile, which may have been told of the flight: it must hear of its end, too.
    if (this.#departed !== null) throw notOwner()
  }

  /** Deliveries that other nodes carry go on only where the carrier lives. */
  seen(living: ReadonlySet<string>): void {
    this.#abroad.endUnlessCarriedBy(living)
  }

  async #settle(flight: FlightAbroad, ended: EndedAttempt): Promise<void> {
    const { clock, retentionMs, window, observer } = this.#parts
    let row = this.#known(flight.uuid) ?? (await this.#fetch(flight))
    for (let round = 0; round < ROUNDS_MAX; round++) {
      // Something else has become of it, or it is being delivered again.
      if (row === null || isFinished(row) || !isAttemptOf(row, flight) || window.get(row.uuid)?.state === 'flying') return
      const after = settle(row, ended, { now: clock.now(), retentionMs: retentionMs(row.namespace) })
      const result = await this.#writeHeld(row, after)
      if (result.type === 'written') return observer.settled(row, after, ended.outcome, ended.durationMs)
      row = result.row
    }
  }

  async #report(timer: Timer, ended: EndedAttempt | null): Promise<void> {
    if (this.#departed === null) return
    await this.#departed
    const flight = flightAbroad(timer, this.#parts.node)
    if (this.#reported.has(flight.deliveryId)) await this.#parts.report({ shard: this.#parts.id, flight, ended })
  }

  #known(uuid: TimerUuid): Timer | null {
    return this.#parts.window.get(uuid)?.timer ?? null
  }

  async #fetch({ namespace, id, uuid }: Pick<Command, 'namespace' | 'id' | 'uuid'>): Promise<Timer | null> {
    try {
      return await this.#parts.store.get({ namespace, id, uuid, shard: this.#parts.id })
    } catch (error) {
      throw storeFailed(error)
    }
  }

  async #writeHeld(before: Timer | null, after: Timer): Promise<Exclude<PutResult, { type: 'fenced' }>> {
    this.#hold(after.uuid)
    try {
      const result = await this.#write(before, after)
      if (result.type === 'fenced') throw notOwner()
      if (result.type === 'written') this.#apply(after)
      return result
    } catch (error) {
      if (error instanceof StoreError && error.outcomeUnknown) void this.#findOut(after)
      throw storeFailed(error)
    } finally {
      this.#release(after.uuid)
    }
  }

  /**
   * Nobody knows whether the write happened. Until the store has told, what is in memory may be out of date: the timer is
   * held, since everybody may already be able to read that it is canceled, and no command is judged.
   */
  async #findOut({ namespace, id, uuid }: Timer): Promise<void> {
    const { store, clock, id: shard, epoch, signal } = this.#parts
    this.#hold(uuid)
    this.#unsure.set(uuid, (this.#unsure.get(uuid) ?? 0) + 1)
    for (let waitMs = ASK_AGAIN_FIRST_MS; !this.#stopped; waitMs = Math.min(waitMs * 2, ASK_AGAIN_MAX_MS)) {
      try {
        // A commit comes after all earlier ones of the shard, even if the store is still busy with one that it was given.
        const [result] = await store.commit([{ shard, epoch, puts: [] }])
        if (result!.fenced) this.#parts.onFenced()
        const row = await store.get({ namespace, id, uuid, shard })
        if (row !== null) this.#apply(row)
        break
      } catch {
        await sleep(clock, waitMs, signal).catch(() => {})
      }
    }
    const others = this.#unsure.get(uuid)! - 1
    if (others === 0) this.#unsure.delete(uuid)
    else this.#unsure.set(uuid, others)
    this.#release(uuid)
  }

  async #write(before: Timer | null, after: Timer): Promise<PutResult> {
    const put: Put = { timer: after, expect: before === null ? 'absent' : expectationOf(before), tallies: talliesOf(before, after) }
    const { outbox } = this.#parts
    const result = await (outbox === undefined ? this.#commit(put) : this.#commitWithEvents(outbox, before, put))
    if (result.type === 'fenced') this.#parts.onFenced()
    return result
  }

  #commit(put: Put): Promise<PutResult> {
    return this.#parts.commits.write(this.#parts.id, this.#parts.epoch, put)
  }

  async #commitWithEvents(outbox: Outbox, before: Timer | null, put: Put): Promise<PutResult> {
    const events = outbox.eventsOf(before, put.timer)
    if (events.length === 0) return this.#commit(put)
    try {
      return await this.#commit({ ...put, events })
    } finally {
      // Also after a failure: nobody knows then whether they are there.
      outbox.written(this.#parts.id)
    }
  }

  #apply(timer: Timer): void {
    this.#parts.window.apply(timer)
    this.#parts.wakeBy(timer.wakeAt)
    void this.load()
  }

  #land(entry: Entry, row: Timer | null): void {
    this.#parts.window.land(entry, row)
    if (row !== null) this.#parts.wakeBy(row.wakeAt)
    void this.load()
  }

  /** Asked when a timer's turn has come: is it still the current version, still due, and no change of it on its way? */
  #isWanted(entry: Entry, now: Millis): boolean {
    if (this.#isGone(entry)) return false
    if (this.#holds.has(entry.uuid)) {
      entry.state = 'held'
      return false
    }
    if (now >= entry.wakeAt && this.#parts.mayStart()) return true
    // While the timer waited for a slot the clock was set back, or the store could not be reached.
    this.#putBack(entry)
    return false
  }

  /** It was replaced, canceled or evicted; the shard may have another entry for the timer. */
  #isGone(entry: Entry): boolean {
    return this.#stopped || this.#parts.window.get(entry.uuid) !== entry
  }

  #hold(uuid: TimerUuid): void {
    this.#holds.set(uuid, (this.#holds.get(uuid) ?? 0) + 1)
  }

  #release(uuid: TimerUuid): void {
    const others = this.#holds.get(uuid)! - 1
    if (others > 0) {
      this.#holds.set(uuid, others)
      return
    }
    this.#holds.delete(uuid)
    const entry = this.#parts.window.get(uuid)
    if (entry?.state === 'held') this.#putBack(entry)
  }

  #putBack(entry: Entry): void {
    this.#parts.window.putBack(entry)
    this.#parts.wakeBy(entry.wakeAt)
  }

  async #loadAll(): Promise<void> {
    const { window, clock, logger } = this.#parts
    try {
      while (!this.#stopped && this.#wantsRead()) {
        if (this.#repairWanted) {
          this.#repairWanted = false
          const found = await window.repair(clock.now())
          if (found > 0) logger.warn({ shard: this.id, found }, 'found due timers that were not in memory')
        } else {
          await window.loadPage(clock.now())
        }
        this.#parts.wakeBy(window.nextAt(clock.now()))
      }
    } catch (error) {
      logger.error({ shard: this.id, err: error }, 'could not read timers from the store; trying again')
      this.#parts.wakeBy(clock.now() + RETRY_AFTER_MS)
    }
  }

  #wantsRead(): boolean {
    return this.#repairWanted || this.#parts.window.wantsPage(this.#parts.clock.now())
  }
}

/** Nothing was done: the command may be tried at another node, or here again later. */
export function notOwner(): DuetimeError {
  return new DuetimeError(ErrorCode.notOwner, 'this node does not own the shard of the timer now', { retryAfterMs: RETRY_AFTER_MS })
}

function expectationOf({ version, status, metadata, ...timer }: Timer): ExpectedRow {
  return { version, status, kind: kindOf(timer), metadata }
}

function storeFailed(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error
  const effect = error.outcomeUnknown ? 'the change may have been stored or not; look before you repeat it' : 'nothing was stored'
  return unavailable(`the store failed: ${effect}: ${error.message}`, RETRY_AFTER_MS, error)
}
