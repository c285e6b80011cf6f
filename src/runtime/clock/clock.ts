// The one place that knows what time it is. Everything that waits or reads the time holds a Clock: the
// system's in production, a ManualClock in tests and simulations.

import { elapsedTime } from './elapsed-time.ts'
import { blockThread, exactWakes } from './wake-at.ts'

export type Cancel = () => void

export interface Clock {
  /** Wall time in ms since the epoch. It may step, forwards and backwards. */
  now(): number
  /** Milliseconds from an arbitrary origin, with fractions; never steps. For measuring. It may stand still while the machine is suspended. */
  monotonic(): number
  /** As `monotonic`, with the time in which the machine was suspended, and at worst with steps of the wall clock forwards: for how old knowledge is. */
  elapsed(): number
  /** Calls back once, after at least this long on the monotonic clock. Longer waits than the platform can do are cut short. */
  after(delayMs: number, callback: () => void): Cancel
  /** Calls back when the wall clock shows this time, or after `maxWaitMs` if that is sooner. Absent: `after` is as exact. */
  wakeAt?(at: number, callback: () => void): Cancel
  /** Whoever waits for a wall time looks at the clock again after this long, since it may have been set. */
  readonly maxWaitMs: number
}

/** setTimeout takes 32-bit delays and fires at once for anything larger. */
export const TIMEOUT_LIMIT_MS = 2 ** 31 - 1

const sources = { now: () => Date.now(), monotonic: () => performance.now() }

const waits = {
  maxWaitMs: 1_000, // waking for nothing once a second costs microseconds
  after(delayMs: number, callback: () => void): Cancel {
    const timeout = setTimeout(callback, Math.min(Math.max(delayMs, 0), TIMEOUT_LIMIT_MS))
    return () => clearTimeout(timeout)
  },
}

export const systemClock: Clock = {
  ...sources,
  ...waits,
  elapsed: elapsedTime(sources),
  wakeAt: exactWakes({ ...sources, ...waits, block: blockThread }),
}

/** Resolves after the delay, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      cancel()
      reject(signal!.reason)
    }
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
