// The names of counters. A store adds numbers to names and knows no more of them: what a commit adds is worked out in
// commit-sheet.ts, for all stores. Counters are as exact as the rows, since they are written with them.

import { Status } from '../core/timer/timer.ts'
import type { Millis } from '../core/timer/timer.ts'
import { TimerKind } from '../core/timer/timer-kind.ts'
import { kindAt, kindCode, statusCode, statusOf } from './row/codes.ts'

/**
 * The slot of counts: how many timers a namespace has of each status and kind. Tallies are in the slot of what they tell of;
 * see core/statistics/tallies.ts.
 */
export const COUNTS: Millis = -1

/** Made once: every write asks for one or two of them. */
const NAMES = Object.values(Status).map((_, status) => Object.values(TimerKind).map((__, kind) => `${status}.${kind}`))

export function countName(status: Status, kind: TimerKind): string {
  return NAMES[statusCode(status)]![kindCode(kind)]!
}

export function countedBy(name: string): { readonly status: Status; readonly kind: TimerKind } {
  const [status, kind] = name.split('.')
  return { status: statusOf(Number(status)), kind: kindAt(Number(kind)) }
}
