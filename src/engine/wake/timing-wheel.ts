// A hierarchical timing wheel: holds any number of timers and says which are due, at a constant cost for each
// whatever its distance. A timer sits in the coarsest slot that still tells it apart from now; when that slot's
// time begins, its timers move to finer ones. The current second's timers are in one bucket for each millisecond.
//
// Those of one millisecond come out in no order, well mixed: what one tenant created in one go would else take all slots
// before another one's turn comes. Sorting them by a hash did that, too, and was a tenth of what a firing cost in a burst.
//
// Time here is what `advanceTo` was told. If the clock steps back, nothing moves, and nothing comes out early
// because `takeDue` compares with the time it is given. If it steps forward, the slots in between are skipped.

import type { OrderKey } from '../../core/timer/order.ts'
import type { Millis } from '../../core/timer/timer.ts'
import { WHEEL_LEVELS } from '../../core/statistics/wheel-levels.ts'
import { MinHeap } from '../../core/min-heap.ts'

const TICK_MS = WHEEL_LEVELS[0]!.slotMs

/**
 * What the wheel holds. `slot` belongs to the wheel: where the item sits, null while it is not in the wheel. An item
 * that was taken out may be added again; one that was removed may not, since a bucket may still know it.
 */
export type WheelItem = OrderKey & { slot: Slot | Bucket | null }

type Slot = { readonly level: Level; readonly items: Set<WheelItem> }
/** Of a millisecond that has begun, or soon will. `live`: how many of its items have not been removed. */
type Bucket = { readonly level: null; readonly wakeAt: Millis; readonly items: WheelItem[]; live: number }
type Level = { readonly ticks: number; readonly slots: (Slot | undefined)[]; count: number }

export class TimingWheel<Item extends WheelItem> {
  #tick: number
  #size = 0
  readonly #buckets = new Map<Millis, Bucket>()
  readonly #current = new MinHeap<Bucket>((a, b) => a.wakeAt - b.wakeAt)
  /** The latest bucket since there was last none. */
  #lastCurrentAt = -Infinity
  #random = 1
  readonly #levels: readonly Level[] = WHEEL_LEVELS.map(({ slots, slotMs }) => ({
    ticks: slotMs / TICK_MS,
    slots: Array.from({ length: slots }),
    count: 0,
  }))

  constructor(now: Millis) {
    this.#tick = Math.floor(now / TICK_MS)
  }

  get size(): number {
    return this.#size
  }

  /** How many timers each level holds, the current second counted with the first. */
  levelCounts(): number[] {
    const counts = this.#levels.map((level) => level.count)
    counts[0]! += this.#size - counts.reduce((sum, count) => sum + count, 0)
    return counts
  }

  add(item: Item): void {
    this.#place(item)
    this.#size++
  }

  /** False: nothing here is due later than this. */
  mayHaveAfter(at: Millis): boolean {
    return this.#lastCurrentAt > at || this.#levels.some(({ count }) => count > 0)
  }

  /** Idempotent. An item of the current second stays in its bucket, ownerless, until it comes up there. */
  remove(item: Item): void {
    const { slot } = item
    if (slot === null) return
    if (slot.level === null) slot.live--
    else {
      slot.items.delete(item)
      slot.level.count--
    }
    item.slot = null
    this.#size--
  }

  /** When to look again: the next item's time, or the moment at which its slot must be opened. Infinity when empty. */
  nextAt(): Millis {
    return this.#firstBucket()?.wakeAt ?? this.#nextSlotTick() * TICK_MS
  }

  /** Takes out the items that are due at `now`, in the order of their times, `limit` at most. */
  takeDue(now: Millis, limit: number): Item[] {
    this.#advanceTo(now)
    const due: Item[] = []
    for (let bucket = this.#firstBucket(); bucket !== undefined && bucket.wakeAt <= now; bucket = this.#firstBucket()) {
      while (bucket.live > 0) {
        if (due.length === limit) return due
        const item = this.#takeFrom(bucket.items)
        if (item.slot !== bucket) continue
        bucket.live--
        item.slot = null
        this.#size--
        due.push(item as Item)
      }
    }
    return due
  }

  /** Any of them, and the same in every run. */
  #takeFrom(items: WheelItem[]): WheelItem {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0
    const place = this.#random % items.length
    const last = items.pop()!
    if (place === items.length) return last
    const taken = items[place]!
    items[place] = last
    return taken
  }

  /** Opens every slot whose time has begun, jumping over the empty ones. */
  #advanceTo(now: Millis): void {
    const target = Math.floor(now / TICK_MS)
    while (this.#tick < target) {
      this.#tick = Math.min(target, this.#nextSlotTick())
      for (let index = this.#levels.length - 1; index >= 0; index--) this.#openSlot(this.#levels[index]!)
    }
  }

  /** Only at the slot's first tick: later on its place may hold items that are one whole turn ahead. */
  #openSlot(level: Level): void {
    if (this.#tick % level.ticks !== 0) return
    const index = (this.#tick / level.ticks) % level.slots.length
    const slot = level.slots[index]
    if (slot === undefined) return
    level.slots[index] = undefined
    level.count -= slot.items.size
    for (const item of slot.items) this.#place(item as Item)
  }

  #place(item: Item): void {
    const dueTick = Math.floor(item.wakeAt / TICK_MS)
    if (dueTick <= this.#tick) return this.#placeInBucket(item)
    const level = this.#levelFor(dueTick)
    // Beyond the last level's horizon a timer waits in that level's last slot and is placed anew from there.
    const reach = Math.floor(this.#tick / level.ticks) + level.slots.length
    const index = Math.min(Math.floor(dueTick / level.ticks), reach) % level.slots.length
    const slot = (level.slots[index] ??= { level, items: new Set() })
    slot.items.add(item)
    level.count++
    item.slot = slot
  }

  #placeInBucket(item: Item): void {
    const { wakeAt } = item
    let bucket = this.#buckets.get(wakeAt)
    if (bucket === undefined) {
      bucket = { level: null, wakeAt, items: [], live: 0 }
      this.#lastCurrentAt = this.#buckets.size === 0 ? wakeAt : Math.max(this.#lastCurrentAt, wakeAt)
      this.#buckets.set(wakeAt, bucket)
      this.#current.push(bucket)
    }
    bucket.items.push(item)
    bucket.live++
    item.slot = bucket
  }

  /** The first whose reach covers the delay, its end included: the slot at that distance is the one just opened, which is empty. */
  #levelFor(dueTick: number): Level {
    const delay = dueTick - this.#tick
    return this.#levels.find(({ ticks, slots }) => delay <= ticks * slots.length) ?? this.#levels.at(-1)!
  }

  #nextSlotTick(): number {
    let next = Infinity
    for (const level of this.#levels) {
      if (level.count === 0) continue
      const now = Math.floor(this.#tick / level.ticks)
      for (let ahead = 1; ahead <= level.slots.length; ahead++) {
        const slot = level.slots[(now + ahead) % level.slots.length]
        if (slot === undefined || slot.items.size === 0) continue
        next = Math.min(next, (now + ahead) * level.ticks)
        break
      }
    }
    return next
  }

  #firstBucket(): Bucket | undefined {
    for (let first = this.#current.peek(); first !== undefined; first = this.#current.peek()) {
      if (first.live > 0) return first
      this.#current.pop()
      this.#buckets.delete(first.wakeAt)
    }
    return undefined
  }
}
