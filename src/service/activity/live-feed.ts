// What happens, as it happens, for those who watch: a look at the whole once a second, and samples of firings and
// changes. While nobody watches, a firing costs one comparison. Those who see the same share a channel, so what a firing
// costs depends on how many different sights there are, not on how many eyes.

import type { Millis, Timer } from '../../core/timer/timer.ts'
import type { EngineObserver } from '../../engine/engine.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import { resultOf } from '../metrics-observer.ts'
import type { ServiceObserver } from '../observers.ts'
import { CHANGES, firingSample } from './live-samples.ts'
import type { ChangeSample, FiringSample } from './live-samples.ts'
import { isInSight, sightKey } from '../sight.ts'
import type { Sight } from '../sight.ts'
import type { Pulse } from './overview.ts'

/** `skipped`: what happened since the last pulse and is in no batch. */
export type LiveBatch = {
  readonly firings: readonly FiringSample[]
  readonly changes: readonly ChangeSample[]
  readonly pulse: (Pulse & { readonly skipped: { readonly firings: number; readonly changes: number } }) | null
}

export type LiveListener = (batch: LiveBatch) => void

const TURN_MS = 200 // so that a firing is seen as soon as one can look
const TURN_MS_MIN = 50 // a timer that wakes a moment early is not a turn of its own
const PULSE_MS = 1_000
const PULSE_LATEST_MS = 1_500
const SAMPLES_PER_TURN = 10 // fifty a second: more than anybody reads, little to send

export class LiveFeed {
  readonly #clock: Clock
  readonly #pulse: (sight: Sight) => Pulse
  readonly #channels = new Map<string, Channel>()
  #list: readonly Channel[] = []
  #cancelTurn: Cancel | null = null

  constructor(clock: Clock, pulse: (sight: Sight) => Pulse) {
    this.#clock = clock
    this.#pulse = pulse
  }

  get listeners(): number {
    return this.#list.reduce((sum, { listeners }) => sum + listeners.size, 0)
  }

  observer(): EngineObserver & ServiceObserver {
    return {
      fired: () => {},
      committed: () => {},
      settled: (before, after, outcome, durationMs) => {
        if (this.#list.length === 0) return
        for (const channel of this.#list) {
          if (!channel.wants(after, 'firings')) continue
          channel.firings.push(firingSample(before, after, resultOf(before, after, outcome), durationMs))
        }
      },
      executed: ({ type }, { timer, changed }) => {
        if (this.#list.length === 0 || !changed) return
        for (const channel of this.#list) {
          if (channel.wants(timer, 'changes')) channel.changes.push({ type: CHANGES[type], timer, at: timer.updatedAt })
        }
      },
    }
  }

  /** The listener is called until the subscription is canceled. */
  subscribe(sight: Sight, listener: LiveListener): Cancel {
    const key = sightKey(sight)
    const channel = this.#channels.get(key) ?? this.#open(key, sight)
    channel.listeners.add(listener)
    return () => {
      channel.listeners.delete(listener)
      if (channel.listeners.size === 0 && this.#channels.get(key) === channel) this.#close(key)
    }
  }

  #open(key: string, sight: Sight): Channel {
    // Pulses of different sights come in different turns, so that no turn is a long one.
    const channel = new Channel(sight, this.#clock, (this.#list.length * TURN_MS) % PULSE_MS)
    this.#channels.set(key, channel)
    this.#list = [...this.#channels.values()]
    if (this.#cancelTurn === null) this.#nextTurn()
    return channel
  }

  #close(key: string): void {
    this.#channels.delete(key)
    this.#list = [...this.#channels.values()]
    if (this.#list.length > 0) return
    this.#cancelTurn?.()
    this.#cancelTurn = null
  }

  /** On the beat of the clock: turns that drifted would tell of some second twice, or never. */
  #nextTurn(): void {
    const toBeatMs = TURN_MS - (this.#clock.now() % TURN_MS)
    this.#cancelTurn = this.#clock.after(toBeatMs < TURN_MS_MIN ? toBeatMs + TURN_MS : toBeatMs, () => {
      this.#nextTurn()
      for (const channel of this.#list) channel.flush(channel.isPulseDue() ? this.#pulse : null)
    })
  }
}

class Channel {
  readonly sight: Sight
  readonly #clock: Clock
  readonly #pulseOffsetMs: Millis
  #pulseNumber: number
  #pulsedMonoMs: Millis
  readonly listeners = new Set<LiveListener>()
  firings: FiringSample[] = []
  changes: ChangeSample[] = []
  readonly #skipped = { firings: 0, changes: 0 }

  constructor(sight: Sight, clock: Clock, pulseOffsetMs: Millis) {
    this.sight = sight
    this.#clock = clock
    this.#pulseOffsetMs = pulseOffsetMs
    this.#pulseNumber = this.#numberNow()
    this.#pulsedMonoMs = clock.monotonic()
  }

  /** True once for each second of the wall clock, and, should that stand still, for somewhat more than a second that really passed. */
  isPulseDue(): boolean {
    const [number, monoMs] = [this.#numberNow(), this.#clock.monotonic()]
    if (number === this.#pulseNumber && monoMs - this.#pulsedMonoMs < PULSE_LATEST_MS) return false
    this.#pulseNumber = number
    this.#pulsedMonoMs = monoMs
    return true
  }

  #numberNow(): number {
    return Math.floor((this.#clock.now() - this.#pulseOffsetMs) / PULSE_MS)
  }

  /** Whether there is room for it; if there is not it is counted. */
  wants({ namespace }: Timer, kind: 'firings' | 'changes'): boolean {
    if (!isInSight(this.sight, namespace)) return false
    if (this[kind].length < SAMPLES_PER_TURN) return true
    this.#skipped[kind]++
    return false
  }

  flush(pulseOf: ((sight: Sight) => Pulse) | null): void {
    if (pulseOf === null && this.firings.length === 0 && this.changes.length === 0) return
    const pulse = pulseOf === null ? null : { ...pulseOf(this.sight), skipped: { ...this.#skipped } }
    const batch: LiveBatch = { firings: this.firings, changes: this.changes, pulse }
    this.firings = []
    this.changes = []
    if (pulse !== null) Object.assign(this.#skipped, { firings: 0, changes: 0 })
    for (const listener of this.listeners) listener(batch)
  }
}
