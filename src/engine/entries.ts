// The timers that are in memory: by uuid, in the timing wheel while they wait for their time, and counted by namespace.
// Whoever evicts some of them learns the border up to which nothing is missing afterwards.

import { compareKeys, lastKeyAt } from '../core/order.ts'
import type { OrderKey } from '../core/order.ts'
import type { Millis, Namespace, Timer, TimerUuid } from '../core/timer.ts'
import { Shares } from './shares.ts'
import type { WindowLimits } from './shares.ts'
import { TimingWheel } from './timing-wheel.ts'
import type { WheelItem } from './timing-wheel.ts'

/** `waiting` in the wheel, `held` back by a change on its way, `ready` in the dispatcher, `flying` while being delivered. */
export type EntryState = 'waiting' | 'held' | 'ready' | 'flying'
export type Entry = WheelItem & { timer: Timer; state: EntryState }

const SAMPLE = 64 // keys that are sorted to find out where the furthest eighth of a namespace begins

export class Entries {
  readonly shares: Shares
  readonly #entries = new Map<TimerUuid, Entry>()
  readonly #wheel: TimingWheel<Entry>

  constructor(limits: WindowLimits, now: Millis) {
    this.shares = new Shares(limits)
    this.#wheel = new TimingWheel(now)
  }

  get size(): number {
    return this.#entries.size
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

  oldestWaitingAt(now: Millis): Millis {
    let oldest = now
    for (const { state, wakeAt } of this.#entries.values()) if (state !== 'flying' && wakeAt < oldest) oldest = wakeAt
    return oldest
  }

  takeDue(now: Millis, limit: number): Entry[] {
    return this.#wheel.takeDue(now, limit)
  }

  putBack(entry: Entry): void {
    entry.state = 'waiting'
    this.#wheel.add(entry)
  }

  insert(timer: Timer): void {
    const entry: Entry = { wakeAt: timer.wakeAt, uuid: timer.uuid, timer, state: 'waiting', slot: null }
    this.#entries.set(timer.uuid, entry)
    this.shares.add(timer)
    this.#wheel.add(entry)
  }

  remove(entry: Entry): void {
    this.#wheel.remove(entry)
    if (this.#entries.delete(entry.uuid)) this.shares.remove(entry.timer)
  }

  /** What flies is the old version; the new one takes its place when that has landed. */
  replaceInFlight(entry: Entry, timer: Timer): void {
    this.shares.remove(entry.timer)
    this.shares.add(timer)
    entry.timer = timer
  }

  /** Evicts what lies furthest ahead, in the coarse steps of the wheel, but nothing of the next `aheadMs`. Null when there is nothing else. */
  evictFurthest(aheadMs: Millis): OrderKey | null {
    const evicted = this.#wheel.takeFurthestSlot(aheadMs)
    for (const entry of evicted) this.remove(entry)
    return evicted.length === 0 ? null : lastKeyAt(evicted.reduce((first, { wakeAt }) => Math.min(first, wakeAt), Infinity) - 1)
  }

  /**
   * Evicts about an eighth of a namespace's entries, the furthest ahead, due ones that wait for their turn included. The
   * timer, which is to come in, counts among them if it is of that namespace. Null when they are fewer than two.
   */
  evictFurthestOf(namespace: Namespace, timer: Timer): OrderKey | null {
    const candidates: Entry[] = []
    for (const entry of this.#entries.values()) if (entry.timer.namespace === namespace && isEvictable(entry)) candidates.push(entry)
    const border = sevenEighths(timer.namespace === namespace ? [...candidates, timer] : candidates)
    if (border === null) return null
    for (const entry of candidates) if (compareKeys(entry, border) > 0) this.remove(entry)
    return { wakeAt: border.wakeAt, uuid: border.uuid }
  }
}

function isEvictable({ state }: Entry): boolean {
  return state === 'waiting' || state === 'ready'
}

/** The key behind which about an eighth of these lies, and at least one; null for fewer than two. Sorting all of them would take milliseconds. */
function sevenEighths(keys: readonly OrderKey[]): OrderKey | null {
  const step = Math.ceil(keys.length / SAMPLE)
  const sample = keys.filter((_, index) => index % step === 0).toSorted(compareKeys)
  return sample[Math.min(Math.floor((sample.length * 7) / 8), sample.length - 2)] ?? null
}
