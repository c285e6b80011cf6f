// A hierarchical timing wheel: holds any number of timers and says which are due, at a constant cost for each
// whatever its distance. A timer sits in the coarsest slot that still tells it apart from now; when that slot's
// time begins, its timers move to finer ones. The current second's timers are in a heap, so that they come out
// to the millisecond and in the total order.
//
// Time here is what `advanceTo` was told. If the clock steps back, nothing moves, and nothing comes out early
// because `takeDue` compares with the time it is given. If it steps forward, the slots in between are skipped.

import { compareKeys } from '../../core/timer/order.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import type { Millis } from '../../core/timer/timer.ts'
import { WHEEL_LEVELS } from '../../core/statistics/wheel-levels.ts'
import { MinHeap } from '../../core/min-heap.ts'

const TICK_MS = WHEEL_LEVELS[0]!.slotMs

/**
 * What the wheel holds. `slot` belongs to the wheel: where the item sits, null while it is not in the wheel. An item
 * that was taken out may be added again; one that was removed may not, since the heap may still know it.
 */
export type WheelItem = OrderKey & { slot: Slot | 'current' | null }

type Slot = { readonly level: Level; readonly items: Set<WheelItem> }
type Level = { readonly ticks: number; readonly slots: (Slot | undefined)[]; count: number }

export class TimingWheel<Item extends WheelItem> {
  #tick: number
  #size = 0
  readonly #current = new MinHeap<Item>(compareKeys)
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

  /** Idempotent. An item of the current second stays in the heap, ownerless, until it comes up there. */
  remove(item: Item): void {
    if (item.slot === null) return
    if (item.slot !== 'current') {
      item.slot.items.delete(item)
      item.slot.level.count--
    }
    item.slot = null
    this.#size--
  }

  /** When to look again: the next item's time, or the moment at which its slot must be opened. Infinity when empty. */
  nextAt(): Millis {
    this.#dropRemoved()
    return this.#current.peek()?.wakeAt ?? this.#nextSlotTick() * TICK_MS
  }

  /** Takes out the items that are due at `now`, in order, `limit` at most. */
  takeDue(now: Millis, limit: number): Item[] {
    this.#advanceTo(now)
    const due: Item[] = []
    while (due.length < limit) {
      this.#dropRemoved()
      const first = this.#current.peek()
      if (first === undefined || first.wakeAt > now) break
      this.#current.pop()
      first.slot = null
      this.#size--
      due.push(first)
    }
    return due
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
    if (dueTick <= this.#tick) {
      item.slot = 'current'
      this.#current.push(item)
      return
    }
    const level = this.#levelFor(dueTick)
    // Beyond the last level's horizon a timer waits in that level's last slot and is placed anew from there.
    const reach = Math.floor(this.#tick / level.ticks) + level.slots.length
    const index = Math.min(Math.floor(dueTick / level.ticks), reach) % level.slots.length
    const slot = (level.slots[index] ??= { level, items: new Set() })
    slot.items.add(item)
    level.count++
    item.slot = slot
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

  #dropRemoved(): void {
    for (let first = this.#current.peek(); first !== undefined && first.slot === null; first = this.#current.peek())
      this.#current.pop()
  }
}
