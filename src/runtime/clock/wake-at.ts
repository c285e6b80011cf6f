// Wakes at a wall time as exactly as a thread can. A timer of Node waits for whole milliseconds from wherever in a millisecond it is
// set, so it is late by half of one on average. This one is set a millisecond early, and the thread sleeps for the rest, in short
// steps, until the clock shows the time.
//
// Node counts from the beginning of the turn in which a timer is set, so after a long turn it comes early, and is set again.
//
// Nothing else runs in the thread meanwhile, so it may do this only for a part of its time: whoever fires much has no
// millisecond to spare, and is late by as much as the platform's timers are.

import type { Cancel, Clock } from './clock.ts'

const EARLY_MS = 1
const STEP_MS = 0.1 // shorter steps cost more CPU time (16 µs each), longer ones are later
const ASLEEP_MAX = 0.1 // of the time
const CREDIT_MS_MAX = 5 // five wakes in a row
const ASLEEP_MS_MAX = 2 * EARLY_MS // whatever the clock shows: it may have been set back

type WakeParts = Pick<Clock, 'now' | 'monotonic' | 'after' | 'maxWaitMs'> & {
  /** Blocks the thread for about so long. */
  readonly block: (ms: number) => void
}

/** What `Clock.wakeAt` is, for a clock whose time passes by itself. */
export function exactWakes({ now, monotonic, after, maxWaitMs, block }: WakeParts): NonNullable<Clock['wakeAt']> {
  let creditMs = CREDIT_MS_MAX
  let creditAt = monotonic()

  const hasCredit = (): boolean => {
    const at = monotonic()
    creditMs = Math.min(creditMs + (at - creditAt) * ASLEEP_MAX, CREDIT_MS_MAX)
    creditAt = at
    return creditMs >= EARLY_MS
  }
  const sleepUntil = (at: number): void => {
    const startedAt = monotonic()
    while (now() < at && monotonic() - startedAt < ASLEEP_MS_MAX) block(STEP_MS)
    creditMs -= monotonic() - startedAt
  }

  return (at: number, callback: () => void): Cancel => {
    const delayMs = Math.max(at - now(), 0)
    if (delayMs > maxWaitMs) return after(maxWaitMs, callback)
    const sleeps = delayMs > EARLY_MS && hasCredit()
    const early = (ms: number): number => (sleeps && ms > EARLY_MS ? ms - EARLY_MS : ms)
    const arrive = () => {
      if (sleeps && at - now() <= ASLEEP_MS_MAX) sleepUntil(at)
      const leftMs = at - now()
      if (leftMs > 0 && leftMs <= maxWaitMs) cancel = after(early(leftMs), arrive)
      else callback()
    }
    let cancel = after(early(delayMs), arrive)
    return () => cancel()
  }
}

const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** Nobody ever writes the cell, so this waits for the whole time. */
export function blockThread(ms: number): void {
  Atomics.wait(cell, 0, 0, ms)
}
