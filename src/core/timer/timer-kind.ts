// What kind of timer it is, as far as counts and lists tell them apart.

import { repeats } from '../time/firings.ts'
import type { Timer } from './timer.ts'

export const TimerKind = {
  once: 'once',
  /** A cycle with a number of repetitions. */
  limited: 'limited',
  /** A cycle that goes on until it is canceled. */
  infinite: 'infinite',
} as const
export type TimerKind = (typeof TimerKind)[keyof typeof TimerKind]

/** Read off the text, because it is asked for every write: a cycle without a number repeats for ever. */
export function kindOf(timer: Pick<Timer, 'anchorAt' | 'schedule'>): TimerKind {
  if (!repeats(timer)) return TimerKind.once
  return timer.schedule?.startsWith('R/') === true ? TimerKind.infinite : TimerKind.limited
}
