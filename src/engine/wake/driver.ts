// The one timer of the process that wakes the engine: at the next due time, to the millisecond. A wait is never
// longer than the clock says, so that a step of the wall clock is noticed soon.

import type { Millis } from '../../core/timer/timer.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'

export class Driver {
  readonly #clock: Clock
  readonly #wake: (now: Millis) => Millis
  #armedFor = Infinity
  #ranAt = -Infinity
  #cancel: Cancel | null = null
  #running = false
  #waking = false

  /** `wake` does what is due at `now` and answers when to be woken next; Infinity for not at all. */
  constructor(clock: Clock, wake: (now: Millis) => Millis) {
    this.#clock = clock
    this.#wake = wake
  }

  start(): void {
    this.#running = true
    this.#arm(this.#clock.now())
  }

  stop(): void {
    this.#running = false
    this.#disarm()
  }

  /** When it wakes next; Infinity for not at all. */
  get nextAt(): Millis {
    return this.#armedFor
  }

  /** The clock may have been set: what is due by now is done at once. */
  lookNow(): void {
    if (this.#running && !this.#waking && this.#armedFor <= this.#clock.now()) this.#run()
  }

  /** The event loop is busy: what is due by now is done at once, unless that was begun in this very millisecond. */
  lookMeanwhile(): void {
    if (this.#armedFor > this.#clock.now() || this.#clock.now() === this.#ranAt) return
    try {
      this.lookNow()
    } catch (error) {
      // Not the fault of whoever happened to look; it ends the process, as it does from the timer.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  /** Something is due at `at`: wake then, if not before. */
  wakeBy(at: Millis): void {
    if (!this.#running || at >= this.#armedFor) return
    if (this.#waking) this.#armedFor = at
    else this.#arm(at)
  }

  #arm(at: Millis): void {
    this.#disarm()
    if (at === Infinity) return
    this.#armedFor = at
    this.#cancel = this.#wakeAt(at, () => this.#run())
  }

  #wakeAt(at: Millis, callback: () => void): Cancel {
    const clock = this.#clock
    if (clock.wakeAt !== undefined) return clock.wakeAt(at, callback)
    return clock.after(Math.min(Math.max(at - clock.now(), 0), clock.maxWaitMs), callback)
  }

  #disarm(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#armedFor = Infinity
  }

  #run(): void {
    this.#disarm()
    // What is asked for while waking is only noted: `wake` may have looked at that part already, and arming twice would be in vain.
    this.#waking = true
    this.#ranAt = this.#clock.now()
    const nextAt = this.#wake(this.#ranAt)
    this.#waking = false
    if (this.#running) this.#arm(Math.min(nextAt, this.#armedFor))
  }
}
