// The offsets of a time zone, as a table of its transitions. Temporal answers one question about a zone in some microseconds;
// a schedule asks several at each firing, and which instants a wall clock skips or shows twice is what decides about it. So the
// transitions are read from Temporal once, as far as somebody asked, and everything else is integer arithmetic.
//
// A local time is a number here: the milliseconds from 1970 to that date and time, as if it were UTC.

import type { Millis } from '../millis.ts'
import { temporalZoneData } from './zone-data.ts'
import type { Transition, ZoneData } from './zone-data.ts'

export type { Transition } from './zone-data.ts'

const YEAR = 366 * 86_400_000
const ZONES_MAX = 1_000 // more than the runtime has names; offsets as zones (+05:30) have no transitions to keep
/** No zone is further from UTC than this, so a local time is within it of the instants that have it. */
const OFFSET_MAX_MS = 26 * 3_600_000

const zones = new Map<string, Zone>()
let data = temporalZoneData('unknown')

/** From now on. Called when the program starts, and by tests. */
export function useZoneData(next: ZoneData): void {
  data = next
  zones.clear()
}

/** Names the data that answers come from. */
export function zoneDataVersion(): string {
  return data.version
}

export function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone)
  if (known !== undefined) return known
  if (zones.size >= ZONES_MAX) zones.clear()
  const zone = new Zone(timeZone)
  zones.set(timeZone, zone)
  return zone
}

export class Zone {
  readonly #id: string
  /** Ascending, and complete for the instants from `#from` to `#to`. */
  #transitions: Transition[] = []
  #from: Millis = 0
  #to: Millis = 0
  /** Of the instants before the first transition in the table. */
  #offset: Millis = 0

  constructor(id: string) {
    this.#id = id
  }

  offsetAt(at: Millis): Millis {
    const before = this.#lastUntil(at)
    return before < 0 ? this.#offset : this.#transitions[before]!.after
  }

  /** The last one at or before the instant, as far back as somebody asked; null when there is none. */
  transitionUntil(at: Millis): Transition | null {
    const last = this.#lastUntil(at) // before the table is looked at: it may be another one afterwards
    return this.#transitions[last] ?? null
  }

  /** The first one after the instant and not after `until`. */
  transitionAfter(at: Millis, until: Millis): Transition | null {
    this.#cover(at, until)
    const next = this.#transitions[this.#lastUntil(at) + 1]
    return next === undefined || next.at > until ? null : next
  }

  /** The instants at which clocks show the local time, in order: one, two where clocks go back, none where they go forward. */
  instantsOf(local: Millis): readonly Millis[] {
    const instants: Millis[] = []
    for (const offset of this.#offsetsAround(local)) {
      const at = local - offset
      if (this.offsetAt(at) === offset && !instants.includes(at)) instants.push(at)
    }
    return instants.toSorted((a, b) => a - b)
  }

  /** The transition that skips the local time. */
  gapAt(local: Millis): Transition | null {
    for (let at = local - OFFSET_MAX_MS; ;) {
      const next = this.transitionAfter(at, local + OFFSET_MAX_MS)
      if (next === null) return null
      if (next.at + next.before <= local && local < next.at + next.after) return next
      at = next.at
    }
  }

  #offsetsAround(local: Millis): Millis[] {
    const offsets = [this.offsetAt(local - OFFSET_MAX_MS)]
    for (let at = local - OFFSET_MAX_MS; ;) {
      const next = this.transitionAfter(at, local + OFFSET_MAX_MS)
      if (next === null) return offsets
      offsets.push(next.after)
      at = next.at
    }
  }

  /** The place of the last transition at or before the instant; -1 when there is none. */
  #lastUntil(at: Millis): number {
    this.#cover(at, at)
    let low = 0
    let high = this.#transitions.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#transitions[middle]!.at <= at) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** Reads a year more than asked for on either side: what is asked next is near. */
  #cover(from: Millis, to: Millis): void {
    if (this.#from === this.#to) {
      this.#from = from - YEAR
      this.#to = this.#from + 1
      this.#offset = data.offsetAt(this.#id, this.#from)
    }
    // A transition shortly before decides, too, about the local times after it.
    if (from - OFFSET_MAX_MS < this.#from) {
      const earlier = from - YEAR
      const added = this.#read(earlier, this.#from)
      this.#transitions = [...added, ...this.#transitions]
      this.#from = earlier
      this.#offset = data.offsetAt(this.#id, earlier)
    }
    if (to >= this.#to) {
      this.#transitions.push(...this.#read(this.#to, to + YEAR))
      this.#to = to + YEAR
    }
  }

  /** After `from`, which is in the table already, up to and including `to`. */
  #read(from: Millis, to: Millis): Transition[] {
    const read: Transition[] = []
    for (let next = data.transitionAfter(this.#id, from); next !== null && next.at <= to;) {
      read.push(next)
      next = data.transitionAfter(this.#id, next.at)
    }
    return read
  }
}
