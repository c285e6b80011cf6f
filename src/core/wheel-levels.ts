// The five levels of the timing wheel: how coarse each is and how far it reaches. The engine's wheel is built
// from this table, and contracts that show a timer's place in the wheel compute it from the same table.

import type { Millis } from './timer.ts'

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
