// The shards that this node owns, open: each has its window in memory and fires its timers. Ownership says which come and go.

import type { Epoch, ShardId } from '../core/timer/timer.ts'
import type { Layout } from '../core/cluster/layout.ts'
import { isSplitting, partsOf, splitOf } from '../core/cluster/split.ts'
import type { LocalShards } from './cluster/claims.ts'
import type { Handover, RemoteDelivery } from './delivery/remote-delivery.ts'
import type { OwnedShard } from '../store/store.ts'
import { Shard } from './shard.ts'
import type { ShardParts } from './shard.ts'
import { emptyShard } from './split/split-mover.ts'
import { SplitShard } from './split/split-shard.ts'
import type { PageSource } from './window/page-reader.ts'
import type { WindowLimits } from './window/shares.ts'
import { Window } from './window/window.ts'

/** What the shards of a node share, and `limits`: of all their windows together. */
export type OpenShardsOptions = Omit<ShardParts, 'id' | 'epoch' | 'window' | 'remote' | 'split'> & {
  readonly limits: WindowLimits
  readonly layout: () => Layout
  /** A shard that is being split has nothing left. */
  readonly onEmptied: (shard: ShardId) => void
}

const SHARD_TIMERS_MIN = 2

export class OpenShards implements LocalShards {
  readonly #options: OpenShardsOptions
  readonly #shards = new Map<ShardId, Shard>()
  /** Nothing starts there any more; reports about deliveries of other nodes are stored until they are released. */
  readonly #closing = new Map<ShardId, Shard>()
  readonly #had = new Map<ShardId, Epoch>()
  /** Given to other nodes, with deliveries still in flight here. */
  readonly #handedOver = new Set<Shard>()
  /** Jobs of shards that are not here any more may wait in the dispatcher. */
  #haveLeft = false

  constructor(options: OpenShardsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#shards.size
  }

  get(id: ShardId): Shard | undefined {
    return this.#shards.get(id)
  }

  isOpen(id: ShardId): boolean {
    return this.#shards.has(id)
  }

  /** Where the outcome of a delivery of another node can be stored. */
  openOrClosing(id: ShardId): Shard | undefined {
    return this.#shards.get(id) ?? this.#closing.get(id)
  }

  [Symbol.iterator](): Iterator<Shard> {
    return this.#shards.values()
  }

  open(id: ShardId, epoch: Epoch, remote: readonly RemoteDelivery[]): void {
    const { store, clock, outbox, onEmptied } = this.#options
    this.#had.set(id, epoch)
    const split = this.#split(id, epoch)
    const due: PageSource = (scan) => split?.due(scan) ?? store.due({ ...scan, shard: id })
    const window = new Window({ due, limits: this.#shardLimits, now: clock.now() })
    const shard = new Shard({ ...this.#options, id, epoch, window, remote, split })
    this.#shards.set(id, shard)
    outbox?.opened(id)
    void shard.load()
    if (split !== null) void emptyShard(split, { ...this.#options, onEmpty: onEmptied })
  }

  /** Where the rows of the shard are, if it is being split. */
  #split(id: ShardId, epoch: Epoch): SplitShard | null {
    const layout = this.#options.layout()
    if (!isSplitting(layout, id)) return null
    const fence = { shard: id, epoch, owner: this.#options.node }
    const parts = partsOf(splitOf(layout)!, id)
    return new SplitShard({ ...this.#options, fence, parts, had: this.#had, next: layout.next! })
  }

  /** A part of one that is being split keeps its timers: their rows prove that copies that a move left behind are old. */
  get prunable(): OwnedShard[] {
    return [...this.#shards.values()].flatMap(({ split, fence }) => (split === null ? [fence] : []))
  }

  /** The shard as it is being split; null when it is open as a whole, or not open. */
  splitOf(id: ShardId): SplitShard | null {
    return this.#shards.get(id)?.split ?? null
  }

  /** Nothing starts any more, and what is in flight ends. */
  async close(id: ShardId): Promise<void> {
    const shard = this.#shards.get(id)
    this.#shards.delete(id)
    if (shard !== undefined) this.#closing.set(id, shard)
    await shard?.close()
    this.#leftParts(shard)
    if (this.#closing.get(id) === shard) this.#closing.delete(id)
    await this.#options.outbox?.closed(id)
  }

  handOver(id: ShardId): Handover {
    const shard = this.#shards.get(id)!
    this.#shards.delete(id)
    this.#handedOver.add(shard)
    this.#haveLeft = true
    const handover = shard.handOver()
    this.#options.outbox?.left(id)
    this.#leftParts(shard)
    void shard.stop().then(() => this.#handedOver.delete(shard))
    return handover
  }

  drop(id: ShardId): void {
    const shard = this.#shards.get(id)
    this.#shards.delete(id)
    this.#haveLeft = true
    this.#options.outbox?.left(id)
    this.#leftParts(shard)
    void shard?.stop()
  }

  /** Whoever has the shard next has its parts. */
  #leftParts(shard: Shard | undefined): void {
    const split = shard?.split ?? null
    split?.stop()
    for (const part of split?.parts ?? []) this.#options.outbox?.left(part)
  }

  told(id: ShardId, deliveries: readonly RemoteDelivery[]): void {
    this.#shards.get(id)?.told(deliveries)
  }

  seen(living: ReadonlySet<string>, seenAt: number): void {
    for (const shard of [...this.#shards.values(), ...this.#closing.values()]) shard.seen(living, seenAt)
    // At the next beat, not while shards are on their way: it takes a look at everything that waits.
    if (this.#haveLeft) this.#options.dispatcher.sweep()
    this.#haveLeft = false
  }

  /** Resolves when nothing of the shards that were given away is in flight here any more. */
  async handedOverEnded(): Promise<void> {
    await Promise.all(Array.from(this.#handedOver, (shard) => shard.stop()))
  }

  /** The shards share what a node may hold in memory; each keeps enough to be worth a page. */
  get #shardLimits(): WindowLimits {
    const { timersMax, bytesMax, pageSize } = this.#options.limits
    const shards = () => Math.max(1, this.#shards.size)
    return {
      get timersMax() {
        return Math.max(SHARD_TIMERS_MIN, Math.floor(timersMax / shards()))
      },
      get bytesMax() {
        return bytesMax / shards()
      },
      get pageSize() {
        return Math.min(pageSize, Math.ceil(this.timersMax / 2))
      },
    }
  }
}
