// Shards that the store says are this node's and that are not open here. While a shard moves that is so for a moment. If it
// lasts, nobody fires the timers of the shard: the node that is named lives, so no other one takes it. Every beat mends
// it (claims.ts); this is what readiness and the metrics see if that does not help.

import type { Millis, ShardId } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'

export class UnopenedShards {
  readonly #clock: Clock
  /** Since when each has been seen to be so, by the monotonic clock. */
  #since: ReadonlyMap<ShardId, number> = new Map()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** These are unopened now. */
  look(unopened: readonly ShardId[]): void {
    const now = this.#clock.monotonic()
    this.#since = new Map(unopened.map((shard) => [shard, this.#since.get(shard) ?? now]))
  }

  get count(): number {
    return this.#since.size
  }

  /** For how long the first of them has been so; 0 when there is none. */
  get longestMs(): Millis {
    return this.count === 0 ? 0 : this.#clock.monotonic() - Math.min(...this.#since.values())
  }
}
