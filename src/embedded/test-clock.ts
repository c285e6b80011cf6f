// The clock for a program's own tests: time stands still until the test moves it, and `advance` comes back when everything
// that came due on the way has been handled and stored.

import { VirtualClock } from '../runtime/clock/virtual-clock.ts'
import { durationMs, instantAt } from './input/when.ts'
import type { DurationLike, InstantLike } from './input/when.ts'

const STOPS_MAX = 100_000 // a handler that reschedules to the next millisecond for ever would otherwise never come back

export class TestClock {
  /** For openDuetime. */
  readonly clock: VirtualClock

  constructor(startAt: number) {
    this.clock = new VirtualClock({ runs: false, startAt })
  }

  now(): Date {
    return new Date(this.clock.now())
  }

  /** Rejects when there is no end in sight. A failing handler is no reason: that is what the timer's attempts tell. */
  async advance(by: DurationLike): Promise<void> {
    const { isComplete } = await this.clock.advance(durationMs(by, 'by', this.clock.now()), { stopsMax: STOPS_MAX })
    if (isComplete) return
    const why = `there was something to do at ${STOPS_MAX} times on the way, so there may be no end`
    throw new Error(`the clock stopped at ${this.now().toISOString()}: ${why}`)
  }

  async advanceTo(at: InstantLike): Promise<void> {
    const target = instantAt(at, 'at')
    if (target < this.clock.now())
      throw new RangeError(`a test clock does not go back: it is ${this.now().toISOString()} already`)
    await this.advance({ milliseconds: target - this.clock.now() })
  }
}

const DEFAULT_START = '2026-01-01T00:00:00Z'

/** Starts at the beginning of 2026 unless it is told another time, so that tests do not depend on the day they run. */
export function testClock(startAt: InstantLike = DEFAULT_START): TestClock {
  return new TestClock(instantAt(startAt, 'startAt'))
}
