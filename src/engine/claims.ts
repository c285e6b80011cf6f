// The shards that are this node's, each by an epoch: claimed because they were free, or handed over by another node. One
// stays until it is let go, or until somebody is seen to own it by a higher epoch.

import type { Epoch, ShardId } from '../core/timer.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Store } from '../store/store.ts'
import type { ClusterMap } from './cluster-map.ts'
import type { Departure, FlightAbroad, MovedShard } from './hand-over.ts'

/** What fires the timers of the shards that are this node's. */
export interface ShardHome {
  /** The shard is ours: load it and fire. The timers of these flights are being delivered elsewhere. */
  open(shard: ShardId, epoch: Epoch, flights: readonly FlightAbroad[]): void
  /** Start nothing more of it; resolves when it is quiet. Nobody waits for it. */
  close(shard: ShardId): Promise<void>
  /** Start nothing more of it; its next owner is about to have it. */
  depart(shard: ShardId): Departure
  /** It has another owner already. */
  drop(shard: ShardId): void
  /** These nodes live; whatever others were doing they do no longer. */
  seen(living: ReadonlySet<string>): void
}

export type ClaimsOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly node: string
  readonly shards: ShardHome
}

/** `sinceMono`: what was seen of the cluster before that says nothing about this shard. */
type Owned = { readonly epoch: Epoch; readonly sinceMono: number }

export class Claims {
  readonly #options: ClaimsOptions
  readonly #map: ClusterMap
  readonly #owned = new Map<ShardId, Owned>()
  readonly #claiming = new Set<ShardId>()

  constructor(options: ClaimsOptions, map: ClusterMap) {
    this.#options = options
    this.#map = map
  }

  get size(): number {
    return this.#owned.size
  }

  all(): ShardId[] {
    return [...this.#owned.keys()]
  }

  /** Those of which a look at the cluster at this time of the monotonic clock says something. */
  olderThan(seenAt: number): ShardId[] {
    return [...this.#owned].flatMap(([shard, { sinceMono }]) => (sinceMono < seenAt ? [shard] : []))
  }

  /** Those that this node should have, has not, and can take from whoever holds them. */
  async claimMissing(desired: readonly string[], isFree: (holder: string | null) => boolean): Promise<void> {
    const { node } = this.#options
    const wanted = desired.flatMap((owner, shard) => (owner === node && !this.#owned.has(shard as ShardId) ? [shard as ShardId] : []))
    const free = wanted.filter((shard) => isFree(this.#map.ownerOf(shard)))
    await Promise.all(free.map((shard) => this.#claim(shard, this.#map.epochOf(shard))))
  }

  /** Another node has handed shards over, to this one or to a third. */
  accept(moved: readonly MovedShard[]): void {
    for (const { shard, epoch, owner, flights } of moved) {
      const known = Math.max(this.#map.epochOf(shard), this.#owned.get(shard)?.epoch ?? 0)
      // What is older than what is known here got lost on its way; what is being claimed will have a newer epoch.
      if (owner !== this.#options.node || epoch <= known || this.#claiming.has(shard)) continue
      this.#open(shard, epoch, flights)
    }
    this.#map.note(moved)
  }

  /** A commit with this epoch was refused, or the store names another owner. */
  lost(shard: ShardId, epoch: Epoch): void {
    if (this.#owned.get(shard)?.epoch !== epoch) return
    this.#owned.delete(shard)
    this.#options.logger.warn({ shard }, 'lost a shard: another node owns it')
    this.#options.shards.drop(shard)
  }

  dropWhatIsLost(): void {
    for (const [shard, { epoch }] of this.#owned) if (this.#map.epochOf(shard) > epoch) this.lost(shard, epoch)
  }

  /** The epoch by which the shard was this node's; null when it was not. */
  letGo(shard: ShardId): Epoch | null {
    const epoch = this.#owned.get(shard)?.epoch ?? null
    this.#owned.delete(shard)
    return epoch
  }

  async #claim(shard: ShardId, expected: Epoch): Promise<void> {
    const { store, node, logger } = this.#options
    this.#claiming.add(shard)
    try {
      const epoch = await store.claim({ shard, expected, owner: node })
      if (epoch === null) return
      this.#map.note([{ shard, epoch, owner: node }])
      this.#open(shard, epoch, [])
    } catch (error) {
      logger.warn({ shard, err: error }, 'could not claim a shard; trying again at the next beat')
    } finally {
      this.#claiming.delete(shard)
    }
  }

  #open(shard: ShardId, epoch: Epoch, flights: readonly FlightAbroad[]): void {
    this.#owned.set(shard, { epoch, sinceMono: this.#options.clock.monotonic() })
    this.#options.shards.open(shard, epoch, flights)
  }
}
