// The clocks of one machine: they drift, the wall clock can be set, and while the machine is suspended the monotonic one
// stands still. Timeouts come a little late, as an event loop has them.

import type { Cancel, Clock } from '../../src/runtime/clock/clock.ts'
import { elapsedTime } from '../../src/runtime/clock/elapsed-time.ts'
import type { SeededRandom } from '../../test/support/seeded-random.ts'
import type { Scheduler } from './scheduler.ts'

/** What true time 0 is on a right clock. */
export const EPOCH = Date.UTC(2030, 0, 1)

const SLOP_MS = 1.5
const BUSY_MS_MAX = 40
const BUSY_CHANCE = 0.01

/** Of a machine; it outlives the processes on it. */
export class MachineClock {
  readonly #scheduler: Scheduler
  /** Milliseconds of the monotonic clock per true one. */
  readonly rate: number
  #offsetMs: number
  #suspendedAt: number | null = null
  #asleepMs = 0

  constructor(scheduler: Scheduler, { rate, skewMs }: { readonly rate: number; readonly skewMs: number }) {
    this.#scheduler = scheduler
    this.rate = rate
    this.#offsetMs = EPOCH + skewMs
  }

  monotonic(): number {
    return ((this.#suspendedAt ?? this.#scheduler.now) - this.#asleepMs) * this.rate
  }

  now(): number {
    return Math.floor(this.monotonic() + this.#offsetMs)
  }

  /** Nobody sets the clock of a machine that is suspended. */
  step(ms: number): void {
    if (this.#suspendedAt === null) this.#offsetMs += ms
  }

  /** As NTP would: the wall clock is right from now on, but for its drift. */
  setRight(): void {
    this.#offsetMs = EPOCH + this.#scheduler.now - this.monotonic()
  }

  suspend(): void {
    this.#suspendedAt ??= this.#scheduler.now
  }

  /** The wall clock is as right as it was before. */
  resume(): void {
    if (this.#suspendedAt === null) return
    const asleepMs = this.#scheduler.now - this.#suspendedAt
    this.#suspendedAt = null
    this.#asleepMs += asleepMs
    this.#offsetMs += asleepMs * this.rate
  }
}

type Process = { enter(run: () => void): void; readonly isAlive: boolean }

/** The clock as one process on the machine has it. */
export class NodeClock implements Clock {
  readonly maxWaitMs = 1_000
  readonly elapsed: () => number
  readonly #machine: MachineClock
  readonly #process: Process
  readonly #scheduler: Scheduler
  readonly #random: SeededRandom

  constructor(machine: MachineClock, process: Process, scheduler: Scheduler, random: SeededRandom) {
    this.#machine = machine
    this.#process = process
    this.#scheduler = scheduler
    this.#random = random
    this.elapsed = elapsedTime({ now: () => this.now(), monotonic: () => this.monotonic() })
  }

  now(): number {
    return this.#machine.now()
  }

  monotonic(): number {
    return this.#machine.monotonic()
  }

  after(delayMs: number, callback: () => void): Cancel {
    const dueMono = this.monotonic() + Math.max(delayMs, 0)
    let isCanceled = false
    let cancel: Cancel = () => {}
    const wait = (): void => {
      if (isCanceled || !this.#process.isAlive) return
      const leftMs = (dueMono - this.monotonic()) / this.#machine.rate
      cancel = this.#scheduler.after(leftMs + this.#latenessMs(), () => this.#process.enter(look))
    }
    const look = (): void => {
      if (isCanceled) return
      if (this.monotonic() < dueMono) wait()
      else callback()
    }
    wait()
    return () => {
      isCanceled = true
      cancel()
    }
  }

  #latenessMs(): number {
    return this.#random.next() * (this.#random.chance(BUSY_CHANCE) ? BUSY_MS_MAX : SLOP_MS)
  }
}
