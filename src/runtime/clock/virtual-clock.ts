// A clock whose wall time can be moved forwards, for people and tests that do not want to wait. Only the wall time is
// its own: what is measured or waited for in the process (timeouts, leases, housekeeping) goes by the system's clock, as it
// would when somebody sets the clock of a machine.
//
// `advance` goes from one time at which something is due to the next. At each it lets those who follow the clock do that
// and waits until they are quiet, however long their deliveries and writes take; so all happens in order and at its own time.

import { systemClock } from './clock.ts'
import type { Cancel, Clock } from './clock.ts'

/** Whoever has something to do at a time: an engine. */
export interface ClockFollower {
  /** Does what is due by now; resolves when nothing of it is under way any more, with when something is due next. */
  quiet(): Promise<number>
  /** How many it has started so far. */
  readonly deliveries: number
}

export type Advanced = {
  /** Started on the way, repeated attempts included. */
  readonly deliveries: number
  /** False when it was stopped, or had stopped too often: the clock stands where that was. */
  readonly isComplete: boolean
}

export type AdvanceOptions = {
  /** Times at which somebody has something to do. A cycle of a second has 31 million in a year. */
  readonly stopsMax?: number
  /** At each stop, with the time there and the deliveries so far. */
  readonly onStop?: (now: number, deliveries: number) => void
  /** Aborted, it stays at the stop it has come to. */
  readonly signal?: AbortSignal
}

export class VirtualClock implements Clock {
  readonly maxWaitMs = systemClock.maxWaitMs
  readonly #followers = new Set<ClockFollower>()
  readonly #runs: boolean
  #aheadMs = 0
  #standsAt: number | null
  #isAdvancing = false

  /** `runs`: time passes by itself as well, from the system's time on. Otherwise it stands still at `startAt` until it is moved. */
  constructor(options: { readonly runs: true } | { readonly runs: false; readonly startAt: number }) {
    this.#runs = options.runs
    this.#standsAt = options.runs ? null : options.startAt
  }

  now(): number {
    return this.#standsAt ?? systemClock.now() + this.#aheadMs
  }

  monotonic(): number {
    return systemClock.monotonic()
  }

  elapsed(): number {
    return systemClock.elapsed()
  }

  after(delayMs: number, callback: () => void): Cancel {
    return systemClock.after(delayMs, callback)
  }

  /** How far it is before the system's clock. */
  get aheadMs(): number {
    return this.now() - systemClock.now()
  }

  /** From now on `advance` waits for this one too. Gives the way to end that. */
  follow(follower: ClockFollower): Cancel {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** While it advances, time stands still between the stops, so that each thing happens at its due time to the millisecond. */
  async advance(ms: number, options: AdvanceOptions = {}): Promise<Advanced> {
    if (!(Number.isSafeInteger(ms) && ms >= 0))
      throw new RangeError(`a clock is advanced by whole milliseconds, 0 or more, not by ${ms}`)
    if (this.#isAdvancing)
      throw new Error('the clock is being advanced already; a handler cannot advance the clock it runs by')
    this.#isAdvancing = true
    this.#standsAt = this.now()
    try {
      return await this.#advanceTo(this.#standsAt + ms, options)
    } finally {
      this.#isAdvancing = false
      if (this.#runs) this.#runOn()
    }
  }

  async #advanceTo(end: number, { stopsMax = Infinity, onStop, signal }: AdvanceOptions): Promise<Advanced> {
    const before = this.#deliveries
    const advanced = (isComplete: boolean): Advanced => ({ deliveries: this.#deliveries - before, isComplete })
    let stops = 0
    for (let next = await this.#quiet(); next <= end; next = await this.#quiet()) {
      if (stops === stopsMax || signal?.aborted) return advanced(false)
      this.#standsAt = next
      stops++
      onStop?.(next, this.#deliveries - before)
    }
    this.#standsAt = end
    await this.#quiet()
    return advanced(true)
  }

  get #deliveries(): number {
    let sum = 0
    for (const { deliveries } of this.#followers) sum += deliveries
    return sum
  }

  /** What one follower does may give another something to do now, so they are asked until none has. */
  async #quiet(): Promise<number> {
    for (;;) {
      const next = Math.min(
        Infinity,
        ...(await Promise.all(Array.from(this.#followers, (follower) => follower.quiet()))),
      )
      if (next > this.now()) return next
    }
  }

  #runOn(): void {
    this.#aheadMs = this.#standsAt! - systemClock.now()
    this.#standsAt = null
  }
}
