// A node takes or gives up many shards at once, when nodes come and go. Each would be a transaction of its own that waits
// for the disk; what is asked for in the same turn of the event loop goes into one.

import type { Epoch, ShardId } from '../../../core/timer/timer.ts'
import type { OwnedShard, ShardClaim } from '../../store.ts'

type Waiting<T> = {
  readonly asked: T
  readonly resolve: (epoch: Epoch | null) => void
  readonly reject: (error: unknown) => void
}

/** Shards come in their order, in which commits lock their rows, too: so nobody waits in a circle. */
export type Ownership = {
  /** All for the same owner, each shard once. Answers with those that were claimed. */
  readonly claimAll: (claims: readonly ShardClaim[]) => Promise<ReadonlyMap<ShardId, Epoch>>
  readonly releaseAll: (owned: readonly OwnedShard[]) => Promise<unknown>
}

export class GatheredClaims {
  readonly #ownership: Ownership
  #claims: Waiting<ShardClaim>[] = []
  #releases: Waiting<OwnedShard>[] = []

  constructor(ownership: Ownership) {
    this.#ownership = ownership
  }

  claim(asked: ShardClaim): Promise<Epoch | null> {
    return new Promise((resolve, reject) => {
      // The first one of a turn sees to all of them.
      if (this.#claims.push({ asked, resolve, reject }) === 1) setImmediate(() => void this.#claimAll())
    })
  }

  async release(asked: OwnedShard): Promise<void> {
    await new Promise((resolve, reject) => {
      if (this.#releases.push({ asked, resolve, reject }) === 1) setImmediate(() => void this.#releaseAll())
    })
  }

  async #claimAll(): Promise<void> {
    const owner = this.#claims[0]!.asked.owner
    const shards = new Set<ShardId>()
    // A process is one node. Should somebody claim in two names, or a shard twice, each has its own turn.
    const waiting = this.#claims.filter(
      ({ asked }) => asked.owner === owner && shards.size < shards.add(asked.shard).size,
    )
    this.#claims = this.#claims.filter((one) => !waiting.includes(one))
    if (this.#claims.length > 0) setImmediate(() => void this.#claimAll())
    try {
      const epochs = await this.#ownership.claimAll(inOrder(waiting))
      for (const { asked, resolve } of waiting) resolve(epochs.get(asked.shard) ?? null)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }

  async #releaseAll(): Promise<void> {
    const waiting = this.#releases
    this.#releases = []
    try {
      await this.#ownership.releaseAll(inOrder(waiting))
      for (const { resolve } of waiting) resolve(null)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}

function inOrder<T extends { readonly shard: ShardId }>(waiting: readonly Waiting<T>[]): T[] {
  return waiting.map(({ asked }) => asked).toSorted((a, b) => a.shard - b.shard)
}
