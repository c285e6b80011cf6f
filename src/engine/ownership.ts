// Which shards this node owns. The database is the only truth and the only coordinator: every node beats its row there
// and sees in the answer who else lives and who owns what; all living nodes compute the same desired owners. A node
// claims a shard that is free or whose owner has been silent for longer than the lease, and hands over one that
// another living node should have.
//
// Safety rests on epochs alone: a claim raises the shard's epoch and the store refuses commits with an older one. So
// this may be wrong about the others for a while, and only speed suffers. What epochs cannot undo is a delivery, so
// a node that could not beat for most of the lease starts none until it knows better.

import { assignShards } from '../core/shard-assignment.ts'
import type { Epoch, Millis, ShardId } from '../core/timer.ts'
import type { Cancel, Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { ClusterState, NodeRow, Store } from '../store/store.ts'

export type OwnershipOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Names this run of this process: a restarted one is another node. */
  readonly node: string
  /** Where other nodes reach this one; null when there cannot be others. */
  readonly address: string | null
  readonly leaseMs: Millis
  /** The shard is ours: load it and fire. */
  readonly open: (shard: ShardId, epoch: Epoch) => void
  /** Start nothing more of it; resolves when it is quiet, soon. */
  readonly close: (shard: ShardId) => Promise<void>
  /** It has another owner already. */
  readonly drop: (shard: ShardId) => void
  /** Something changed that the node at this address should look at now, not at its next beat. */
  readonly notify: (address: string) => void
}

const BEATS_PER_LEASE = 5 // four lost in a row are forgiven
const CERTAIN_SHARE = 0.8 // of the lease: the rest is for what a delivery's start takes, and for clocks that run unevenly

export class Ownership {
  readonly #options: OwnershipOptions
  readonly #owned = new Map<ShardId, Epoch>()
  #state: ClusterState = { nodes: [], shards: [] }
  #lastBeatAt = -Infinity
  /** Until then others may be silent only because they could not reach the database either. */
  #doubtUntil = -Infinity
  #leaving = false
  #cancelBeat: Cancel | null = null
  #rounds: Promise<void> = Promise.resolve()

  constructor(options: OwnershipOptions) {
    this.#options = options
  }

  /** Resolves when this node has beaten once and claimed what it should have at that moment. */
  async start(): Promise<void> {
    await this.#round()
    this.#beatLater()
  }

  /** Hands everything over. Resolves when the store knows; a store that does not answer is left to find out by the lease. */
  async stop(): Promise<void> {
    this.#cancelBeat?.()
    this.#leaving = true
    await this.lookNow()
  }

  /** No other node can have claimed our shards yet, so deliveries may start. */
  get isCertain(): boolean {
    if (!this.#isShared) return true
    return this.#options.clock.monotonic() - this.#lastBeatAt < this.#options.leaseMs * CERTAIN_SHARE
  }

  get state(): ClusterState {
    return this.#state
  }

  /** Where a shard's owner can be reached, by the last beat; null when it has none, or when it is this node. */
  addressOf(shard: ShardId): string | null {
    const owner = this.#state.shards.find((row) => row.shard === shard)?.owner
    if (owner === undefined || owner === null || owner === this.#options.node) return null
    return this.#state.nodes.find((row) => row.node === owner)?.address ?? null
  }

  /** A commit was refused: somebody else owns the shard. */
  lost(shard: ShardId): void {
    if (!this.#owned.delete(shard)) return
    this.#options.logger.warn({ shard }, 'lost a shard: another node owns it')
    this.#options.drop(shard)
  }

  /** Beats now: another node says that there is something to see. One round at a time. */
  lookNow(): Promise<void> {
    return this.#round()
  }

  #beatLater(): void {
    // Nobody else can come or go where a store is for one node.
    if (!this.#isShared || this.#leaving) return
    this.#cancelBeat = this.#options.clock.after(this.#options.leaseMs / BEATS_PER_LEASE, () => {
      void this.#round().finally(() => this.#beatLater())
    })
  }

  #round(): Promise<void> {
    this.#rounds = this.#rounds.then(() => this.#beatAndAct())
    return this.#rounds
  }

  async #beatAndAct(): Promise<void> {
    const { store, clock, logger, node, address } = this.#options
    const sentAt = clock.monotonic()
    try {
      this.#state = await store.beat({ node, address, leaving: this.#leaving, now: clock.now() })
    } catch (error) {
      logger.error({ err: error, certain: this.isCertain }, 'could not reach the store to renew the ownership of shards')
      if (this.#owned.size === 0 && this.#lastBeatAt === -Infinity) throw error
      return
    }
    if (sentAt - this.#lastBeatAt > this.#options.leaseMs * CERTAIN_SHARE) this.#doubtUntil = sentAt + this.#options.leaseMs
    this.#lastBeatAt = sentAt
    this.#dropWhatIsLost()
    const desired = assignShards(store.capabilities.shards, this.#living())
    await Promise.all([this.#claimMissing(desired), this.#handOver(desired)])
  }

  #dropWhatIsLost(): void {
    for (const { shard, epoch } of this.#state.shards) if ((this.#owned.get(shard) ?? epoch) < epoch) this.lost(shard)
  }

  #living(): string[] {
    return this.#state.nodes.filter((row) => this.#isAlive(row)).map(({ node }) => node)
  }

  #isAlive({ node, leaving, silentMs }: NodeRow): boolean {
    if (leaving) return false
    const isDoubtful = this.#options.clock.monotonic() < this.#doubtUntil && silentMs < DEAD_AFTER_LEASES * this.#options.leaseMs
    return node === this.#options.node || silentMs <= this.#options.leaseMs || isDoubtful
  }

  async #claimMissing(desired: readonly string[]): Promise<void> {
    const { node, store } = this.#options
    const rows = new Map(this.#state.shards.map((row) => [row.shard, row]))
    const living = new Set(this.#living())
    const wanted = desired.flatMap((owner, shard) => (owner === node && !this.#owned.has(shard as ShardId) ? [shard as ShardId] : []))
    await Promise.all(
      wanted.map(async (shard) => {
        const row = rows.get(shard)
        const isFree = row === undefined || row.owner === null || row.owner === node || !living.has(row.owner)
        if (isFree || !store.capabilities.shared) await this.#claim(shard, row?.epoch ?? (0 as Epoch))
      }),
    )
  }

  async #claim(shard: ShardId, expected: Epoch): Promise<void> {
    const { store, node, logger, open } = this.#options
    try {
      const epoch = await store.claim({ shard, expected, owner: node })
      if (epoch === null) return
      this.#owned.set(shard, epoch)
      open(shard, epoch)
    } catch (error) {
      logger.warn({ shard, err: error }, 'could not claim a shard; trying again at the next beat')
    }
  }

  /** Shards that another living node should have; all of them when leaving. */
  async #handOver(desired: readonly string[]): Promise<void> {
    const leaving = [...this.#owned].filter(([shard]) => this.#leaving || (desired[shard] !== undefined && desired[shard] !== this.#options.node))
    const addresses = new Set<string>()
    await Promise.all(
      leaving.map(async ([shard, epoch]) => {
        this.#owned.delete(shard)
        await this.#options.close(shard)
        await this.#release(shard, epoch)
        const address = this.#state.nodes.find(({ node }) => node === desired[shard])?.address
        if (address !== undefined && address !== null) addresses.add(address)
      }),
    )
    for (const address of addresses) this.#options.notify(address)
  }

  async #release(shard: ShardId, epoch: Epoch): Promise<void> {
    try {
      await this.#options.store.release({ shard, epoch })
    } catch (error) {
      this.#options.logger.warn({ shard, err: error }, 'could not release a shard; its next owner waits for the lease')
    }
  }

  get #isShared(): boolean {
    return this.#options.store.capabilities.shared
  }
}

/** After a trouble of the database nobody has beaten for a while; a node silent for so much longer is gone all the same. */
const DEAD_AFTER_LEASES = 20
