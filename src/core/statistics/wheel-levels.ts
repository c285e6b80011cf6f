// The five levels of the timing wheel: how coarse each is and how far it reaches. The engine's wheel is built
// from this table, and contracts that show a timer's place in the wheel compute it from the same table.

import type { Millis } from '../timer/timer.ts'

export type WheelLevel = { readonly name: string; readonly slots: number; readonly slotMs: Millis }

const SECOND = 1_000
const HOUR = 3_600 * SECOND

export const WHEEL_LEVELS: readonly WheelLevel[] = [
  { name: 'seconds', slots: 60, slotMs: SECOND },
  { name: 'minutes', slots: 60, slotMs: 60 * SECOND },
  { name: 'hours', slots: 24, slotMs: HOUR },
  { name: 'days', slots: 365, slotMs: 24 * HOUR },
  { name: 'years', slots: 100, slotMs: 8_760 * HOUR },
]

export type WheelPosition = { readonly level: number; readonly slot: number }

const TICK_MS = WHEEL_LEVELS[0]!.slotMs

/**
 * Where a timer due at `dueAt` is put by a wheel that stands at `now`: on the first level whose reach covers the delay,
 * the end of the reach included, so that a minute is 60 of the 60 seconds. What is due already is in the current second.
 */
export function wheelPosition(dueAt: Millis, now: Millis): WheelPosition {
  const tick = Math.floor(now / TICK_MS)
  const dueTick = Math.max(Math.floor(dueAt / TICK_MS), tick)
  const found = WHEEL_LEVELS.findIndex(({ slots, slotMs }) => dueTick - tick <= (slots * slotMs) / TICK_MS)
  // Beyond the last level's reach a timer waits in that level's last slot.
  const level = found < 0 ? WHEEL_LEVELS.length - 1 : found
  const { slots, slotMs } = WHEEL_LEVELS[level]!
  const ticks = slotMs / TICK_MS
  return { level, slot: Math.min(Math.floor(dueTick / ticks), Math.floor(tick / ticks) + slots) % slots }
}
