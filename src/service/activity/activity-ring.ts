// What happened in each of the last seconds, or minutes: a ring of slots that are counted in and overwritten when their
// time comes again. Written for every firing, so it is a few additions to typed arrays; read once a second at most.

import { BUCKETS, bucketOf } from '../../core/statistics/histogram.ts'
import type { Millis } from '../../core/timer/timer.ts'

/** `fired` counts first attempts; the next four what came of attempts. */
export const COUNTERS = ['fired', 'delivered', 'rescheduled', 'retried', 'failed', 'created', 'canceled'] as const
export type Counter = (typeof COUNTERS)[number]
export type ActivityCounts = Readonly<Record<Counter, number>>

export class ActivityRing {
  readonly #slotMs: Millis
  readonly #slots: number
  /** Which stretch of time, counted since 1970, each slot is about. */
  readonly #numbers: Float64Array
  readonly #counts: Uint32Array
  /** Made when something fires in a slot: a namespace that is quiet costs next to nothing. */
  readonly #late: (Uint32Array | null)[]
  readonly #lateMax: Float64Array
  #current = 0
  #currentFrom: Millis = -Infinity

  constructor({ slotMs, slots }: { readonly slotMs: Millis; readonly slots: number }) {
    this.#slotMs = slotMs
    this.#slots = slots
    this.#numbers = new Float64Array(slots).fill(-1)
    this.#counts = new Uint32Array(slots * COUNTERS.length)
    this.#late = Array.from({ length: slots }, () => null)
    this.#lateMax = new Float64Array(slots)
  }

  count(counter: number, now: Millis): void {
    const place = this.#slotAt(now) * COUNTERS.length + counter
    this.#counts[place] = this.#counts[place]! + 1
  }

  late(lateMs: Millis, now: Millis): void {
    const slot = this.#slotAt(now)
    const late = (this.#late[slot] ??= new Uint32Array(BUCKETS))
    const bucket = bucketOf(lateMs)
    late[bucket] = late[bucket]! + 1
    if (lateMs > this.#lateMax[slot]!) this.#lateMax[slot] = lateMs
  }

  /** Adds what is known of the stretches `from` to `to`, both included. */
  addTo(sum: ActivitySum, from: number, to: number): void {
    for (let number = Math.max(from, to - this.#slots + 1); number <= to; number++) {
      const slot = number % this.#slots
      if (this.#numbers[slot] === number) this.#addSlot(sum, slot)
    }
  }

  #addSlot(sum: ActivitySum, slot: number): void {
    for (let counter = 0; counter < COUNTERS.length; counter++)
      sum.counts[counter]! += this.#counts[slot * COUNTERS.length + counter]!
    const late = this.#late[slot]
    if (late === null || late === undefined) return
    for (let bucket = 0; bucket < BUCKETS; bucket++) sum.late[bucket]! += late[bucket]!
    sum.lateMaxMs = Math.max(sum.lateMaxMs, this.#lateMax[slot]!)
  }

  /** The slot of this moment, emptied if it still tells of an earlier round. Nearly always it is that of the moment before. */
  #slotAt(now: Millis): number {
    if (now >= this.#currentFrom && now < this.#currentFrom + this.#slotMs) return this.#current
    const number = Math.floor(now / this.#slotMs)
    const slot = number % this.#slots
    this.#current = slot
    this.#currentFrom = number * this.#slotMs
    if (this.#numbers[slot] === number) return slot
    this.#numbers[slot] = number
    this.#counts.fill(0, slot * COUNTERS.length, (slot + 1) * COUNTERS.length)
    this.#late[slot]?.fill(0)
    this.#lateMax[slot] = 0
    return slot
  }
}

/** What several slots, of one namespace or of several, add up to. */
export class ActivitySum {
  readonly counts: number[] = COUNTERS.map(() => 0)
  readonly late = new Float64Array(BUCKETS)
  lateMaxMs: Millis = 0

  named(): ActivityCounts {
    return Object.fromEntries(COUNTERS.map((name, index) => [name, this.counts[index]])) as ActivityCounts
  }
}
