// The clock of one machine among several on a manual clock: the machine can be suspended. Meanwhile nothing runs on it and its
// monotonic clock stands still, as that of Linux does; when it wakes, its wall clock is right and its timeouts go on.

import type { Cancel, Clock } from '../../src/runtime/clock/clock.ts'
import { elapsedTime } from '../../src/runtime/clock/elapsed-time.ts'
import type { ManualClock } from '../../src/runtime/clock/manual-clock.ts'

export class SuspendableClock implements Clock {
  readonly maxWaitMs: number
  readonly elapsed: () => number
  readonly #world: ManualClock
  #suspendedAt: number | null = null
  #asleepMs = 0
  #onResume: (() => void)[] = []

  constructor(world: ManualClock) {
    this.#world = world
    this.maxWaitMs = world.maxWaitMs
    this.elapsed = elapsedTime({ now: () => this.now(), monotonic: () => this.monotonic() })
  }

  now(): number {
    return this.#world.now()
  }

  monotonic(): number {
    return (this.#suspendedAt ?? this.#world.monotonic()) - this.#asleepMs
  }

  after(delayMs: number, callback: () => void): Cancel {
    const dueMono = this.monotonic() + Math.max(delayMs, 0)
    let cancel: Cancel = () => {}
    let isCanceled = false
    const wait = (): void => {
      cancel = this.#world.after(dueMono - this.monotonic(), () => {
        if (isCanceled) return
        if (this.#suspendedAt !== null) this.#onResume.push(wait)
        else if (this.monotonic() < dueMono) wait()
        else callback()
      })
    }
    wait()
    return () => {
      isCanceled = true
      cancel()
    }
  }

  suspend(): void {
    this.#suspendedAt = this.#world.monotonic()
  }

  resume(): void {
    this.#asleepMs += this.#world.monotonic() - this.#suspendedAt!
    this.#suspendedAt = null
    for (const wait of this.#onResume.splice(0)) wait()
  }
}
