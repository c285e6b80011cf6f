// Which page to read next. While there is room: what comes due within the horizon, separated share groups first, since they are
// behind; what lies beyond it would only be read to be held for hours, at the expense of the timers that fire meanwhile.
// Without room, only what is needed soon: the others at the expense of those with large backlogs, and the next timers of a
// separated group whose backlog in memory has run low.

import type { Millis } from '../../core/timer/timer.ts'
import { OTHERS } from './coverage.ts'
import type { Coverage, Scope } from './coverage.ts'
import type { Shares } from './shares.ts'

export const SOON_MS: Millis = 1_000 // time for a scan to pass some hundred thousand rows of a separated group
export const HORIZON_MS: Millis = 600_000 // a store that is away for some minutes delays nothing that was due meanwhile

/** Null for none. `mayPress`: others may be made to give way. */
export function nextScope(coverage: Coverage, shares: Shares, now: Millis, mayPress: boolean): Scope | null {
  const { hasRoom } = shares
  const othersAt = coverage.cursorAt(OTHERS)
  if (othersAt <= now + SOON_MS && (hasRoom || mayPress)) return OTHERS
  if (coverage.separated.size === 0) return hasRoom && othersAt <= now + HORIZON_MS ? OTHERS : null
  let next: Scope | null = null
  for (const group of coverage.separated.keys()) {
    const isSoon = coverage.cursorAt(group) <= now + SOON_MS
    if (!hasRoom && !(mayPress && isSoon && shares.isLow(group))) continue
    if (next === null || coverage.cursorAt(group) < coverage.cursorAt(next)) next = group
  }
  return next
}

/** When `nextScope` may have another answer because of the time alone; Infinity for never. */
export function looksAgainAt(coverage: Coverage, now: Millis): Millis {
  let next = Infinity
  const consider = (at: Millis): void => {
    if (at > now && at < next) next = at
  }
  if (coverage.separated.size === 0) consider(coverage.cursorAt(OTHERS) - HORIZON_MS)
  for (const scope of [OTHERS, ...coverage.separated.keys()] as const) consider(coverage.cursorAt(scope) - SOON_MS)
  return next
}
