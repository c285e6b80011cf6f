// The shards that are this node's, each by an epoch: claimed because they were free, or handed over by another node. One
// stays until it is let go, or until the store says that it is not this node's by that epoch any more.
//
// A shard that the store says is this node's has nobody else to see to it while this node lives. So it is claimed whoever
// should have it, unless it is just being given away; and who should have it gets it from here.

import type { Epoch, Millis, ShardId } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { TimerStore } from '../../store/store.ts'
import { AwaitedMessages } from './awaited-messages.ts'
import type { ClusterMap } from './cluster-map.ts'
import type { Handover, RemoteDelivery } from '../delivery/remote-delivery.ts'
import type { SplitParts } from '../split/split-shard.ts'
import type { MovedShard } from './handover.ts'

/** What fires the timers of the shards that are this node's. */
export interface LocalShards {
  /** The shard is ours: load it and fire. The timers of these deliveries are being delivered elsewhere. */
  open(shard: ShardId, epoch: Epoch, deliveries: readonly RemoteDelivery[]): void
  /** Start nothing more of it; resolves when it is quiet. Nobody waits for it. */
  close(shard: ShardId): Promise<void>
  /** Start nothing more of it; its next owner is about to have it. */
  handOver(shard: ShardId): Handover
  /** It has another owner already. */
  drop(shard: ShardId): void
  /** Only now, after it was opened, comes the message of the node that had it before, with the deliveries that are in flight there. */
  told(shard: ShardId, deliveries: readonly RemoteDelivery[]): void
  /** It is there, and fires. */
  isOpen(shard: ShardId): boolean
  /** The shard as one that is being split; null when it is not, or is not open. */
  splitOf(shard: ShardId): SplitParts | null
  /** These nodes lived when this one looked, at this time of the monotonic clock; what others were doing they do no longer. */
  seen(living: ReadonlySet<string>, seenAt: number): void
}

export type ClaimsOptions = {
  readonly store: TimerStore
  readonly clock: Clock
  readonly logger: Logger
  readonly node: string
  readonly shards: LocalShards
}

/** `sinceMono`: what was seen of the cluster before that says nothing about this shard. */
type Owned = { readonly epoch: Epoch; readonly sinceMono: number }

export class Claims {
  readonly #options: ClaimsOptions
  readonly #map: ClusterMap
  readonly #everyShard: () => readonly ShardId[]
  readonly #owned = new Map<ShardId, Owned>()
  /** The epoch by which each shard was last this node's. */
  readonly #had = new Map<ShardId, Epoch>()
  /** With what another node has said about the shard meanwhile. */
  readonly #claiming = new Map<ShardId, MovedShard | null>()
  /** Handed over by an epoch that this node had before, which a fail-over has forgotten: it is claimed by a higher one first. */
  readonly #told = new Map<ShardId, MovedShard>()
  /** On their way to another owner, while the store may still name this node. */
  readonly #going = new Set<ShardId>()
  /** Could not be given away. What was in flight then still is. */
  readonly #stayed = new Map<ShardId, Handover>()
  readonly #awaited: AwaitedMessages

  /** `shards`: those of the layout, at any time. */
  constructor(options: ClaimsOptions, map: ClusterMap, shards: () => readonly ShardId[]) {
    this.#options = options
    this.#map = map
    this.#everyShard = shards
    this.#awaited = new AwaitedMessages(options.clock)
  }

  get size(): number {
    return this.#owned.size
  }

  has(shard: ShardId): boolean {
    return this.#owned.has(shard)
  }

  /** No shard is this node's, and none is left behind in its name. */
  get isEmpty(): boolean {
    return this.size === 0 && !this.#everyShard().some((shard) => this.#isLeftToUs(shard))
  }

  /** How long to wait for messages about shards that the store says were handed over to this node; null when for none. */
  get awaitedForMs(): Millis | null {
    return this.#awaited.waitMs
  }

  all(): ShardId[] {
    return [...this.#owned.keys()]
  }

  /** Those that the store says are this node's and that are not open. */
  unopened(): ShardId[] {
    return this.#everyShard().filter(
      (shard) => this.#map.ownerOf(shard) === this.#options.node && !this.#options.shards.isOpen(shard),
    )
  }

  /** Those of which a look at the cluster at this time of the monotonic clock says something. */
  olderThan(seenAt: number): ShardId[] {
    return [...this.#owned].flatMap(([shard, { sinceMono }]) => (sinceMono < seenAt ? [shard] : []))
  }

  /**
   * Those that are named as this node's and are not open here, and those that it should have and can take from whoever holds them. True when
   * one of the first was claimed: the database may have forgotten that another node has it.
   */
  async claimMissing(
    desired: ReadonlyMap<ShardId, string>,
    isFree: (holder: string | null) => boolean,
    beatOf: (holder: string) => number | null,
  ): Promise<boolean> {
    const { node } = this.#options
    const missing = this.#everyShard().filter((shard) => {
      const holder = this.#map.ownerOf(shard)
      if (holder === node) return this.#isLeftToUs(shard) && !this.#isAwaited(shard)
      return desired.get(shard) === node && !this.#owned.has(shard) && isFree(holder)
    })
    const areOurs = missing.some((shard) => this.#map.ownerOf(shard) === node)
    await Promise.all(missing.map((shard) => this.#claim(shard, beatOf)))
    return areOurs
  }

  /** Another node has handed shards over, to this one or to a third. */
  accept(moved: readonly MovedShard[]): void {
    for (const one of moved) {
      if (one.owner !== this.#options.node) continue
      // What comes of the claim decides what the message is worth. One that comes a second time says what was in flight long ago.
      if (!this.#claiming.has(one.shard)) this.#take(one)
      else if (!this.#isRepeated(one)) this.#claiming.set(one.shard, one)
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
    for (const [shard, { epoch }] of this.#owned) {
      const isStillOurs = this.#map.epochOf(shard) === epoch && this.#map.ownerOf(shard) === this.#options.node
      if (!isStillOurs) this.lost(shard, epoch)
    }
    for (const [shard, handover] of this.#stayed) {
      const owner = this.#map.ownerOf(shard)
      // A part of a shard that was split may have none yet.
      if (owner === this.#options.node || owner === null) continue
      // It was given away after all, and only the answer was lost; the new owner was not told.
      this.#stayed.delete(shard)
      handover.end()
    }
  }

  /** What is in memory may be out of date: every shard is claimed by a new epoch and read again. What is in flight goes on. */
  claimAnew(): void {
    if (this.size === 0) return
    this.#options.logger.info(
      { shards: this.size },
      'this node was away for most of its lease: claiming its shards anew',
    )
    for (const shard of this.all()) this.reopen(shard)
  }

  /** The shard is claimed by a new epoch at the next look, and opened as what it is by then. What is in flight goes on. */
  reopen(shard: ShardId): void {
    const split = this.#options.shards.splitOf(shard)
    this.letGo(shard)
    const handover = this.#options.shards.handOver(shard)
    this.stays(shard, handover)
    // By then it may have been split.
    if (split !== null && split.held.size > 0) this.adoptParts(split, handover)
  }

  /** The epoch by which the shard was this node's; null when it was not. It is not claimed again before `gone` or `stays`. */
  letGo(shard: ShardId): Epoch | null {
    const epoch = this.#owned.get(shard)?.epoch ?? null
    if (epoch !== null) this.#going.add(shard)
    this.#owned.delete(shard)
    return epoch
  }

  /** It has been given away. If the store names this node all the same, by then or ever again, it is claimed. */
  gone(shard: ShardId): void {
    this.#going.delete(shard)
  }

  /** It could not be given away, as far as is known here. If the store says so, too, it is claimed and opened again. */
  stays(shard: ShardId, handover: Handover): void {
    this.#going.delete(shard)
    this.#stayed.set(shard, handover)
  }

  /** The parts of a shard that was split here are claimed and opened in its place, as soon as they are in the layout. */
  adoptParts({ parts, held, partOf }: SplitParts, handover: Handover): void {
    let ended = 0
    let inFlight: readonly RemoteDelivery[] | null = null
    for (const shard of parts) {
      const epoch = held.get(shard)?.epoch
      if (epoch !== undefined) this.#had.set(shard, epoch)
      this.stays(shard, {
        // Those of one moment: what ends later is reported when all parts are open.
        deliveries: () => (inFlight ??= handover.deliveries()).filter((delivery) => partOf(delivery) === shard),
        // All parts know of them by then, or somebody else has the part.
        end: () => void (++ended === parts.length && handover.end()),
      })
    }
  }

  /** The parts of a shard that is being closed are not claimed before they are `gone`. */
  keepBack(parts: Iterable<ShardId>): void {
    for (const part of parts) this.#going.add(part)
  }

  async #claim(shard: ShardId, beatOf: (holder: string) => number | null): Promise<void> {
    const { store, node, logger } = this.#options
    const [expected, from] = [this.#map.epochOf(shard), this.#map.ownerOf(shard)]
    if (from === node && !this.#stayed.has(shard))
      logger.warn({ shard }, 'a shard is in the name of this node, which does not have it: claiming it')
    this.#claiming.set(shard, null)
    // A silent node may have beaten since this one looked, as this one may have been away itself.
    const onlyIf = from !== null && from !== node && store.capabilities.shared ? { ifBeat: beatOf(from) } : {}
    const claim = { shard, expected, from, owner: node, above: this.#had.get(shard) ?? (0 as Epoch), ...onlyIf }
    const result = await store.claim(claim).catch((error: unknown) => {
      if (!store.capabilities.shared) throw error
      logger.warn({ shard, err: error }, 'could not claim a shard; trying again at the next beat')
      return 'failed' as const
    })
    // A node alone makes no further beat: it must not start without its shards.
    if (result === null && !store.capabilities.shared)
      throw new Error(
        `shard ${shard} changed hands while it was claimed: start again, and see that only one process uses it`,
      )
    const told = this.#claiming.get(shard) ?? this.#told.get(shard) ?? null
    this.#claiming.delete(shard)
    if (typeof result === 'number') {
      this.#map.note([{ shard, epoch: result, owner: node }])
      this.#open(shard, result, told?.epoch === expected ? told.deliveries : [])
    } else if (told !== null && (told.epoch > expected || result === 'failed')) {
      // Where somebody else was faster than the claim, a message about the epoch before that is worth nothing.
      this.#take(told)
    }
  }

  /** What is older than what is known here got lost on its way, and changes nothing. */
  #take(moved: MovedShard): void {
    const { shard, epoch } = moved
    const owned = this.#owned.get(shard)
    // The store was quicker to tell, and the shard was claimed by what it said.
    if (owned?.epoch === epoch + 1) return this.#options.shards.told(shard, moved.deliveries)
    const known = this.#map.epochOf(shard)
    const isNews = epoch > known || (epoch === known && this.#map.ownerOf(shard) === this.#options.node)
    if (!isNews || this.#isRepeated(moved)) return
    if (epoch > (this.#had.get(shard) ?? 0)) this.#open(shard, epoch, moved.deliveries)
    else this.#told.set(shard, moved)
  }

  /** This node has, or has just had, the shard by what the message says. */
  #isRepeated({ shard, epoch }: MovedShard): boolean {
    return epoch <= (this.#had.get(shard) ?? 0) && (this.#owned.has(shard) || this.#stayed.has(shard))
  }

  /** The store names this node, which neither has the shard nor is about to give it away. */
  #isLeftToUs(shard: ShardId): boolean {
    return (
      this.#map.ownerOf(shard) === this.#options.node && !this.#options.shards.isOpen(shard) && !this.#going.has(shard)
    )
  }

  /** Another node has put this one's name into the store, and is about to say which deliveries of the shard are under way. */
  #isAwaited(shard: ShardId): boolean {
    const epoch = this.#map.epochOf(shard)
    return (
      this.#options.store.capabilities.shared && this.#had.get(shard) !== epoch && this.#awaited.mayCome(shard, epoch)
    )
  }

  #open(shard: ShardId, epoch: Epoch, deliveries: readonly RemoteDelivery[]): void {
    const owned = this.#owned.get(shard)
    if (owned !== undefined) this.lost(shard, owned.epoch)
    const stayed = this.#stayed.get(shard)
    this.#stayed.delete(shard)
    this.#going.delete(shard)
    this.#awaited.forget(shard)
    this.#told.delete(shard)
    this.#had.set(shard, epoch)
    this.#owned.set(shard, { epoch, sinceMono: this.#options.clock.monotonic() })
    this.#options.shards.open(shard, epoch, [...deliveries, ...(stayed?.deliveries() ?? [])])
    stayed?.end()
    for (const part of this.#options.shards.splitOf(shard)?.parts ?? []) this.#stayed.delete(part)
  }
}
