// Which timers of a shard are in memory: all that are live and at or before a cursor. There is the main cursor, and there
// are *separated* share groups, which have more due than memory should hold of one group: each has a cursor of its own,
// further back, while the main cursor moves on without it. A separated group that has caught up is separated no more.
//
// Cursors only move forward at the end of a page, and only if nobody pulled them back while the page was being read.

import { compareKeys, lastKeyAt } from '../../core/timer/order.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import { shareGroupOf } from '../../core/timer/share-group.ts'
import type { ShareGroup } from '../../core/timer/share-group.ts'
import { NEVER } from '../../core/timer/timer.ts'
import type { Millis, Timer } from '../../core/timer/timer.ts'
import type { DueScan } from '../../store/store.ts'

/** All share groups that are not separated. */
export const OTHERS = Symbol('share groups that are not separated')
export type Scope = ShareGroup | typeof OTHERS

/** The rows that come next for a scope; `from` is the cursor they lie behind. */
export type Page = {
  readonly scope: Scope
  readonly from: OrderKey
  readonly scan: Pick<DueScan, 'after' | 'until' | 'group' | 'except'>
}

/** Behind every key: nothing is missing in memory. */
const EVERYTHING: OrderKey = lastKeyAt(Infinity)
const NOTHING: OrderKey = lastKeyAt(-Infinity)
const LAST_DUE_AT: Millis = NEVER - 1 // leaves paused timers out
const SEPARATE_MAX = 1_000 // all of them are named in every scan for the others, and each has scans of its own
// How far a scan looks ahead that leaves separated share groups out: their rows are read, and skipped, as far as it goes.
const LOOK_AHEAD_MS = 10_000

export class Coverage {
  #main = NOTHING
  /** Never behind the main cursor. */
  readonly #separated = new Map<ShareGroup, OrderKey>()

  get separated(): ReadonlyMap<ShareGroup, OrderKey> {
    return this.#separated
  }

  /** The time up to which nothing is missing; Infinity when nothing is at all. */
  cursorAt(scope: Scope): Millis {
    return this.#cursorOf(scope).wakeAt
  }

  covers(timer: Timer): boolean {
    return compareKeys(timer, this.#separated.size === 0 ? this.#main : this.#cursorOf(shareGroupOf(timer))) <= 0
  }

  pageOf(scope: Scope, now: Millis): Page {
    const from = this.#cursorOf(scope)
    const after = from === NOTHING ? null : from
    if (scope !== OTHERS)
      return { scope, from, scan: { after, until: Math.min(this.#main.wakeAt, LAST_DUE_AT), group: scope } }
    if (this.#separated.size === 0) return { scope, from, scan: { after, until: LAST_DUE_AT } }
    const until = Math.min(Math.max(now, from.wakeAt) + LOOK_AHEAD_MS, LAST_DUE_AT)
    return { scope, from, scan: { after, until, except: [...this.#separated.keys()] } }
  }

  /** The page was read: to this key, or, for null, to its end. False: a cursor was pulled back meanwhile, and the page is no use. */
  extend({ scope, from, scan }: Page, to: OrderKey | null): boolean {
    if (from !== (scope === OTHERS ? this.#main : this.#separated.get(scope))) return false
    if (scope === OTHERS) this.#main = to ?? (scan.until === LAST_DUE_AT ? EVERYTHING : lastKeyAt(scan.until))
    else if (to === null || compareKeys(to, this.#main) >= 0) this.#separated.delete(scope)
    else this.#separated.set(scope, to)
    return true
  }

  /** Timers behind `cursor` may be missing from now on, whatever their group. */
  pullBack(cursor: OrderKey): void {
    if (compareKeys(cursor, this.#main) >= 0) return
    this.#main = cursor
    for (const [group, own] of this.#separated) if (compareKeys(own, cursor) >= 0) this.#separated.delete(group)
  }

  /** Timers of the group behind `cursor`, or behind where it is, may be missing from now on. */
  separate(group: ShareGroup, cursor: OrderKey = this.#main): void {
    const own = this.#cursorOf(group)
    if (this.#separated.size >= SEPARATE_MAX && !this.#separated.has(group)) this.pullBack(cursor)
    else this.#separated.set(group, compareKeys(cursor, own) < 0 ? cursor : own)
  }

  #cursorOf(scope: Scope): OrderKey {
    return scope === OTHERS ? this.#main : (this.#separated.get(scope) ?? this.#main)
  }
}
