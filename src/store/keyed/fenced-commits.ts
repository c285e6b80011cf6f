// Commits for engines that change one partition atomically, under conditions. A part is one such write, and every one changes the
// shard's fence: it counts commits, on the condition that owner, epoch and count are the expected ones. So commits of a shard
// come one after the other; one that got lost on its way can never be done after a later one; and one whose answer was lost is
// recognised by its name, which the fence keeps, when it is sent again.

import { randomUUID } from 'node:crypto'
import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import type { RowsInTheWay } from './rows-in-the-way.ts'
import { ShardTurns } from './shard-turns.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, OwnedShard, PartResult } from '../store.ts'

/** `number`: of the last commit. `name`: its name. */
export type Fence = {
  readonly epoch: Epoch
  readonly owner: string | null
  readonly number: number
  readonly name: string | null
}

/** `fence`: of a refused write, as it is now; the rows in the way count if it is the expected one. */
export type Outcome<F extends Fence> =
  | { readonly type: 'written'; readonly fence: F }
  | { readonly type: 'refused'; readonly fence: F | null; readonly rows: RowsInTheWay }

/** `F`: the fence, and whatever else an engine knows of a shard as long as it alone writes it. */
export interface FencedShards<F extends Fence> {
  /** As it is when everything that was accepted so far has been done. Null for a shard that was never claimed. */
  readFence(shard: ShardId): Promise<F | null>
  write(part: CommitPart, before: F, commit: Pick<Fence, 'number'> & { readonly name: string }): Promise<Outcome<F>>
}

const TRIES_MAX = 10
const WRITTEN: PartResult = { type: 'written' }
const FENCED: PartResult = { type: 'fenced' }

export class FencedCommits<F extends Fence> {
  readonly #shards: FencedShards<F>
  readonly #turns = new ShardTurns()
  /** After the last commit, where that is known. */
  readonly #known = new Map<ShardId, F>()

  constructor(shards: FencedShards<F>) {
    this.#shards = shards
  }

  commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    return this.#turns.commit(parts, (part) => this.#write(part))
  }

  /** Between commits of the shard. */
  take<T>(shard: ShardId, work: (known: F | undefined) => Promise<T>): Promise<T> {
    return this.#turns.take(shard, () => work(this.#known.get(shard)))
  }

  async #write(part: CommitPart): Promise<PartResult> {
    const { shard } = part
    const name = randomUUID()
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const known = this.#known.get(shard)
      // Known again when the write has been answered.
      this.#known.delete(shard)
      const fence = isOwned(known, part) ? known : await this.#shards.readFence(shard)
      if (!isOwned(fence, part)) return FENCED
      const outcome = await this.#shards.write(part, fence, { number: fence.number + 1, name })
      if (outcome.type === 'written') {
        this.#known.set(shard, outcome.fence)
        return WRITTEN
      }
      const { fence: now, rows } = outcome
      if (now?.name === name) return WRITTEN
      if (!isOwned(now, part)) return FENCED
      if (now.number !== fence.number || rows.size === 0) continue
      this.#known.set(shard, fence)
      return { type: 'missed', rows }
    }
    throw new StoreError(`shard ${shard} is written to by too many others at once`)
  }
}

export function isOwned<F extends Omit<Fence, 'name'>>(
  fence: F | null | undefined,
  { epoch, owner }: OwnedShard,
): fence is F {
  return fence?.epoch === epoch && fence.owner === owner
}
