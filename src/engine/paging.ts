// Which page to read next. While there is room: whatever is not in memory yet, parked namespaces first, since they are
// behind. Without room, only what is needed soon: the others at the expense of those with large shares, and the next
// timers of a parked namespace whose share has run low.

import type { Millis } from '../core/timer.ts'
import { OTHERS } from './coverage.ts'
import type { Coverage, Scope } from './coverage.ts'
import type { Shares } from './shares.ts'

export const SOON_MS: Millis = 1_000 // time for a scan to pass some hundred thousand rows of a parked namespace

/** Null for none. `mayPress`: others may be made to give way. */
export function nextScope(coverage: Coverage, shares: Shares, now: Millis, mayPress: boolean): Scope | null {
  const { hasRoom } = shares
  const isSoon = (scope: Scope): boolean => coverage.borderAt(scope) <= now + SOON_MS
  if (isSoon(OTHERS) && (hasRoom || mayPress)) return OTHERS
  if (coverage.parked.size === 0) return hasRoom && !coverage.hasAllOthers ? OTHERS : null
  let next: Scope | null = null
  for (const namespace of coverage.parked.keys()) {
    if (!hasRoom && !(mayPress && isSoon(namespace) && shares.isModest(namespace))) continue
    if (next === null || coverage.borderAt(namespace) < coverage.borderAt(next)) next = namespace
  }
  return next
}

/** When a border that is not reached soon will be; Infinity for none. */
export function soonAt(coverage: Coverage, now: Millis): Millis {
  let next = Infinity
  for (const scope of [OTHERS, ...coverage.parked.keys()] as const) {
    const at = coverage.borderAt(scope) - SOON_MS
    if (at > now && at < next) next = at
  }
  return next
}
