// Which of its shards this node gives away, and to whom: those that another living node should have, and all of them when it
// leaves. One at a time is under way, and beats do not wait for it. How a shard moves is in handover.ts.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import type { BeatWatch } from './beat-watch.ts'
import type { Claims, ClaimsOptions } from './claims.ts'
import type { ClusterMap } from './cluster-map.ts'
import { handOver } from './handover.ts'
import type { HandoverOptions, Neighbours, NextOwner } from './handover.ts'
import type { KnownLayout } from './layout/known-layout.ts'
import type { Lease } from './lease.ts'
import type { NodeRow } from '../../store/store.ts'

export type MovesOptions = ClaimsOptions & { readonly neighbours: Neighbours }

export class Moves {
  readonly #options: MovesOptions
  readonly #claims: Claims
  readonly #lease: Lease
  readonly #watch: BeatWatch
  readonly #handover: HandoverOptions
  #leaving = false
  #moving: Promise<void> | null = null
  /** Nodes that were to have a shard and could not be reached, while this one is leaving. */
  readonly #unreachable = new Set<string>()

  constructor(
    options: MovesOptions,
    parts: { claims: Claims; map: ClusterMap; lease: Lease; watch: BeatWatch; layout: KnownLayout },
  ) {
    const { claims, map, lease, watch, layout } = parts
    this.#options = options
    this.#claims = claims
    this.#watch = watch
    this.#lease = lease
    this.#handover = { ...options, claims, map, layoutVersion: () => layout.current.version }
  }

  /** From now on everything goes. */
  leave(): void {
    this.#leaving = true
  }

  get isLeaving(): boolean {
    return this.#leaving
  }

  /** Nothing more is sent to it, since it could not be asked. */
  isUnreachable(node: string): boolean {
    return this.#unreachable.has(node)
  }

  /** Sends off what others should have, as of `seenAt`, unless shards are on their way already. */
  begin(desired: ReadonlyMap<ShardId, string>, seenAt: number): void {
    this.#moving ??= this.#moveAll(desired, seenAt).finally(() => (this.#moving = null))
  }

  /** Resolves when what is on its way now has arrived, or stays. */
  async ended(): Promise<void> {
    await this.#moving
  }

  /** Nobody is there to take them: whoever comes next finds them free. */
  async giveUp(shards: readonly ShardId[]): Promise<void> {
    await Promise.all(
      shards.map(async (shard) => {
        const parts = this.#options.shards.splitOf(shard)?.parts ?? []
        const epoch = this.#claims.letGo(shard)
        if (epoch === null) return
        this.#claims.keepBack(parts)
        await this.#options.shards.close(shard)
        for (const part of parts) this.#claims.gone(part)
        await this.#release(shard, epoch)
      }),
    )
  }

  async #moveAll(desired: ReadonlyMap<ShardId, string>, seenAt: number): Promise<void> {
    const wanted = this.#leaving ? this.#claims.all() : this.#wantedElsewhere(desired, seenAt)
    const going = wanted.filter((shard) => this.#options.shards.splitOf(shard)?.isFinishing !== true)
    const byOwner = Map.groupBy(going, (shard) => desired.get(shard) ?? null)
    await Promise.all(byOwner.entries().map(([owner, shards]) => this.#moveTo(owner, shards)))
  }

  #wantedElsewhere(desired: ReadonlyMap<ShardId, string>, seenAt: number): ShardId[] {
    if (this.#lease.isInDoubt) return []
    return this.#claims.olderThan(seenAt).filter((shard) => desired.get(shard) !== this.#options.node)
  }

  async #moveTo(owner: string | null, shards: readonly ShardId[]): Promise<void> {
    const present = this.#watch.present()
    const to = present.find((row): row is NodeRow & NextOwner => row.node === owner && row.address !== null)
    if (to === undefined) {
      // A rule of the layout lets nobody have them who is there.
      if (this.#leaving || owner === null) await this.giveUp(shards)
      return
    }
    // A dead node may have had the address of the next owner.
    const witnesses = present.flatMap(({ address }) => (address === null || address === to.address ? [] : [address]))
    const isMoved = await handOver({ shards, to, witnesses }, this.#handover)
    if (!isMoved && this.#leaving) this.#unreachable.add(to.node)
  }

  async #release(shard: ShardId, epoch: Epoch): Promise<void> {
    // A store that is away would only keep a stop waiting.
    if (this.#lease.lastBeatFailed) return
    try {
      await this.#options.store.release({ shard, epoch, owner: this.#options.node })
    } catch (error) {
      this.#options.logger.warn({ shard, err: error }, 'could not release a shard; its next owner waits for the lease')
    }
  }
}
