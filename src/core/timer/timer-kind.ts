// What kind of timer it is, as far as counts and lists tell them apart.

import { repeats } from '../time/firings.ts'
import type { Timer } from './timer.ts'

export const TimerKind = {
  once: 'once',
  /** It repeats, and ends by itself. */
  limited: 'limited',
  /** It repeats until it is canceled. */
  infinite: 'infinite',
} as const
export type TimerKind = (typeof TimerKind)[keyof typeof TimerKind]

/** Read off the text, because it is asked for every write: a cycle without a number repeats for ever. */
export function kindOf(timer: Pick<Timer, 'anchorAt' | 'schedule' | 'rules'>): TimerKind {
  if (!repeats(timer)) return TimerKind.once
  const isCounted = /^R\d|(?:COUNT|UNTIL)=/i.test(timer.schedule ?? '')
  const isBounded = timer.rules?.endAt !== undefined || timer.rules?.maxFirings !== undefined
  return isCounted || isBounded ? TimerKind.limited : TimerKind.infinite
}
