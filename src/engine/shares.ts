// How much of the window each namespace takes up, in timers and in bytes. A namespace is entitled to as much as if the
// window were divided among those that are in it and one newcomer; it may have more as long as nobody else needs the room.

import type { Namespace, Timer } from '../core/timer.ts'

/** They may change at any time: the shards of a node share what it may hold. */
export type WindowLimits = { readonly timersMax: number; readonly bytesMax: number; readonly pageSize: number }

type Share = { timers: number; bytes: number }

const TIMER_BYTES = 700 // a Timer and its entry without payload and metadata, measured
const FIRST_PAGE = 100 // nothing is known yet about the size of this shard's payloads

export class Shares {
  readonly #limits: WindowLimits
  readonly #shares = new Map<Namespace, Share>()
  #timers = 0
  #bytes = 0

  constructor(limits: WindowLimits) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  add(timer: Timer): void {
    let share = this.#shares.get(timer.namespace)
    if (share === undefined) this.#shares.set(timer.namespace, (share = { timers: 0, bytes: 0 }))
    const bytes = bytesOf(timer)
    share.timers++
    share.bytes += bytes
    this.#timers++
    this.#bytes += bytes
  }

  remove(timer: Timer): void {
    const share = this.#shares.get(timer.namespace)!
    const bytes = bytesOf(timer)
    share.timers--
    share.bytes -= bytes
    this.#timers--
    this.#bytes -= bytes
    if (share.timers === 0) this.#shares.delete(timer.namespace)
  }

  get isFull(): boolean {
    return this.#timers >= this.#limits.timersMax || this.#bytes >= this.#limits.bytesMax
  }

  /** Worth a page. */
  get hasRoom(): boolean {
    return this.#timers <= this.#limits.timersMax / 2 && this.#bytes <= this.#limits.bytesMax / 2
  }

  /** Takes up no more than half of what it is entitled to. While the window has no room for a page, there is one that takes up more. */
  isModest(namespace: Namespace): boolean {
    return this.#partOf(this.#shares.get(namespace)) * 2 * (this.#shares.size + 1) <= 1
  }

  /** Those that are not modest. */
  large(): Namespace[] {
    return [...this.#shares.keys()].filter((namespace) => !this.isModest(namespace))
  }

  /** The namespace that should give way to this timer: the largest, if it stays larger than the timer's own; otherwise that. */
  yieldsTo(timer: Timer): Namespace {
    let largest = timer.namespace
    let most = this.#partOf(this.#shares.get(largest)) + this.#partOf({ timers: 1, bytes: bytesOf(timer) })
    for (const [namespace, share] of this.#shares) {
      const part = this.#partOf(share)
      if (part > most) [largest, most] = [namespace, part]
    }
    return largest
  }

  /** How many rows to ask for, by the size of those that are here. While there is little room, what the namespace is entitled to. */
  pageSize(namespace: Namespace | null): number {
    const { pageSize, bytesMax, timersMax } = this.#limits
    if (this.#timers === 0) return Math.min(FIRST_PAGE, pageSize)
    const averageBytes = this.#bytes / this.#timers
    const size = Math.min(pageSize, Math.floor(bytesMax / 4 / averageBytes))
    if (namespace === null || this.hasRoom) return Math.max(1, size)
    const entitled = Math.floor(timersMax / (this.#shares.size + 1)) - (this.#shares.get(namespace)?.timers ?? 0)
    return Math.max(1, Math.min(size, entitled))
  }

  #partOf(share: Share | undefined): number {
    if (share === undefined) return 0
    return Math.max(share.timers / this.#limits.timersMax, share.bytes / this.#limits.bytesMax)
  }
}

export function bytesOf(timer: Timer): number {
  return TIMER_BYTES + (timer.payload?.length ?? 0) + (timer.metadata?.length ?? 0)
}
