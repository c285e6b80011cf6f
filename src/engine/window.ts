// The part of a shard that is in memory: its next timers, up to a count and a number of bytes, so that memory does
// not depend on how many are stored. Every live timer inside the borders that `Coverage` keeps is here; the others are
// only in the store and are loaded, page by page, when there is room and a border is within the horizon, or about to be reached.
//
// Timers committed inside the borders are put in at once. While a page is being read, what is committed meanwhile is
// noted and laid over the page, so neither can hide the other: a row's version says which is newer.

import { lastKeyAt } from '../core/order.ts'
import type { OrderKey } from '../core/order.ts'
import { isFinished } from '../core/timer.ts'
import type { Millis, Namespace, ShardId, Timer, TimerUuid } from '../core/timer.ts'
import type { Store } from '../store/store.ts'
import { Coverage, OTHERS } from './coverage.ts'
import type { Page, Scope } from './coverage.ts'
import { Entries } from './entries.ts'
import type { Entry } from './entries.ts'
import { PageReader } from './page-reader.ts'
import { looksAgainAt, nextScope, SOON_MS } from './paging.ts'
import type { WindowLimits } from './shares.ts'

export class Window {
  readonly #limits: WindowLimits
  readonly #entries: Entries
  readonly #pages: PageReader
  readonly #coverage = new Coverage()
  /** While more than this is in memory nobody is made to give way: the last page that needed it brought nothing in. */
  #pressAtSize = Infinity

  constructor(options: { store: Store; shard: ShardId; limits: WindowLimits; now: Millis }) {
    this.#limits = options.limits
    this.#entries = new Entries(options.limits, options.now)
    this.#pages = new PageReader(options)
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#entries.shares.bytes
  }

  /** Namespaces that have more due than memory should hold of them. */
  get parked(): Iterable<Namespace> {
    return this.#coverage.parked.keys()
  }

  levelCounts(): number[] {
    return this.#entries.levelCounts()
  }

  get(uuid: TimerUuid): Entry | undefined {
    return this.#entries.get(uuid)
  }

  /** If this is what the store holds for the timer, and it is live, then it is here. */
  covers(timer: Timer): boolean {
    return this.#coverage.covers(timer)
  }

  /** When to look again: something comes due then, or a border is about to be reached. */
  nextAt(now: Millis): Millis {
    return Math.min(this.#entries.nextAt(), looksAgainAt(this.#coverage, now))
  }

  /** The wake time of the timer that has waited longest for its delivery to start; `now` when none is due. Looks at all. */
  oldestWaitingAt(now: Millis): Millis {
    return this.#entries.oldestWaitingAt(now)
  }

  /** Timers whose time has come, in order. They stay in the window until they are dropped, evicted or land. */
  takeDue(now: Millis, limit: number): Entry[] {
    return this.#entries.takeDue(now, limit)
  }

  /** The entry goes back to waiting for its time, which may be now. */
  putBack(entry: Entry): void {
    this.#entries.putBack(entry)
  }

  /** This is what the store holds now for the timer. */
  apply(timer: Timer): void {
    this.#pages.note(timer)
    this.#merge(timer)
  }

  /** The delivery of an entry is over and `row` is what the store holds for it now; null when it holds nothing. */
  land(entry: Entry, row: Timer | null): void {
    const newest = row !== null && row.version > entry.timer.version ? row : entry.timer
    this.#entries.remove(entry)
    if (row !== null) this.apply(newest)
  }

  wantsPage(now: Millis): boolean {
    return this.#nextScope(now) !== null
  }

  async loadPage(now: Millis): Promise<void> {
    const scope = this.#nextScope(now)
    if (scope === null) return
    const { shares } = this.#entries
    if (scope === OTHERS && !shares.hasRoom) for (const namespace of shares.large()) this.#coverage.park(namespace)
    const page = this.#coverage.pageOf(scope, now)
    const limit = shares.pageSize(scope === OTHERS ? null : scope)
    const rows = await this.#pages.read({ ...page.scan, limit })
    const { changes, isVoid } = this.#pages.end()
    if (isVoid || !this.#coverage.extend(page, rows.length < limit ? null : keyOf(rows.at(-1)!))) return
    this.#takeIn(rows, changes, page)
    for (const timer of changes.values()) this.#merge(timer)
  }

  /** Takes in what is due by the store's word and not known here; how many it found. It should find none. */
  async repair(now: Millis): Promise<number> {
    const rows = await this.#pages.read({ after: null, until: now, limit: this.#limits.pageSize })
    const { changes, isVoid } = this.#pages.end()
    if (isVoid) return 0
    const unknown = rows.filter((row) => !changes.has(row.uuid) && this.#isMissing(row))
    for (const row of unknown) this.#merge(row)
    return unknown.length
  }

  #nextScope(now: Millis): Scope | null {
    return nextScope(this.#coverage, this.#entries.shares, now, this.size <= this.#pressAtSize)
  }

  /** As far as there is room. To evict what lies further ahead would mean to read that again, for ever if payloads are large. */
  #takeIn(rows: readonly Timer[], changes: ReadonlyMap<TimerUuid, Timer>, { scope, from }: Page): void {
    let last = from
    for (const row of rows) {
      if (!changes.has(row.uuid) && this.#isMissing(row)) {
        if (!this.#pressFor(row)) {
          if (scope === OTHERS) this.#coverage.pullBack(last)
          else this.#coverage.park(scope, last)
          break
        }
        this.#merge(row)
      }
      last = keyOf(row)
    }
    this.#pressAtSize = rows.length > 0 && last === from ? Math.floor((this.size * 15) / 16) : Infinity
  }

  #isMissing(row: Timer): boolean {
    return this.#coverage.covers(row) && (this.#entries.get(row.uuid)?.timer.version ?? 0) < row.version
  }

  #merge(timer: Timer): void {
    const entry = this.#entries.get(timer.uuid)
    if (entry !== undefined) {
      if (entry.timer.version >= timer.version) return
      if (entry.state === 'flying') return this.#entries.replaceInFlight(entry, timer)
      this.#entries.remove(entry)
    }
    if (!isFinished(timer) && this.#coverage.covers(timer) && this.#makeRoomFor(timer)) this.#entries.insert(timer)
  }

  /** False when the timer must stay outside: it is the furthest itself, or everything else is being delivered. */
  #makeRoomFor(timer: Timer): boolean {
    const { shares } = this.#entries
    if (!shares.isFull) return true
    while (shares.isFull && this.#coverage.covers(timer)) {
      if (this.#coverage.parked.size === 0 && this.#evictFurthest()) continue
      if (this.#evictFrom(shares.yieldsTo(timer), timer) || this.#evictFurthest()) continue
      this.#coverage.park(timer.namespace, lastKeyAt(timer.wakeAt - 1))
    }
    return this.#coverage.covers(timer)
  }

  /** Other namespaces give way to the row, as long as one of them has more in memory than the row's. */
  #pressFor(row: Timer): boolean {
    const { shares } = this.#entries
    while (shares.isFull) {
      const namespace = shares.yieldsTo(row)
      if (namespace === row.namespace || !this.#evictFrom(namespace, row)) return false
    }
    return true
  }

  #evictFurthest(): boolean {
    const border = this.#entries.evictFurthest(2 * SOON_MS)
    if (border !== null) this.#coverage.pullBack(border)
    return border !== null
  }

  #evictFrom(namespace: Namespace, timer: Timer): boolean {
    const border = this.#entries.evictFurthestOf(namespace, timer)
    if (border !== null) this.#coverage.park(namespace, border)
    return border !== null
  }
}

function keyOf({ wakeAt, uuid }: OrderKey): OrderKey {
  return { wakeAt, uuid }
}
