// A clock that stands still until told to move. `advance` runs everything that comes due on the way, in
// order and at its time, and lets the work it started settle before it goes on: a test says
// `await clock.advance(5_000)` and then looks at the result.

import type { Cancel, Clock } from './clock.ts'

type Waiter = { readonly at: number; readonly order: number; readonly callback: () => void }

export class ManualClock implements Clock {
  #wall: number
  #mono = 0
  #order = 0
  readonly #waiters = new Set<Waiter>()
  readonly maxWaitMs: number

  /** Without steps of the wall clock, `maxWaitMs: Infinity` makes long advances cheap. */
  constructor(now = Date.UTC(2026, 0, 1), { maxWaitMs = 1_000 }: { maxWaitMs?: number } = {}) {
    this.#wall = now
    this.maxWaitMs = maxWaitMs
  }

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#mono
  }

  /** A step of the wall clock is known to be one here. */
  elapsed(): number {
    return this.#mono
  }

  after(delayMs: number, callback: () => void): Cancel {
    const waiter: Waiter = { at: this.#mono + Math.max(delayMs, 0), order: this.#order++, callback }
    this.#waiters.add(waiter)
    return () => this.#waiters.delete(waiter)
  }

  /** How many callbacks are waiting: an idle part must not leave any behind. */
  get waiting(): number {
    return this.#waiters.size
  }

  async advance(ms: number): Promise<void> {
    const end = this.#mono + ms
    await settle()
    for (let next = this.#first(); next !== undefined && next.at <= end; next = this.#first()) {
      this.#waiters.delete(next)
      this.#moveTo(Math.max(next.at, this.#mono))
      next.callback()
      await settle()
    }
    this.#moveTo(end)
    await settle()
  }

  /** The wall clock is set by somebody; no time passes. */
  step(ms: number): void {
    this.#wall += ms
  }

  #moveTo(mono: number): void {
    this.#wall += mono - this.#mono
    this.#mono = mono
  }

  #first(): Waiter | undefined {
    let first: Waiter | undefined
    for (const waiter of this.#waiters) {
      if (first === undefined || waiter.at < first.at || (waiter.at === first.at && waiter.order < first.order))
        first = waiter
    }
    return first
  }
}

const outside = new Set<Promise<unknown>>()

/** Work outside of this process, such as a database's. Manual clocks stand until it is done. */
export async function whileClocksStand<T>(work: Promise<T>): Promise<T> {
  outside.add(work)
  try {
    return await work
  } finally {
    outside.delete(work)
  }
}

/** Several turns of the event loop: enough for chains of promises and immediates. Of real I/O only what it is told of. */
async function settle(): Promise<void> {
  do {
    await Promise.allSettled(outside)
    for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
  } while (outside.size > 0)
}
