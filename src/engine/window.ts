// The part of a shard that is in memory: its next timers, up to a count and a number of bytes, so that memory does
// not depend on how many are stored. Every live timer whose key is at or before the *border* is here; what lies
// behind it is only in the store and is loaded, page by page, when the window runs low.
//
// Timers committed inside the border are put in at once. While a page is being read, what is committed meanwhile is
// noted and laid over the page, so neither can hide the other: a row's version says which is newer.

import { compareKeys, lastKeyAt } from '../core/order.ts'
import type { OrderKey } from '../core/order.ts'
import { NEVER, isFinished } from '../core/timer.ts'
import type { Millis, ShardId, Timer, TimerUuid } from '../core/timer.ts'
import type { Store } from '../store/store.ts'
import { TimingWheel } from './timing-wheel.ts'
import type { WheelItem } from './timing-wheel.ts'

/** `waiting` in the wheel, `held` back by a change on its way, `ready` in the dispatcher, `flying` while being delivered. */
export type EntryState = 'waiting' | 'held' | 'ready' | 'flying'
export type Entry = WheelItem & { timer: Timer; state: EntryState }

export type WindowLimits = { readonly timersMax: number; readonly bytesMax: number; readonly pageSize: number }

/** Behind every key: the whole shard is in memory. */
const EVERYTHING: OrderKey = lastKeyAt(Infinity)
const NOTHING: OrderKey = lastKeyAt(-Infinity)
const LAST_DUE_AT: Millis = NEVER - 1 // leaves paused timers out
const TIMER_BYTES = 700 // a Timer and its entry without payload and metadata, measured
const FIRST_PAGE = 100 // nothing is known yet about the size of this shard's payloads

/** What happens to the shard while a page of it is being read. */
type Reading = {
  readonly changes: Map<TimerUuid, Timer>
  changesBytes: number
  /** How far eviction pulled the border back. */
  pulledBack: OrderKey
  /** More has changed than there is room to note: the page says nothing any more and is read again. */
  isVoid: boolean
}

export class Window {
  readonly #store: Store
  readonly #shard: ShardId
  readonly #limits: WindowLimits
  readonly #entries = new Map<TimerUuid, Entry>()
  readonly #wheel: TimingWheel<Entry>
  #bytes = 0
  #border = NOTHING
  #reading: Reading | null = null

  constructor(options: { store: Store; shard: ShardId; limits: WindowLimits; now: Millis }) {
    this.#store = options.store
    this.#shard = options.shard
    this.#limits = options.limits
    this.#wheel = new TimingWheel(options.now)
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  levelCounts(): number[] {
    return this.#wheel.levelCounts()
  }

  get(uuid: TimerUuid): Entry | undefined {
    return this.#entries.get(uuid)
  }

  nextAt(): Millis {
    return this.#wheel.nextAt()
  }

  /** Timers whose time has come, in order. They stay in the window until they are dropped or land. */
  takeDue(now: Millis, limit: number): Entry[] {
    return this.#wheel.takeDue(now, limit)
  }

  /** The entry goes back to waiting for its time, which may be now. */
  putBack(entry: Entry): void {
    entry.state = 'waiting'
    this.#wheel.add(entry)
  }

  /** This is what the store holds now for the timer. */
  apply(timer: Timer): void {
    this.#note(timer)
    this.#merge(timer)
  }

  /** The delivery of an entry is over and `row` is what the store holds for it now; null when it holds nothing. */
  land(entry: Entry, row: Timer | null): void {
    const newest = row !== null && row.version > entry.timer.version ? row : entry.timer
    this.#remove(entry)
    if (row !== null) this.apply(newest)
  }

  /** Room for more, and more to load. */
  get wantsPage(): boolean {
    const { timersMax, bytesMax } = this.#limits
    return this.#border !== EVERYTHING && this.#entries.size <= timersMax / 2 && this.#bytes <= bytesMax / 2
  }

  async loadPage(): Promise<void> {
    const after = this.#border
    const limit = this.#pageSize()
    const rows = await this.#read({ after: after === NOTHING ? null : after, until: LAST_DUE_AT, limit })
    const { changes, pulledBack, isVoid } = this.#endReading()
    if (isVoid) return
    this.#border = earlier(rows.length < limit ? EVERYTHING : keyOf(rows.at(-1)!), pulledBack)
    this.#takeIn(rows, changes, after)
    for (const timer of changes.values()) this.#merge(timer)
  }

  /** As far as there is room. Evicting for a page would mean to read it again, for ever if its payloads are large. */
  #takeIn(rows: readonly Timer[], changes: ReadonlyMap<TimerUuid, Timer>, after: OrderKey): void {
    let last = after
    for (const row of rows) {
      if (this.#isFull()) return this.#pullBack(last)
      if (!changes.has(row.uuid)) this.#merge(row)
      last = keyOf(row)
    }
  }

  /** Takes in what is due by the store's word and not known here; how many it found. It should find none. */
  async repair(now: Millis): Promise<number> {
    const rows = await this.#read({ after: null, until: now, limit: this.#limits.pageSize })
    const { changes, isVoid } = this.#endReading()
    if (isVoid) return 0
    const unknown = rows.filter((row) => !changes.has(row.uuid) && this.#shouldKnow(row))
    for (const row of unknown) this.#merge(row)
    return unknown.length
  }

  #shouldKnow(row: Timer): boolean {
    return compareKeys(row, this.#border) <= 0 && (this.#entries.get(row.uuid)?.timer.version ?? 0) < row.version
  }

  /** Changes are noted until `#endReading`, which the caller does in the same turn in which it takes the rows in. */
  async #read(scan: { after: OrderKey | null; until: Millis; limit: number }): Promise<readonly Timer[]> {
    this.#reading = { changes: new Map(), changesBytes: 0, pulledBack: EVERYTHING, isVoid: false }
    try {
      return await this.#store.due({ shard: this.#shard, ...scan })
    } catch (error) {
      this.#reading = null
      throw error
    }
  }

  #endReading(): Reading {
    const reading = this.#reading!
    this.#reading = null
    return reading
  }

  #note(timer: Timer): void {
    const reading = this.#reading
    if (reading === null || reading.isVoid) return
    reading.changes.set(timer.uuid, timer)
    reading.changesBytes += bytesOf(timer)
    const { timersMax, bytesMax } = this.#limits
    reading.isVoid = reading.changes.size > timersMax || reading.changesBytes > bytesMax
    if (reading.isVoid) reading.changes.clear()
  }

  #pageSize(): number {
    const { pageSize, bytesMax } = this.#limits
    if (this.#entries.size === 0) return Math.min(FIRST_PAGE, pageSize)
    const averageBytes = this.#bytes / this.#entries.size
    return Math.max(1, Math.min(pageSize, Math.floor(bytesMax / 4 / averageBytes)))
  }

  #merge(timer: Timer): void {
    const entry = this.#entries.get(timer.uuid)
    if (entry !== undefined) {
      if (entry.timer.version >= timer.version) return
      if (entry.state === 'flying') return this.#replaceInFlight(entry, timer)
      this.#remove(entry)
    }
    if (!isFinished(timer) && compareKeys(timer, this.#border) <= 0) this.#insert(timer)
  }

  /** What flies is the old version; the new one takes its place when that has landed. */
  #replaceInFlight(entry: Entry, timer: Timer): void {
    this.#bytes += bytesOf(timer) - bytesOf(entry.timer)
    entry.timer = timer
  }

  #insert(timer: Timer): void {
    if (this.#isFull() && !this.#makeRoomFor(timer)) return
    const entry: Entry = { wakeAt: timer.wakeAt, uuid: timer.uuid, timer, state: 'waiting', slot: null }
    this.#entries.set(timer.uuid, entry)
    this.#bytes += bytesOf(timer)
    this.#wheel.add(entry)
  }

  #remove(entry: Entry): void {
    this.#wheel.remove(entry)
    if (this.#entries.delete(entry.uuid)) this.#bytes -= bytesOf(entry.timer)
  }

  #isFull(): boolean {
    return this.#entries.size >= this.#limits.timersMax || this.#bytes >= this.#limits.bytesMax
  }

  /** Gives up what lies furthest ahead, which may be the timer itself: false when it must stay outside. */
  #makeRoomFor(timer: Timer): boolean {
    while (this.#isFull()) {
      const evicted = this.#wheel.takeFurthestSlot()
      for (const entry of evicted) this.#remove(entry)
      const first = evicted.reduce<OrderKey>((a, b) => earlier(a, b), evicted[0] ?? timer)
      this.#pullBack(lastKeyAt(first.wakeAt - 1))
      if (evicted.length === 0) return false
    }
    return compareKeys(timer, this.#border) <= 0
  }

  /** Only the border before the first timer that is missing is true; known timers behind it do no harm. */
  #pullBack(border: OrderKey): void {
    this.#border = earlier(this.#border, border)
    if (this.#reading !== null) this.#reading.pulledBack = earlier(this.#reading.pulledBack, border)
  }
}

function keyOf(timer: Timer): OrderKey {
  return { wakeAt: timer.wakeAt, uuid: timer.uuid }
}

function earlier(a: OrderKey, b: OrderKey): OrderKey {
  return compareKeys(a, b) <= 0 ? a : b
}

function bytesOf(timer: Timer): number {
  return TIMER_BYTES + (timer.payload?.length ?? 0) + (timer.metadata?.length ?? 0)
}
