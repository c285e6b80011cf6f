// Time in a simulation. Whatever happens is an event at a moment of virtual time; between two events all promises and
// immediates settle, in the order in which Node would run them. Nothing waits for real time, so the same events give the
// same run.
//
// `setImmediate` is the one thing of the platform that the engine uses beside its clock. It is replaced while a simulation
// runs, so that the scheduler knows when nothing is left to do at this moment.

import { MinHeap } from '../../src/core/min-heap.ts'
import type { Cancel } from '../../src/runtime/clock/clock.ts'

type Event = { readonly at: number; readonly order: number; run: (() => void) | null }

/** Hundred times as many as a simulation has. */
const STEPS_MAX = 300_000

const realImmediate = globalThis.setImmediate

export class Scheduler {
  readonly #events = new MinHeap<Event>((a, b) => a.at - b.at || a.order - b.order)
  #immediates: (() => void)[] = []
  #order = 0
  #now = 0
  #waitedFor = 0
  /** How many events have happened. */
  steps = 0

  /** True time: milliseconds since the simulation began, with fractions. No node can read it. */
  get now(): number {
    return this.#now
  }

  at(time: number, run: () => void): Cancel {
    const event: Event = { at: Math.max(time, this.#now), order: this.#order++, run }
    this.#events.push(event)
    return () => {
      event.run = null
    }
  }

  after(delayMs: number, run: () => void): Cancel {
    return this.at(this.#now + delayMs, run)
  }

  /** Resolves at that time, or as soon as `isDone` says so after an event. One simulation at a time. */
  async runUntil(end: number, isDone: () => boolean = () => false): Promise<void> {
    globalThis.setImmediate = this.#immediate as typeof setImmediate
    try {
      await this.#settle()
      for (let next = this.#events.peek(); next !== undefined && next.at <= end; next = this.#events.peek()) {
        this.#events.pop()
        if (next.run === null) continue
        this.#now = next.at
        if (++this.steps > STEPS_MAX) throw new Error(`${STEPS_MAX} events, and no end of it`)
        next.run()
        await this.#settle()
        if (isDone()) return
      }
      this.#now = Math.max(this.#now, end)
    } finally {
      globalThis.setImmediate = realImmediate
    }
  }

  /** Something that takes real time, as a database does: virtual time stands until it is over. */
  waitFor<T>(real: Promise<T>): Promise<T> {
    this.#waitedFor++
    return real.finally(() => this.#waitedFor--)
  }

  readonly #immediate = (run: (...args: unknown[]) => void, ...args: unknown[]): void => {
    this.#immediates.push(() => run(...args))
  }

  /** Promises settle between two turns of the real event loop; so do those that an immediate has started. */
  async #settle(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => realImmediate(resolve))
      const immediate = this.#immediates.shift()
      if (immediate !== undefined) immediate()
      else if (this.#waitedFor === 0) return
    }
  }
}
