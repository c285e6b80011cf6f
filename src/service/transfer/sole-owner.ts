// Owns every shard of a store for a while, so that nothing changes in it but what the owner changes. It claims what no
// living node owns and refuses to start beside one: whoever runs the service may not know that somebody imports. From
// then on it counts as a living node, so nodes that start meanwhile leave it its shards and wait. If it is taken for
// dead all the same, its commits are refused by their fences, as those of any node are.

import { shardsOf } from '../../core/cluster/layout.ts'
import type { Epoch, Millis, ShardId } from '../../core/timer/timer.ts'
import { BeatWatch } from '../../engine/cluster/beat-watch.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import { clusterLook, readLayout } from '../../store/layout/layout-row.ts'
import type { ClusterLook, StoredLayout } from '../../store/layout/layout-row.ts'
import type { ClusterState, NodeRow, OwnedShard, Store } from '../../store/store.ts'
import type { Stillness } from './export-progress.ts'
import { NodeServesError, TransferError } from './transfer-error.ts'

export type SoleOwnerOptions = {
  readonly store: Store
  readonly clock: Clock
  /** As the nodes have it: one that has been silent for longer is gone. */
  readonly leaseMs: Millis
  /** Names this run of this process in the store. */
  readonly node: string
  /** It goes on with a reshard that was begun; everybody else refuses to touch the timers then. */
  readonly resharding?: boolean
}

const UNFINISHED = 'A reshard of this database was begun and is not finished: run `duetime reshard` to finish it first'
const BEATS_PER_LEASE = 5

export class SoleOwner {
  readonly #options: SoleOwnerOptions
  readonly #epochs = new Map<ShardId, Epoch>()
  readonly #watch: BeatWatch
  #layout: StoredLayout | null = null
  #beats = 0
  #cancelBeat: Cancel | null = null
  #beating: Promise<void> = Promise.resolve()

  private constructor(options: SoleOwnerOptions) {
    this.#options = options
    this.#watch = new BeatWatch(options)
  }

  /** Waits for a node that may have died to be silent for the lease. Throws a TransferError when one is alive. */
  static async of(options: SoleOwnerOptions): Promise<SoleOwner> {
    const owner = new SoleOwner(options)
    const { shared } = options.store.capabilities
    // A store for one node lets nobody else open it.
    if (shared) await owner.#outwaitTheDead()
    try {
      if (shared) await owner.#beat(false)
      owner.#beatLater()
      await owner.#claimAll()
      return owner
    } catch (error) {
      await owner.release()
      throw error
    }
  }

  /** As it was when all shards were claimed. Nobody but an owner of all shards changes where timers are. */
  get layout(): StoredLayout {
    return this.#layout!
  }

  /** By which its commits are fenced. */
  fenceOf(shard: ShardId): OwnedShard {
    return { shard, epoch: this.#epochs.get(shard)!, owner: this.#options.node }
  }

  /** Only an owner writes, and every owner raises the epoch: one more than before means that nobody owned it in between. */
  stillness(): Stillness {
    const epochs = Array.from(this.#epochs.values(), Number)
    return { found: epochs.map((epoch) => epoch - 1).join(' '), left: epochs.join(' ') }
  }

  /** Nodes that wait find the shards free at their next beat. A store that fails now is left to the lease. */
  async release(): Promise<void> {
    this.#cancelBeat?.()
    await this.#beating
    const { store } = this.#options
    for (const shard of this.#epochs.keys()) await store.release(this.fenceOf(shard)).catch(() => {})
    this.#epochs.clear()
    if (store.capabilities.shared) await this.#beat(true).catch(() => {})
  }

  /**
   * While it only looks it counts as leaving: otherwise a cluster that is at work would hand it a share of its shards.
   * One whose beat changes is alive; the others are gone when the lease is over.
   */
  async #outwaitTheDead(): Promise<void> {
    const { clock, leaseMs } = this.#options
    for (;;) {
      const state = await this.#beat(true)
      this.#watch.look(state)
      const alive = this.#watch.living().find(({ leaving }) => !leaving)
      if (alive !== undefined) throw new NodeServesError(`${nameOf(alive)} serves this database: stop every node first`)
      if (!this.#watch.present().some((row) => !row.leaving || ownsAny(row, state))) return
      await sleep(clock, leaseMs / BEATS_PER_LEASE)
    }
  }

  async #claimAll(): Promise<void> {
    const { store } = this.#options
    this.#layout = await readLayout(store)
    if (this.#layout.next !== null && !this.#options.resharding) throw new TransferError(UNFINISHED)
    await this.claim(shardsOf(this.#layout))
  }

  /** More shards, which nobody has used yet. */
  async claim(shards: readonly ShardId[]): Promise<void> {
    const { store, node } = this.#options
    const rows = new Map((await store.shards()).map((row) => [row.shard, row]))
    for (const shard of shards) {
      if (this.#epochs.has(shard)) continue
      const { epoch: expected, owner: from } = rows.get(shard) ?? { epoch: 0 as Epoch, owner: null }
      const onlyIf = from !== null && store.capabilities.shared ? { ifBeat: this.#watch.beatOf(from) } : {}
      const epoch = await store.claim({ shard, expected, from, owner: node, ...onlyIf })
      if (epoch === null) throw new TransferError('a node has just begun to serve this database: stop every node first')
      this.#epochs.set(shard, epoch)
    }
  }

  async #beat(leaving: boolean): Promise<ClusterLook> {
    const { store, clock, node } = this.#options
    const state = await store.beat({ node, address: null, leaving, beat: ++this.#beats, now: clock.now() })
    return clusterLook(state, store.capabilities.shards)
  }

  #beatLater(): void {
    const { store, clock, leaseMs } = this.#options
    if (!store.capabilities.shared) return
    this.#cancelBeat = clock.after(leaseMs / BEATS_PER_LEASE, () => {
      // A beat that fails is the store's trouble; the next commit will say so.
      this.#beating = this.#beat(false).then(
        () => {},
        () => {},
      )
      this.#beatLater()
    })
  }
}

function ownsAny({ node }: NodeRow, { shards }: ClusterState): boolean {
  return shards.some(({ owner }) => owner === node)
}

function nameOf({ node, address }: NodeRow): string {
  return address === null ? `node ${node}` : `node ${node} at ${address}`
}
