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
import { sleep } from '../runtime/clock.ts'
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
  readonly address: () => string | null
  readonly leaseMs: Millis
  /** The shard is ours: load it and fire. */
  readonly open: (shard: ShardId, epoch: Epoch) => void
  /** Start nothing more of it; resolves when it is quiet. That must be soon when another node waits for it. */
  readonly close: (shard: ShardId, isAwaited: boolean) => Promise<void>
  /** It has another owner already. */
  readonly drop: (shard: ShardId) => void
  /** Something changed that the node at this address should look at now, not at its next beat. */
  readonly notify: (address: string) => void
}

const BEATS_PER_LEASE = 5 // four lost in a row are forgiven
const RETRIES_PER_BEAT = 4 // a beat that failed is made again sooner: every moment counts then
const AFTERMATH_MS = 100 // what the others take to claim what they were told about
const CERTAIN_SHARE = 0.8 // of the lease: the rest is for what a delivery's start takes, and for clocks that run unevenly

export class Ownership {
  readonly #options: OwnershipOptions
  readonly #owned = new Map<ShardId, Epoch>()
  #state: ClusterState = { nodes: [], shards: [] }
  #firstBeatAt = Infinity
  #lastBeatAt = -Infinity
  #lastBeatFailed = false
  /** Until then others may be silent only because they could not reach the database either. */
  #doubtUntil = -Infinity
  #leaving = false
  #cancelBeat: Cancel | null = null
  /** The round under way and the one that waits for it: whoever wants to look meanwhile shares that. */
  #round: Promise<void> = Promise.resolve()
  #nextRound: Promise<void> | null = null
  /** Nodes that live and say they are where this one is. */
  readonly #impostors = new Set<string>()

  constructor(options: OwnershipOptions) {
    this.#options = options
  }

  /** Resolves when this node has beaten once and claimed what it should have at that moment. */
  async start(): Promise<void> {
    await this.lookNow()
    this.#beatLater()
  }

  /** Hands everything over. Resolves when the store knows; a store that does not answer is left to find out by the lease. */
  async stop(): Promise<void> {
    this.#leaving = true
    this.#cancelBeat?.()
    await this.lookNow()
    // The store could not be reached. What is in flight may still land.
    if (this.#owned.size > 0) await this.#handOver([])
    if (!this.#isShared || this.#lastBeatFailed) return
    // Requests still arrive here for a while: a second look tells where their timers live now.
    await sleep(this.#options.clock, AFTERMATH_MS)
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

  /** Beats now: another node says that there is something to see. One round at a time. Rejects only when the first one fails. */
  lookNow(): Promise<void> {
    this.#nextRound ??= this.#round.then(() => {
      this.#nextRound = null
      const round = this.#beatAndAct()
      this.#round = round.catch(() => {})
      return round
    })
    return this.#nextRound
  }

  #beatLater(): void {
    // Nobody else can come or go where a store is for one node.
    if (!this.#isShared || this.#leaving) return
    const beatMs = this.#options.leaseMs / BEATS_PER_LEASE
    this.#cancelBeat = this.#options.clock.after(this.#lastBeatFailed ? beatMs / RETRIES_PER_BEAT : beatMs, () => {
      void this.lookNow().finally(() => this.#beatLater())
    })
  }

  async #beatAndAct(): Promise<void> {
    const { store, clock, logger, node, address } = this.#options
    const sentAt = clock.monotonic()
    try {
      this.#state = await store.beat({ node, address: address(), leaving: this.#leaving, now: clock.now() })
    } catch (error) {
      this.#lastBeatFailed = true
      logger.error({ err: error, certain: this.isCertain }, 'could not reach the store to renew the ownership of shards')
      if (this.#owned.size === 0 && this.#lastBeatAt === -Infinity) throw error
      return
    }
    this.#lastBeatFailed = false
    const wasAway = sentAt - this.#lastBeatAt > this.#options.leaseMs * CERTAIN_SHARE
    // A node that has just been started was not away.
    if (wasAway && this.#lastBeatAt !== -Infinity) this.#doubtUntil = sentAt + this.#options.leaseMs
    this.#firstBeatAt = Math.min(this.#firstBeatAt, sentAt)
    this.#lastBeatAt = sentAt
    this.#dropWhatIsLost()
    this.#watchForImpostors()
    const living = this.#state.nodes.filter((row) => this.#isAlive(row))
    // One that is leaving gets nothing more, and keeps what it has until it has let go of it.
    const staying = living.filter(({ leaving }) => !leaving)
    const desired = assignShards(store.capabilities.shards, staying.map((row) => row.node))
    await Promise.all([this.#claimMissing(desired, new Set(living.map((row) => row.node))), this.#handOver(desired)])
  }

  #dropWhatIsLost(): void {
    for (const { shard, epoch } of this.#state.shards) if ((this.#owned.get(shard) ?? epoch) < epoch) this.lost(shard)
  }

  #isAlive({ node, silentMs }: NodeRow): boolean {
    return node === this.#options.node || silentMs <= this.#options.leaseMs
  }

  /** After a trouble of the database everybody has been silent: nothing changes hands until those that live can have beaten. */
  get #isInDoubt(): boolean {
    return this.#options.clock.monotonic() < this.#doubtUntil
  }

  /** Two nodes with one address: what is sent to one arrives at the other. A predecessor here has beaten its last before we began. */
  #watchForImpostors(): void {
    const address = this.#options.address()
    if (address === null) return
    for (const row of this.#state.nodes) {
      const isHere = row.node !== this.#options.node && row.address === address && !row.leaving
      if (!isHere || row.silentMs >= this.#lastBeatAt - this.#firstBeatAt || this.#impostors.has(row.node)) continue
      this.#impostors.add(row.node)
      this.#options.logger.error({ address, other: row.node }, 'another node has the same address: give each its own NODE_URL')
    }
  }

  async #claimMissing(desired: readonly string[], living: ReadonlySet<string>): Promise<void> {
    const { node, store } = this.#options
    const rows = new Map(this.#state.shards.map((row) => [row.shard, row]))
    const wanted = desired.flatMap((owner, shard) => (owner === node && !this.#owned.has(shard as ShardId) ? [shard as ShardId] : []))
    await Promise.all(
      wanted.map(async (shard) => {
        const row = rows.get(shard)
        const isFree = row === undefined || row.owner === null || row.owner === node || (!living.has(row.owner) && !this.#isInDoubt)
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

  /** Shards that another living node should have; all of them when leaving. Its next owner hears of each as soon as it is free. */
  async #handOver(desired: readonly string[]): Promise<void> {
    const leaving = [...this.#owned].filter(([shard]) => this.#leaving || (this.#isOthers(desired[shard]) && !this.#isInDoubt))
    const told = new Set<string>()
    await Promise.all(
      leaving.map(async ([shard, epoch]) => {
        this.#owned.delete(shard)
        await this.#options.close(shard, this.#isOthers(desired[shard]))
        await this.#release(shard, epoch)
        const address = this.#state.nodes.find(({ node }) => node === desired[shard])?.address
        if (address === undefined || address === null || told.has(address)) return
        // Shards that become free in the same moment are told about once.
        told.add(address)
        setImmediate(() => {
          told.delete(address)
          this.#options.notify(address)
        })
      }),
    )
  }

  #isOthers(owner: string | undefined): boolean {
    return owner !== undefined && owner !== this.#options.node
  }

  async #release(shard: ShardId, epoch: Epoch): Promise<void> {
    // A store that is away would only keep a stop waiting.
    if (this.#lastBeatFailed) return
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
