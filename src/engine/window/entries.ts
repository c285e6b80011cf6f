// The timers that are in memory: by uuid, in the timing wheel while they wait for their time, and counted as backlog while
// they are due and wait for their turn. Whoever evicts some of them learns the border up to which nothing is missing afterwards.

import { compareKeys, lastKeyAt } from '../../core/timer/order.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import { partyOf } from '../../core/timer/party.ts'
import type { Party } from '../../core/timer/party.ts'
import type { Millis, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { Shares } from './shares.ts'
import type { WindowLimits } from './shares.ts'
import { TimingWheel } from '../wake/timing-wheel.ts'
import type { WheelItem } from '../wake/timing-wheel.ts'

/** `waiting` in the wheel, `held` back by a change on its way, `ready` in the dispatcher, `in-flight` while being delivered. */
export type EntryState = 'waiting' | 'held' | 'ready' | 'in-flight'
/** `counts`: as what it is counted besides being here. */
export type Entry = WheelItem & { timer: Timer; state: EntryState; counts: 'backlog' | 'in-flight' | null }

const SAMPLE = 64 // keys that are sorted to find out where the furthest eighth begins

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
    for (const { state, wakeAt } of this.#entries.values())
      if (state !== 'in-flight' && wakeAt < oldest) oldest = wakeAt
    return oldest
  }

  takeDue(now: Millis, limit: number): Entry[] {
    const due = this.#wheel.takeDue(now, limit)
    for (const entry of due) this.#countAs(entry, 'backlog')
    return due
  }

  putBack(entry: Entry): void {
    entry.state = 'waiting'
    this.#wheel.add(entry)
  }

  startDelivery(entry: Entry): void {
    entry.state = 'in-flight'
    this.#countAs(entry, 'in-flight')
  }

  insert(timer: Timer): void {
    const entry: Entry = { wakeAt: timer.wakeAt, uuid: timer.uuid, timer, state: 'waiting', slot: null, counts: null }
    this.#entries.set(timer.uuid, entry)
    this.shares.add(timer)
    this.#wheel.add(entry)
  }

  remove(entry: Entry): void {
    this.#wheel.remove(entry)
    if (!this.#entries.delete(entry.uuid)) return
    this.#countAs(entry, null)
    this.shares.remove(entry.timer)
  }

  /** What is being delivered is the old version; the new one takes its place when that delivery has ended. */
  replaceInFlight(entry: Entry, timer: Timer): void {
    const { counts } = entry
    this.#countAs(entry, null)
    this.shares.remove(entry.timer)
    this.shares.add(timer)
    entry.timer = timer
    this.#countAs(entry, counts)
  }

  /**
   * Evicts about an eighth of what waits for its time, the furthest ahead. The timer, which is to come in, counts among
   * them; if it `mustFit`, only what is due later than it goes. Null when there is nothing to evict.
   */
  evictFurthest(timer: Timer, { mustFit }: { mustFit: boolean }): OrderKey | null {
    const waiting = this.#evictable(({ counts }) => counts === null)
    const eighth = sevenEighths([...waiting, timer])
    if (eighth === null) return null
    const border = mustFit && eighth.wakeAt <= timer.wakeAt ? lastKeyAt(timer.wakeAt) : eighth
    const behind = this.#evictBehind(waiting, border)
    return behind ?? (mustFit ? null : keyOf(border))
  }

  /** Evicts about an eighth of a party's backlog. The timer counts as in `evictFurthest`. Null when none may go. */
  evictBacklogOf(party: Party, timer: Timer): OrderKey | null {
    const backlog = this.#evictable((entry) => entry.counts === 'backlog' && partyOf(entry.timer) === party)
    const border = sevenEighths(partyOf(timer) === party ? [...backlog, timer] : backlog)
    if (border === null) return backlog.length === 1 && this.shares.spend(party) ? this.#evictLast(backlog[0]!) : null
    return this.#evictBehind(backlog, border) ?? keyOf(border)
  }

  #evictLast(entry: Entry): OrderKey {
    this.remove(entry)
    return lastKeyAt(entry.wakeAt - 1)
  }

  #evictable(which: (entry: Entry) => boolean): Entry[] {
    const found: Entry[] = []
    for (const entry of this.#entries.values())
      if ((entry.state === 'waiting' || entry.state === 'ready') && which(entry)) found.push(entry)
    return found
  }

  /** The last key before the first that had to go; null when none had to. */
  #evictBehind(entries: readonly Entry[], border: OrderKey): OrderKey | null {
    let first = Infinity
    for (const entry of entries) {
      if (compareKeys(entry, border) <= 0) continue
      this.remove(entry)
      first = Math.min(first, entry.wakeAt)
    }
    if (first === Infinity) return null
    return first > border.wakeAt ? lastKeyAt(first - 1) : keyOf(border)
  }

  #countAs(entry: Entry, counts: Entry['counts']): void {
    if (entry.counts === counts) return
    if (entry.counts === 'backlog') this.shares.removeBacklog(entry.timer)
    if (entry.counts === 'in-flight') this.shares.removeInFlight(entry.timer)
    if (counts === 'backlog') this.shares.addBacklog(entry.timer)
    if (counts === 'in-flight') this.shares.addInFlight(entry.timer)
    entry.counts = counts
  }
}

function keyOf({ wakeAt, uuid }: OrderKey): OrderKey {
  return { wakeAt, uuid }
}

/** The key behind which about an eighth of these lies, and at least one; null for fewer than two. Sorting all of them would take milliseconds. */
function sevenEighths(keys: readonly OrderKey[]): OrderKey | null {
  const step = Math.ceil(keys.length / SAMPLE)
  const sample = keys.filter((_, index) => index % step === 0).toSorted(compareKeys)
  return sample[Math.min(Math.floor((sample.length * 7) / 8), sample.length - 2)] ?? null
}
