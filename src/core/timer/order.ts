// The total order of a shard's rows: (wake time in ms, uuid bytes). The same in memory and in every store,
// so that the last key of a page is the exact border between what is in memory and what is not.

import type { Millis, TimerUuid } from './timer.ts'

export type OrderKey = { readonly wakeAt: Millis; readonly uuid: TimerUuid }

export function compareKeys(a: OrderKey, b: OrderKey): number {
  if (a.wakeAt !== b.wakeAt) return a.wakeAt - b.wakeAt
  return a.uuid < b.uuid ? -1 : a.uuid > b.uuid ? 1 : 0
}

export function laterKey(a: OrderKey, b: OrderKey): OrderKey {
  return compareKeys(a, b) >= 0 ? a : b
}

/** Of anything that has one, without the rest of it. */
export function keyOf({ wakeAt, uuid }: OrderKey): OrderKey {
  return { wakeAt, uuid }
}

const FIRST_UUID = '0'.repeat(32) as TimerUuid
const LAST_UUID = 'f'.repeat(32) as TimerUuid

/** Sorts before every row that wakes at this time, but for the one with the all-zero uuid. */
export function firstKeyAt(wakeAt: Millis): OrderKey {
  return { wakeAt, uuid: FIRST_UUID }
}

/** Sorts behind every row that wakes at this time. */
export function lastKeyAt(wakeAt: Millis): OrderKey {
  return { wakeAt, uuid: LAST_UUID }
}
