// How full the window is, and whose backlogs fill it. Timers that wait for their time are not counted by group: they
// give way by time alone. Those that are due and wait for their turn are a share group's *backlog*: it is entitled to as much
// as if the window were divided among those that have one and a newcomer, and may have more as long as nobody needs the room.
//
// Deliveries under way cannot give way. They leave at least half of the window to the others, however many they are: their
// own number is limited by the dispatcher.

import { shareGroupOf } from '../../core/timer/share-group.ts'
import type { ShareGroup } from '../../core/timer/share-group.ts'
import type { Timer } from '../../core/timer/timer.ts'

/** They may change at any time: the shards of a node share what it may hold. */
export type WindowLimits = { readonly timersMax: number; readonly bytesMax: number; readonly pageSize: number }

type Size = { timers: number; bytes: number }
/** `isSpent`: all of the backlog has given way since the last delivery ended. */
type Deliveries = { count: number; isSpent: boolean }

const TIMER_BYTES = 700 // a Timer and its entry without payload and metadata, measured
const FIRST_PAGE = 100 // nothing is known yet about the size of this shard's payloads

export class Shares {
  readonly #limits: WindowLimits
  readonly #all: Size = { timers: 0, bytes: 0 }
  readonly #inFlight: Size = { timers: 0, bytes: 0 }
  readonly #backlogs = new Map<ShareGroup, Size>()
  readonly #deliveries = new Map<ShareGroup, Deliveries>()

  constructor(limits: WindowLimits) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#all.bytes
  }

  add(timer: Timer): void {
    count(this.#all, timer, 1)
  }

  remove(timer: Timer): void {
    count(this.#all, timer, -1)
  }

  addBacklog(timer: Timer): void {
    let backlog = this.#backlogs.get(shareGroupOf(timer))
    if (backlog === undefined) this.#backlogs.set(shareGroupOf(timer), (backlog = { timers: 0, bytes: 0 }))
    count(backlog, timer, 1)
  }

  removeBacklog(timer: Timer): void {
    const backlog = this.#backlogs.get(shareGroupOf(timer))!
    count(backlog, timer, -1)
    if (backlog.timers === 0) this.#backlogs.delete(shareGroupOf(timer))
  }

  addInFlight(timer: Timer): void {
    count(this.#inFlight, timer, 1)
    const deliveries = this.#deliveries.get(shareGroupOf(timer))
    if (deliveries === undefined) this.#deliveries.set(shareGroupOf(timer), { count: 1, isSpent: false })
    else deliveries.count++
  }

  removeInFlight(timer: Timer): void {
    count(this.#inFlight, timer, -1)
    const deliveries = this.#deliveries.get(shareGroupOf(timer))!
    deliveries.isSpent = false
    if (--deliveries.count === 0) this.#deliveries.delete(shareGroupOf(timer))
  }

  get isFull(): boolean {
    return this.fill >= 1
  }

  /** Worth a page. */
  get hasRoom(): boolean {
    return this.fill <= 1 / 2
  }

  /** Those with more than half of the backlog that they are entitled to: they give way to others. */
  large(): ShareGroup[] {
    return [...this.#backlogs.keys()].filter((group) => this.#isAbove(group, 1 / 2))
  }

  /**
   * Its backlog has run low, and it is time for its next page. That is well below where it stops giving way to others: each
   * page comes after deliveries, not after others have taken the room of the page before.
   */
  isLow(group: ShareGroup): boolean {
    return !this.#isAbove(group, 1 / 4) && this.#deliveries.get(group)?.isSpent !== true
  }

  /** May the last one of its backlog give way, too? Only while it has deliveries under way; its next page then waits for the end of one. */
  spend(group: ShareGroup): boolean {
    const deliveries = this.#deliveries.get(group)
    if (deliveries !== undefined) deliveries.isSpent = true
    return deliveries !== undefined
  }

  /** The group whose backlog should give way to this timer: the largest; null when none is large and larger than the timer's own. */
  yieldsTo(timer: Timer): ShareGroup | null {
    let largest: ShareGroup | null = null
    let most =
      this.#partOf(this.#backlogs.get(shareGroupOf(timer))) + this.#partOf({ timers: 1, bytes: bytesOf(timer) })
    for (const group of this.large()) {
      const part = this.#partOf(this.#backlogs.get(group))
      const isOwn = group === shareGroupOf(timer)
      if (isOwn ? largest === null : part >= most) [largest, most] = [group, Math.max(part, most)]
    }
    return largest
  }

  /** How many rows to ask for, by the size of those that are here. While there is little room: what can get in. */
  pageSize(group: ShareGroup | null): number {
    const { pageSize, bytesMax } = this.#limits
    const { timers, bytes } = this.#all
    if (timers === 0) return Math.min(FIRST_PAGE, pageSize)
    const averageBytes = bytes / timers
    const size = Math.max(1, Math.min(pageSize, Math.floor(bytesMax / 4 / averageBytes)))
    if (this.hasRoom) return size
    return Math.max(1, Math.min(size, group === null ? this.#roomFor(averageBytes) : this.#entitled(group)))
  }

  /** Where somebody can give way, it is not known how many. */
  #roomFor(averageBytes: number): number {
    if (this.large().length > 0) return Infinity
    const { timersMax, bytesMax } = this.#limits
    return Math.ceil((1 - this.fill) * Math.min(timersMax, bytesMax / averageBytes))
  }

  #entitled(group: ShareGroup): number {
    return Math.floor(this.#limits.timersMax / (this.#backlogs.size + 1)) - (this.#backlogs.get(group)?.timers ?? 0)
  }

  /** What is here and is not in flight, as a part of the room that there is for it. */
  get fill(): number {
    const { timersMax, bytesMax } = this.#limits
    const timers =
      (this.#all.timers - this.#inFlight.timers) / Math.max(timersMax - this.#inFlight.timers, Math.ceil(timersMax / 2))
    return Math.max(
      timers,
      (this.#all.bytes - this.#inFlight.bytes) / Math.max(bytesMax - this.#inFlight.bytes, bytesMax / 2),
    )
  }

  #isAbove(group: ShareGroup, partOfEntitlement: number): boolean {
    return this.#partOf(this.#backlogs.get(group)) * (this.#backlogs.size + 1) > partOfEntitlement
  }

  #partOf(size: Size | undefined): number {
    if (size === undefined) return 0
    return Math.max(size.timers / this.#limits.timersMax, size.bytes / this.#limits.bytesMax)
  }
}

function count(size: Size, timer: Timer, sign: 1 | -1): void {
  size.timers += sign
  size.bytes += sign * bytesOf(timer)
}

export function bytesOf(timer: Timer): number {
  return TIMER_BYTES + (timer.payload?.length ?? 0) + (timer.metadata?.length ?? 0)
}
