// A timer that is in memory, and what is happening to it.

import type { Millis, Timer } from '../../core/timer/timer.ts'
import type { WheelItem } from '../wake/timing-wheel.ts'

/** `waiting` in the wheel, `held` back by a change on its way or a delivery elsewhere, `ready` in the dispatcher, `in-flight` while being delivered. */
export type EntryState = 'waiting' | 'held' | 'ready' | 'in-flight'
/** `counts`: as what it is counted besides being here. */
export type Entry = WheelItem & {
  wakeAt: Millis
  timer: Timer
  state: EntryState
  counts: 'backlog' | 'in-flight' | null
}
