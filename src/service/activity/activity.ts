// What this node did lately, in memory: by the second for a minute, by the minute for an hour, for all timers and for
// each namespace. A node knows its own firings only, and nothing from before it started; the store has the long memory.

import { matchesAny } from '../../core/access/access.ts'
import { isOnlyRemembered } from '../../core/rules/sent-commands.ts'
import type { Millis, Namespace, Timer } from '../../core/timer/timer.ts'
import type { EngineObserver } from '../../engine/engine.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { SharedPlaces } from '../../runtime/telemetry/shared-places.ts'
import type { NamespaceScope } from '../../store/store.ts'
import { resultOf } from '../metrics-observer.ts'
import type { ServiceObserver } from '../observers.ts'
import { ActivityRing, ActivitySum, COUNTERS } from './activity-ring.ts'
import type { Counter } from './activity-ring.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SECONDS_SHOWN = 60
const NAMESPACES_MAX = 100 // busy all the time each has some 65 kB; what others do counts for the whole only

const AT = Object.fromEntries(COUNTERS.map((name, index) => [name, index])) as Readonly<Record<Counter, number>>

/** One namespace, or all of them together. */
class Track {
  readonly seconds = new ActivityRing({ slotMs: SECOND, slots: SECONDS_SHOWN + 1 })
  readonly minutes = new ActivityRing({ slotMs: MINUTE, slots: 60 })

  count(counter: number, now: Millis): void {
    this.seconds.count(counter, now)
    this.minutes.count(counter, now)
  }

  late(lateMs: Millis, now: Millis): void {
    this.seconds.late(lateMs, now)
    this.minutes.late(lateMs, now)
  }
}

export class Activity {
  readonly #clock: Clock
  readonly #all = new Track()
  readonly #tracks: SharedPlaces<Track>
  /** When a namespace was last left out for want of room. */
  #fullAt = -Infinity

  constructor(clock: Clock, { namespacesMax = NAMESPACES_MAX }: { readonly namespacesMax?: number } = {}) {
    this.#clock = clock
    // What is left out because another tenant needs the place is missing from then on.
    this.#tracks = new SharedPlaces({ max: namespacesMax, idleMs: HOUR, onGone: () => (this.#fullAt = clock.now()) })
  }

  observer(): EngineObserver & ServiceObserver {
    return {
      fired: (timer, lateMs) => {
        // Retries are late by design; only the first attempt says how punctual the service is.
        if (lateMs === null) return
        const now = this.#clock.now()
        const track = this.#count(timer, AT.fired, now)
        this.#all.late(lateMs, now)
        track?.late(lateMs, now)
      },
      settled: (before, after, outcome) =>
        void this.#count(after, AT[resultOf(before, after, outcome)], this.#clock.now()),
      committed: () => {},
      executed: ({ type }, { changed, previous, timer }) => {
        if (!changed || isOnlyRemembered(previous, timer) || (type !== 'create' && type !== 'cancel')) return
        this.#count(timer, type === 'create' ? AT.created : AT.canceled, this.#clock.now())
      },
    }
  }

  /** False when something of what is asked for may be missing, because there are more namespaces than are followed. */
  isTracked({ namespace, namespaces }: NamespaceScope): boolean {
    if (namespace === undefined && namespaces === undefined) return true
    if (namespace !== undefined && this.#tracks.has(namespace)) return true
    return this.#clock.now() - this.#fullAt > HOUR
  }

  /** Up to this moment. */
  lastMinute(scope: NamespaceScope): ActivitySum {
    const second = this.#second()
    return this.#sum(scope, 'seconds', second - SECONDS_SHOWN + 1, second)
  }

  /** Up to this moment, with the minute that it began in. */
  lastHour(scope: NamespaceScope): ActivitySum {
    const minute = Math.floor(this.#clock.now() / MINUTE)
    return this.#sum(scope, 'minutes', minute - 59, minute)
  }

  /** The last second that is over. */
  lastSecond(scope: NamespaceScope): Second {
    return this.#secondOf(scope, this.#second() - 1)
  }

  /** Those that are over, the oldest first. */
  perSecond(scope: NamespaceScope): Second[] {
    const end = this.#second()
    return Array.from({ length: SECONDS_SHOWN }, (_, index) => this.#secondOf(scope, end - SECONDS_SHOWN + index))
  }

  #second(): number {
    return Math.floor(this.#clock.now() / SECOND)
  }

  #secondOf(scope: NamespaceScope, second: number): Second {
    return { at: second * SECOND, sum: this.#sum(scope, 'seconds', second, second) }
  }

  #sum(scope: NamespaceScope, unit: 'seconds' | 'minutes', from: number, to: number): ActivitySum {
    const sum = new ActivitySum()
    for (const track of this.#meant(scope)) track[unit].addTo(sum, from, to)
    return sum
  }

  #meant({ namespace, namespaces }: NamespaceScope): readonly Track[] {
    if (namespace !== undefined) return [this.#tracks.get(namespace)].filter((track) => track !== undefined)
    if (namespaces === undefined) return [this.#all]
    return Array.from(this.#tracks.entries())
      .filter(([name]) => matchesAny(namespaces, name as Namespace))
      .map(([, track]) => track)
  }

  /** Null when there is no room for the namespace. */
  #count({ namespace, tenant }: Timer, counter: number, now: Millis): Track | null {
    this.#all.count(counter, now)
    const track = this.#tracks.use(namespace, now) ?? this.#tracks.take(namespace, tenant, now, () => new Track())
    if (track === null) this.#fullAt = now
    track?.count(counter, now)
    return track
  }
}

export type Second = { readonly at: Millis; readonly sum: ActivitySum }
