// Which of the other nodes live, as far as this one can tell. A node lives while its beat changes from one look to the next.
// One whose beat has been the same for the lease, by the clock of the observer that cannot be set, is silent. The clock
// of the database has no part in it: it may be set, and a standby that takes over may have another one.
//
// The lease of the other one began before its beat could be seen here, and it starts nothing when most of that is over. So a
// node that is silent here has stopped firing, unless it beats again; a claim is made on the condition that it does not.

import type { Millis } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { ClusterState, NodeRow } from '../../store/store.ts'

/** Another node, with how long its beat has been the same, as seen from here. */
export type SeenNode = Omit<NodeRow, 'beat'> & { readonly silentMs: Millis }

type Sighting = {
  /** Null for an owner of shards that has no row. */
  readonly row: NodeRow | null
  readonly beat: number | null
  readonly sinceMono: number
  /** Its beat has changed before the eyes of this node, or its row has appeared. */
  readonly hasBeaten: boolean
}

export class BeatWatch {
  readonly #node: string
  readonly #clock: Clock
  readonly #leaseMs: Millis
  #sightings: ReadonlyMap<string, Sighting> | null = null
  /** Time in which this node has not looked says nothing about the others. */
  #lookedAt = 0
  #haveOthersBeaten = false

  /** `node` is the one that looks. */
  constructor({ node, clock, leaseMs }: { readonly node: string; readonly clock: Clock; readonly leaseMs: Millis }) {
    this.#node = node
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  /** What a beat of this node has just been answered. */
  look({ nodes, shards }: ClusterState): void {
    const seen = new Map<string, Sighting>()
    const rows = new Map(nodes.map((row) => [row.node, row]))
    const owners = shards.flatMap(({ owner }) => owner ?? [])
    // One whose row was removed may live all the same: it is known until it has been silent.
    const known = Array.from(this.#sightings?.keys() ?? []).filter((node) => !this.isSilent(node))
    for (const node of new Set([...rows.keys(), ...owners, ...known])) {
      if (node !== this.#node) seen.set(node, this.#sighting(node, rows.get(node) ?? null))
    }
    this.#haveOthersBeaten = Array.from(seen).some(([node, { beat }]) => this.#sightings?.get(node)?.beat !== beat)
    this.#sightings = seen
    this.#lookedAt = this.#clock.monotonic()
  }

  /** Between the last look and the one before. */
  get haveOthersBeaten(): boolean {
    return this.#haveOthersBeaten
  }

  /** Those that are not silent. At its first look a node cannot tell, so that is all of them. */
  present(): NodeRow[] {
    return this.#rows().filter(({ node }) => !this.isSilent(node))
  }

  /** Those that surely live: their beats have changed since this node looks. */
  living(): NodeRow[] {
    return this.present().filter(({ node }) => this.#sightings!.get(node)!.hasBeaten)
  }

  /** One that was never heard of is not silent either: nobody has watched it for a lease. */
  isSilent(node: string): boolean {
    const sighting = this.#sightings?.get(node)
    return sighting !== undefined && this.#lookedAt - sighting.sinceMono >= this.#leaseMs
  }

  addressOf(node: string): string | null {
    return this.#sightings?.get(node)?.row?.address ?? null
  }

  /** Its last one; null when it has no row. */
  beatOf(node: string): number | null {
    return this.#sightings?.get(node)?.beat ?? null
  }

  seen(): SeenNode[] {
    return this.#rows().map(({ node, address, leaving, labels, clockSkewMs }) => {
      return {
        node,
        address,
        leaving,
        labels,
        silentMs: Math.round(this.#lookedAt - this.#sightings!.get(node)!.sinceMono),
        clockSkewMs,
      }
    })
  }

  #rows(): NodeRow[] {
    return Array.from(this.#sightings?.values() ?? []).flatMap(({ row }) => row ?? [])
  }

  /** The beat was made before it was seen, so its age counts from the moment of its answer, not from that of the question. */
  #sighting(node: string, row: NodeRow | null): Sighting {
    const before = this.#sightings?.get(node)
    const beat = row?.beat ?? null
    const latest = row ?? before?.row ?? null
    if (before !== undefined && before.beat === beat) return { ...before, row: latest }
    const hasBeaten = this.#sightings !== null && (before?.hasBeaten === true || beat !== null)
    return { row: latest, beat, sinceMono: this.#clock.monotonic(), hasBeaten }
  }
}
