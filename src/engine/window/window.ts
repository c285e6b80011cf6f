// The part of a shard that is in memory: its next timers, up to a count and a number of bytes, so that memory does
// not depend on how many are stored. Every live timer inside the cursors that `Coverage` keeps is here; the others are
// only in the store and are loaded, page by page, when there is room and a cursor is within the horizon, or about to be reached.
//
// Timers committed inside the cursors are put in at once. While a page is being read, what is committed meanwhile is
// noted and laid over the page, so neither can hide the other: a row's version says which is newer.
//
// When it is full, what waits for a later time gives way to what is due sooner, whatever their share groups. Only then do
// backlogs, which are due already and wait for their turn, give way to what is due soon: the largest first. Of what is due in more
// than an hour, only some stay: most of it would be moved about in memory for days.

import { keyOf, lastKeyAt, laterKey } from '../../core/timer/order.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import type { ShareGroup } from '../../core/timer/share-group.ts'
import { isFinished, NEVER } from '../../core/timer/timer.ts'
import type { Millis, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { Coverage, OTHERS } from './coverage.ts'
import type { Page, Scope } from './coverage.ts'
import type { Entry } from './entry.ts'
import { evictBacklog, evictFurthest } from './eviction.ts'
import type { Eviction, Furthest } from './eviction.ts'
import { PageReader } from './page-reader.ts'
import type { PageSource } from './page-reader.ts'
import { looksAgainAt, nextScope, SOON_MS } from './paging.ts'
import { Shares } from './shares.ts'
import type { WindowLimits } from './shares.ts'
import { TimingWheel } from '../wake/timing-wheel.ts'

const FAR_MS: Millis = 3_600_000 // what is changed or canceled again is mostly due sooner, and is looked up in memory
const FAR_PART = 1 / 8 // of all that may be here

export class Window {
  readonly #limits: WindowLimits
  /** By uuid; those that wait for their time are in the wheel, too. */
  readonly #entries = new Map<TimerUuid, Entry>()
  readonly #wheel: TimingWheel<Entry>
  readonly #shares: Shares
  readonly #pages: PageReader
  readonly #coverage = new Coverage()
  /** While more than this is in memory nobody is made to give way: the last page that needed it brought nothing in. */
  #pressAtSize = Infinity

  constructor(options: { due: PageSource; limits: WindowLimits; now: Millis }) {
    this.#limits = options.limits
    this.#wheel = new TimingWheel(options.now)
    this.#shares = new Shares(options.limits)
    this.#pages = new PageReader(options)
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#shares.bytes
  }

  /** Namespaces that have more due than memory should hold of them. */
  get separated(): Iterable<ShareGroup> {
    return this.#coverage.separated.keys()
  }

  levelCounts(): number[] {
    return this.#wheel.levelCounts()
  }

  get(uuid: TimerUuid): Entry | undefined {
    return this.#entries.get(uuid)
  }

  /** If this is what the store holds for the timer, and it is live, then it is here. */
  covers(timer: Timer): boolean {
    return this.#coverage.covers(timer)
  }

  /** When to look again: something comes due then, or a cursor is about to be reached. */
  nextAt(now: Millis): Millis {
    return Math.min(this.#wheel.nextAt(), looksAgainAt(this.#coverage, now))
  }

  /** The wake time of the timer that has waited longest for its delivery to start; `now` when none is due. Looks at all. */
  oldestWaitingAt(now: Millis): Millis {
    let oldest = now
    for (const { state, wakeAt } of this.#entries.values())
      if (state !== 'in-flight' && wakeAt < oldest) oldest = wakeAt
    return oldest
  }

  /** Timers whose time has come, in order. They stay in the window until they are dropped or evicted, or their delivery ends. */
  takeDue(now: Millis, limit: number): Entry[] {
    const due = this.#wheel.takeDue(now, limit)
    for (const entry of due) this.#countAs(entry, 'backlog')
    if (due.length > 0) this.#pressAtSize = Infinity // what has come due can give way
    return due
  }

  /** Its delivery starts; it stays here until that ends. */
  startDelivery(entry: Entry): void {
    entry.state = 'in-flight'
    this.#countAs(entry, 'in-flight')
  }

  /** Its turn has come, and it may not start: a change of it is on its way, or another node delivers it. It cannot give way either. */
  hold(entry: Entry): void {
    entry.state = 'held'
    this.#countAs(entry, 'in-flight')
  }

  /** The entry goes back to waiting for its time, which may be now. */
  putBack(entry: Entry): void {
    entry.state = 'waiting'
    this.#wheel.add(entry)
  }

  /**
   * The entry, which was due, waits until then. Until its row changes that is later than the row says, so it cannot give way: nobody
   * would know that it is missing.
   */
  putBackUntil(entry: Entry, at: Millis): void {
    entry.state = 'waiting'
    entry.wakeAt = at
    this.#countAs(entry, 'in-flight')
    if (at < NEVER) this.#wheel.add(entry)
  }

  /** The entry waits for what its row says again. */
  renew(entry: Entry): void {
    this.#remove(entry)
    this.#insert(entry.timer)
  }

  /** This is what the store holds now for the timer. */
  apply(timer: Timer, now: Millis): void {
    this.#pages.note(timer)
    if (timer.wakeAt > now + FAR_MS && this.size >= this.#limits.timersMax * FAR_PART) this.#leaveFar(timer, now)
    this.#merge(timer, now)
  }

  /** The delivery of an entry is over and `row` is what the store holds for it now; null when it holds nothing. */
  endDelivery(entry: Entry, row: Timer | null, now: Millis): void {
    const newest = row !== null && row.version > entry.timer.version ? row : entry.timer
    this.#remove(entry)
    if (row !== null) this.apply(newest, now)
  }

  wantsPage(now: Millis): boolean {
    return this.#nextScope(now) !== null
  }

  async loadPage(now: Millis): Promise<void> {
    const scope = this.#nextScope(now)
    if (scope === null) return
    const shares = this.#shares
    if (scope === OTHERS && !shares.hasRoom) for (const group of shares.large()) this.#coverage.separate(group)
    const page = this.#coverage.pageOf(scope, now)
    const limit = shares.pageSize(scope === OTHERS ? null : scope)
    const rows = await this.#pages.read({ ...page.scan, limit })
    const { changes, isVoid } = this.#pages.end()
    if (isVoid || !this.#coverage.extend(page, rows.length < limit ? null : keyOf(rows.at(-1)!))) return
    this.#takeIn(rows, changes, page, now)
    for (const timer of changes.values()) this.#merge(timer, now)
  }

  /** Takes in what is due by the store's word and not known here; how many it found. It should find none. */
  async repair(now: Millis): Promise<number> {
    const rows = await this.#pages.read({ after: null, until: now, limit: this.#limits.pageSize })
    const { changes, isVoid } = this.#pages.end()
    if (isVoid) return 0
    const unknown = rows.filter((row) => !changes.has(row.uuid) && this.#isMissing(row))
    for (const row of unknown) this.#merge(row, now)
    return unknown.length
  }

  #nextScope(now: Millis): Scope | null {
    return nextScope(this.#coverage, this.#shares, now, this.size <= this.#pressAtSize)
  }

  /** As far as there is room, and others give way. */
  #takeIn(rows: readonly Timer[], changes: ReadonlyMap<TimerUuid, Timer>, { scope, from }: Page, now: Millis): void {
    let last = from
    for (const row of rows) {
      if (!changes.has(row.uuid) && this.#isMissing(row)) {
        const hasRoom = this.#pressFor(row, now)
        if (!hasRoom && this.#coverage.covers(row)) {
          last = laterKey(last, lastKeyAt(row.wakeAt - 1)) // nothing lies between
          if (scope === OTHERS) this.#coverage.pullBack(last)
          else this.#coverage.separate(scope, last)
          break
        }
        // Without room and outside: its own group has the largest share, and is separated from here on.
        if (hasRoom) this.#merge(row, now)
      }
      last = keyOf(row)
    }
    this.#pressAtSize = rows.length > 0 && last === from ? Math.floor((this.size * 15) / 16) : Infinity
  }

  #isMissing(row: Timer): boolean {
    return this.#coverage.covers(row) && (this.#entries.get(row.uuid)?.timer.version ?? 0) < row.version
  }

  #merge(timer: Timer, now: Millis): void {
    const entry = this.#entries.get(timer.uuid)
    if (entry !== undefined) {
      if (entry.timer.version >= timer.version) return
      if (entry.state === 'in-flight') return this.#replaceInFlight(entry, timer)
      this.#remove(entry)
    }
    if (!isFinished(timer) && this.#coverage.covers(timer) && this.#makeRoomFor(timer, now)) this.#insert(timer)
  }

  /** False when the timer must stay outside: it is the furthest itself, or everything else is needed as soon. */
  #makeRoomFor(timer: Timer, now: Millis): boolean {
    while (this.#shares.isFull && this.#coverage.covers(timer)) {
      if (isSoon(timer, now) && this.#evictFor(timer, now)) continue
      const eviction = evictFurthest(this.#entries.values(), timer, { mustFit: false })
      this.#coverage.pullBack(this.#evict(eviction) ?? lastKeyAt(timer.wakeAt - 1))
    }
    return this.#coverage.covers(timer)
  }

  /** An eighth of what is here, the timer counted, but only what is far from due. */
  #leaveFar(timer: Timer, now: Millis): void {
    const notBefore = lastKeyAt(now + FAR_MS)
    if (!isFinished(timer) && this.#coverage.covers(timer)) this.#evictLater(timer, { mustFit: false, notBefore })
  }

  #pressFor(row: Timer, now: Millis): boolean {
    while (this.#shares.isFull && this.#coverage.covers(row)) if (!this.#evictFor(row, now)) return false
    return this.#coverage.covers(row)
  }

  /** What is due later gives way, and then, to what is needed soon, the largest backlog. */
  #evictFor(timer: Timer, now: Millis): boolean {
    // Looking for it is looking at all, for each row of a page that comes while thousands are due.
    if (this.#wheel.mayHaveAfter(timer.wakeAt) && this.#evictLater(timer, { mustFit: true })) return true
    return isSoon(timer, now) && this.#evictBacklogFor(timer)
  }

  #evictLater(timer: Timer, how: Furthest): boolean {
    const cursor = this.#evict(evictFurthest(this.#entries.values(), timer, how))
    if (cursor !== null) this.#coverage.pullBack(cursor)
    return cursor !== null
  }

  #evictBacklogFor(timer: Timer): boolean {
    const group = this.#shares.yieldsTo(timer)
    if (group === null) return false
    const cursor = this.#evict(evictBacklog(this.#entries.values(), group, timer, () => this.#shares.spend(group)))
    if (cursor !== null) this.#coverage.separate(group, cursor)
    return cursor !== null
  }

  #evict(eviction: Eviction | null): OrderKey | null {
    if (eviction === null) return null
    for (const entry of eviction.entries) this.#remove(entry)
    return eviction.cursor
  }

  #insert(timer: Timer): void {
    const entry: Entry = { wakeAt: timer.wakeAt, uuid: timer.uuid, timer, state: 'waiting', slot: null, counts: null }
    this.#entries.set(timer.uuid, entry)
    this.#shares.add(timer)
    this.#wheel.add(entry)
  }

  #remove(entry: Entry): void {
    this.#wheel.remove(entry)
    if (!this.#entries.delete(entry.uuid)) return
    this.#countAs(entry, null)
    this.#shares.remove(entry.timer)
  }

  /** What is being delivered is the old version; the new one takes its place when that delivery has ended. */
  #replaceInFlight(entry: Entry, timer: Timer): void {
    const { counts } = entry
    this.#countAs(entry, null)
    this.#shares.remove(entry.timer)
    this.#shares.add(timer)
    entry.timer = timer
    this.#countAs(entry, counts)
  }

  #countAs(entry: Entry, counts: Entry['counts']): void {
    if (entry.counts === counts) return
    if (entry.counts === 'backlog') this.#shares.removeBacklog(entry.timer)
    if (entry.counts === 'in-flight') this.#shares.removeInFlight(entry.timer)
    if (counts === 'backlog') this.#shares.addBacklog(entry.timer)
    if (counts === 'in-flight') this.#shares.addInFlight(entry.timer)
    entry.counts = counts
  }
}

/** With time to spare: pages are read when their cursor is SOON_MS away. */
function isSoon({ wakeAt }: Timer, now: Millis): boolean {
  return wakeAt <= now + 2 * SOON_MS
}
