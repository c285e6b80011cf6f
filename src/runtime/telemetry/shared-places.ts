// A bounded number of places for what clients name, such as the namespaces that have a label in the metrics. When all are
// taken, the tenant with most of them gives way to one with fewer, so that nobody takes them all; and whoever has not used
// a place for long gives way to anybody.

export type SharedPlacesOptions<Value> = {
  readonly max: number
  /** A place that was not used for so long is free for others. */
  readonly idleMs: number
  /** It has lost its place. */
  readonly onGone?: (value: Value) => void
}

type Place<Value> = { readonly name: string; readonly tenant: string | null; readonly value: Value; usedAt: number }

const SEARCH_EVERY_MS = 1_000 // for idle places, while all are taken: it looks at each

export class SharedPlaces<Value> {
  readonly #options: SharedPlacesOptions<Value>
  readonly #places = new Map<string, Place<Value>>()
  readonly #held = new Map<string | null, number>()
  #searchAt = -Infinity

  constructor(options: SharedPlacesOptions<Value>) {
    this.#options = options
  }

  get size(): number {
    return this.#places.size
  }

  has(name: string): boolean {
    return this.#places.has(name)
  }

  get(name: string): Value | undefined {
    return this.#places.get(name)?.value
  }

  *entries(): Iterable<readonly [string, Value]> {
    for (const { name, value } of this.#places.values()) yield [name, value]
  }

  use(name: string, now: number): Value | undefined {
    const place = this.#places.get(name)
    if (place === undefined) return undefined
    place.usedAt = now
    return place.value
  }

  /** Null when there is no place for it. */
  take(name: string, tenant: string | null, now: number, make: () => Value): Value | null {
    if (this.#places.size >= this.#options.max) {
      const leaving = this.#yieldsTo(tenant, now)
      if (leaving === undefined) return null
      this.#remove(leaving)
    }
    const value = make()
    this.#places.set(name, { name, tenant, value, usedAt: now })
    this.#held.set(tenant, this.#heldBy(tenant) + 1)
    return value
  }

  #yieldsTo(tenant: string | null, now: number): Place<Value> | undefined {
    let largest = tenant
    for (const [other, held] of this.#held) if (held > this.#heldBy(largest)) largest = other
    // One more than the other has is the fair share of both.
    if (this.#heldBy(largest) > this.#heldBy(tenant) + 1)
      return this.#longestUnused((place) => place.tenant === largest)
    if (now < this.#searchAt) return undefined
    this.#searchAt = now + SEARCH_EVERY_MS
    return this.#longestUnused(({ usedAt }) => now - usedAt > this.#options.idleMs)
  }

  #longestUnused(isMeant: (place: Place<Value>) => boolean): Place<Value> | undefined {
    let longest: Place<Value> | undefined
    for (const place of this.#places.values())
      if (isMeant(place) && !(place.usedAt >= (longest?.usedAt ?? Infinity))) longest = place
    return longest
  }

  #remove({ name, tenant, value }: Place<Value>): void {
    this.#places.delete(name)
    const held = this.#heldBy(tenant) - 1
    if (held === 0) this.#held.delete(tenant)
    else this.#held.set(tenant, held)
    this.#options.onGone?.(value)
  }

  #heldBy(tenant: string | null): number {
    return this.#held.get(tenant) ?? 0
  }
}
