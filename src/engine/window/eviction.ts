// Which timers leave memory when the window is full, and the cursor up to which nothing is missing afterwards. About an
// eighth goes at a time: one at a time would look at all of them for each timer that comes in.

import { compareKeys, keyOf, lastKeyAt } from '../../core/timer/order.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import { shareGroupOf } from '../../core/timer/share-group.ts'
import type { ShareGroup } from '../../core/timer/share-group.ts'
import type { Timer } from '../../core/timer/timer.ts'
import type { Entry } from './entry.ts'

/** `entries` leave memory; all others up to `cursor` stay. */
export type Eviction = { readonly entries: readonly Entry[]; readonly cursor: OrderKey }

const SAMPLE = 64 // keys that are sorted to find out where the furthest eighth begins

/** `notBefore`: what lies before it stays. */
export type Furthest = { readonly mustFit: boolean; readonly notBefore?: OrderKey }

/**
 * What waits for its time, the furthest ahead. The timer, which is to come in, counts among them; if it `mustFit`, only
 * what is due later than it goes. Null when there is nothing to evict.
 */
export function evictFurthest(all: Iterable<Entry>, timer: Timer, { mustFit, notBefore }: Furthest): Eviction | null {
  const waiting = evictable(all, ({ counts }) => counts === null)
  const eighth = sevenEighths([...waiting, timer])
  if (eighth === null) return null
  const from = notBefore !== undefined && compareKeys(eighth, notBefore) < 0 ? notBefore : eighth
  const eviction = behind(waiting, mustFit && from.wakeAt <= timer.wakeAt ? lastKeyAt(timer.wakeAt) : from)
  return mustFit && eviction.entries.length === 0 ? null : eviction
}

/** Of a share group's backlog. The timer counts as in `evictFurthest`. Null when none may go; `mayEmpty`: the last one may. */
export function evictBacklog(
  all: Iterable<Entry>,
  group: ShareGroup,
  timer: Timer,
  mayEmpty: () => boolean,
): Eviction | null {
  const backlog = evictable(all, (entry) => entry.counts === 'backlog' && shareGroupOf(entry.timer) === group)
  const cursor = sevenEighths(shareGroupOf(timer) === group ? [...backlog, timer] : backlog)
  if (cursor !== null) return behind(backlog, cursor)
  if (backlog.length !== 1 || !mayEmpty()) return null
  return { entries: backlog, cursor: lastKeyAt(backlog[0]!.wakeAt - 1) }
}

/** What waits for later than its row says stays: the row is before the cursor that it would leave behind, and would not be read again. */
function evictable(all: Iterable<Entry>, which: (entry: Entry) => boolean): Entry[] {
  const found: Entry[] = []
  for (const entry of all) {
    const mayGo = (entry.state === 'waiting' || entry.state === 'ready') && entry.wakeAt === entry.timer.wakeAt
    if (mayGo && which(entry)) found.push(entry)
  }
  return found
}

/** The cursor moves up to the first that goes: nothing lies between. */
function behind(entries: readonly Entry[], cursor: OrderKey): Eviction {
  const gone = entries.filter((entry) => compareKeys(entry, cursor) > 0)
  const first = gone.reduce((least, { wakeAt }) => Math.min(least, wakeAt), Infinity)
  return { entries: gone, cursor: first !== Infinity && first > cursor.wakeAt ? lastKeyAt(first - 1) : keyOf(cursor) }
}

/** The key behind which about an eighth of these lies, and at least one; null for fewer than two. Sorting all of them would take milliseconds. */
function sevenEighths(keys: readonly OrderKey[]): OrderKey | null {
  const step = Math.ceil(keys.length / SAMPLE)
  const sample = keys.filter((_, index) => index % step === 0).toSorted(compareKeys)
  return sample[Math.min(Math.floor((sample.length * 7) / 8), sample.length - 2)] ?? null
}
