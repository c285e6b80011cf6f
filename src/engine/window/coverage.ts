// Which timers of a shard are in memory: all that are live and at or before a border. There is the main border, and there
// are *parked* parties, which have more due than memory should hold of one party: each has a border of its own,
// further back, while the main border moves on without it. A parked party that has caught up is parked no more.
//
// Borders only move forward at the end of a page, and only if nobody pulled them back while the page was being read.

import { compareKeys, lastKeyAt } from '../../core/timer/order.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import { partyOf } from '../../core/timer/party.ts'
import type { Party } from '../../core/timer/party.ts'
import { NEVER } from '../../core/timer/timer.ts'
import type { Millis, Timer } from '../../core/timer/timer.ts'
import type { DueScan } from '../../store/store.ts'

/** All parties that are not parked. */
export const OTHERS = Symbol('parties that are not parked')
export type Scope = Party | typeof OTHERS

/** The rows that come next for a scope; `from` is the border they lie behind. */
export type Page = {
  readonly scope: Scope
  readonly from: OrderKey
  readonly scan: Pick<DueScan, 'after' | 'until' | 'party' | 'except'>
}

/** Behind every key: nothing is missing in memory. */
const EVERYTHING: OrderKey = lastKeyAt(Infinity)
const NOTHING: OrderKey = lastKeyAt(-Infinity)
const LAST_DUE_AT: Millis = NEVER - 1 // leaves paused timers out
const PARKED_MAX = 1_000 // all of them are named in every scan for the others, and each has scans of its own
// How far a scan looks ahead that leaves parked parties out: their rows are read, and skipped, as far as it goes.
const LOOK_AHEAD_MS = 10_000

export class Coverage {
  #main = NOTHING
  /** Never behind the main border. */
  readonly #parked = new Map<Party, OrderKey>()

  get parked(): ReadonlyMap<Party, OrderKey> {
    return this.#parked
  }

  /** The time up to which nothing is missing; Infinity when nothing is at all. */
  borderAt(scope: Scope): Millis {
    return this.#borderOf(scope).wakeAt
  }

  covers(timer: Timer): boolean {
    return compareKeys(timer, this.#parked.size === 0 ? this.#main : this.#borderOf(partyOf(timer))) <= 0
  }

  pageOf(scope: Scope, now: Millis): Page {
    const from = this.#borderOf(scope)
    const after = from === NOTHING ? null : from
    if (scope !== OTHERS)
      return { scope, from, scan: { after, until: Math.min(this.#main.wakeAt, LAST_DUE_AT), party: scope } }
    if (this.#parked.size === 0) return { scope, from, scan: { after, until: LAST_DUE_AT } }
    const until = Math.min(Math.max(now, from.wakeAt) + LOOK_AHEAD_MS, LAST_DUE_AT)
    return { scope, from, scan: { after, until, except: [...this.#parked.keys()] } }
  }

  /** The page was read: to this key, or, for null, to its end. False: a border was pulled back meanwhile, and the page is no use. */
  extend({ scope, from, scan }: Page, to: OrderKey | null): boolean {
    if (from !== (scope === OTHERS ? this.#main : this.#parked.get(scope))) return false
    if (scope === OTHERS) this.#main = to ?? (scan.until === LAST_DUE_AT ? EVERYTHING : lastKeyAt(scan.until))
    else if (to === null || compareKeys(to, this.#main) >= 0) this.#parked.delete(scope)
    else this.#parked.set(scope, to)
    return true
  }

  /** Timers behind `border` may be missing from now on, whatever their party. */
  pullBack(border: OrderKey): void {
    if (compareKeys(border, this.#main) >= 0) return
    this.#main = border
    for (const [party, own] of this.#parked) if (compareKeys(own, border) >= 0) this.#parked.delete(party)
  }

  /** Timers of the party behind `border`, or behind where it is, may be missing from now on. */
  park(party: Party, border: OrderKey = this.#main): void {
    const own = this.#borderOf(party)
    if (this.#parked.size >= PARKED_MAX && !this.#parked.has(party)) this.pullBack(border)
    else this.#parked.set(party, compareKeys(border, own) < 0 ? border : own)
  }

  #borderOf(scope: Scope): OrderKey {
    return scope === OTHERS ? this.#main : (this.#parked.get(scope) ?? this.#main)
  }
}
