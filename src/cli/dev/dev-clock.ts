// The clock of `duetime dev` as its two users see it, the prompt and the HTTP control: moved by what people write, one
// move at a time, each with a bound and a report.

import { addDuration, parseIsoDuration } from '../../core/time/duration.ts'
import { DuetimeError, invalidInput } from '../../core/errors.ts'
import { isoDurationText } from '../../core/time/plain-duration.ts'
import { parseInstant } from '../../core/time/schedule.ts'
import type { Millis } from '../../core/timer/timer.ts'
import type { VirtualClock } from '../../runtime/clock/virtual-clock.ts'
import { lengthText } from '../output/readable-time.ts'

const STOPS_MAX = 10_000 // some ten seconds; a cycle of a second makes as many in less than three hours

const MINUTE = 60_000
const COARSE_FROM_MS = 10 * MINUTE

export type Move = {
  readonly from: Millis
  readonly now: Millis
  /** Started on the way, repeated attempts included. */
  readonly deliveries: number
  /** Left over when the bound was reached or the move was stopped; else 0. */
  readonly remainingMs: Millis
}

export type MoveOptions = {
  readonly onProgress?: (now: Millis, deliveries: number) => void
  readonly signal?: AbortSignal
}

export class DevClock {
  readonly #clock: VirtualClock
  #last: Promise<unknown> = Promise.resolve()

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  now(): Millis {
    return this.#clock.now()
  }

  get aheadMs(): Millis {
    return this.#clock.aheadMs
  }

  /** Null when it is not ahead. A move of three days takes its time too, so that is not told to the second. */
  get aheadText(): string | null {
    const { aheadMs } = this.#clock
    if (aheadMs < 1_000) return null
    return lengthText(aheadMs < COARSE_FROM_MS ? aheadMs : Math.round(aheadMs / MINUTE) * MINUTE)
  }

  /** `3d`, `1h30m`, `P1M`. One that comes while another is under way waits for it. */
  advanceBy(text: string, options: MoveOptions = {}): Promise<Move> {
    const duration = inField('by', () => parseIsoDuration(isoDurationText(text)))
    return this.#move((now) => addDuration(now, duration, 1, null), options)
  }

  advanceTo(text: string, options: MoveOptions = {}): Promise<Move> {
    const end = inField('to', () => parseInstant(text))
    return this.#move((now) => {
      if (end >= now) return end
      throw invalidInput('to', `the clock does not go back: it is ${new Date(now).toISOString()} already`)
    }, options)
  }

  #move(endOf: (now: Millis) => Millis, { onProgress, signal }: MoveOptions): Promise<Move> {
    const move = this.#last.then(async (): Promise<Move> => {
      const from = this.#clock.now()
      const end = endOf(from)
      const { deliveries, isComplete } = await this.#clock.advance(end - from, {
        stopsMax: STOPS_MAX,
        ...(onProgress !== undefined && { onStop: onProgress }),
        ...(signal !== undefined && { signal }),
      })
      const now = this.#clock.now()
      return { from, now, deliveries, remainingMs: isComplete ? 0 : end - now }
    })
    this.#last = move.catch(() => {})
    return move
  }
}

/** The core refuses times without knowing what they were given as. */
function inField<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof DuetimeError ? invalidInput(field, error.message) : error
  }
}
