// Parts of a commit that a store writes each by itself: those of different shards at once, those of one shard in the order of
// the calls. One that fails does not take the others with it.

import type { ShardId } from '../../core/timer/timer.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, PartResult } from '../store.ts'

export class ShardTurns {
  /** The end of what was last called, by shard. */
  readonly #tails = new Map<ShardId, Promise<unknown>>()

  /** After everything that was called for this shard before, whatever became of it. */
  take<T>(shard: ShardId, work: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(shard) ?? Promise.resolve()).then(work)
    this.#tails.set(
      shard,
      result.catch(() => {}),
    )
    return result
  }

  async commit(
    parts: readonly CommitPart[],
    write: (part: CommitPart) => Promise<PartResult>,
  ): Promise<readonly PartResult[]> {
    const ends = await Promise.allSettled(parts.map((part) => this.take(part.shard, () => write(part))))
    const failed = ends.filter((end) => end.status === 'rejected')
    if (failed.length > 0 && failed.length === ends.length) throw failed[0]!.reason
    return ends.map((end) =>
      end.status === 'fulfilled' ? end.value : { type: 'failed', error: asStoreError(end.reason) },
    )
  }
}

/** An error that nobody foresaw may have come at any time. */
export function asStoreError(error: unknown): StoreError {
  return error instanceof StoreError ? error : new StoreError(String(error), { outcomeUnknown: true, cause: error })
}
