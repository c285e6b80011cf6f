// Bugs in shards that are split while nodes run.

import type { Mutation } from './mutation.ts'

export const MUTATIONS_OF_SPLITS: readonly Mutation[] = [
  {
    name: 'a shard counts as split before its timers have been moved',
    promise: 'lost',
    changes: [
      { file: 'src/engine/split/split-mover.ts', from: 'null }[] = everything()', to: 'null }[] = []' },
      {
        file: 'src/engine/split/split-mover.ts',
        from: 'const isEmpty = await isEmptyShard(',
        to: 'const isEmpty = [true, isEmptyShard][0] as boolean; void (',
      },
      {
        file: 'src/engine/cluster/layout/splits.ts',
        from: '(await isEmptyShard(this.#options.store, source)) ?',
        to: '[true, isEmptyShard][0] ?',
      },
    ],
  },
  {
    name: 'the parts of a shard are not told of the deliveries in flight',
    promise: 'once',
    changes: [
      {
        file: 'src/engine/cluster/claims.ts',
        from: '(inFlight ??= handover.deliveries()).filter((delivery) => partOf(delivery) === shard)',
        to: '((inFlight ??= handover.deliveries()), [])',
      },
    ],
  },
  {
    name: 'a timer is written to a part before it has been moved there',
    promise: 'counters',
    changes: [{ file: 'src/engine/split/split-shard.ts', from: 'await this.#bring(timer)', to: '' }],
  },
  {
    name: 'the owner of a shard that is being split looks for timers only where they were',
    promise: 'linear',
    changes: [
      {
        file: 'src/engine/split/split-shard.ts',
        from: 'for (const shard of [this.id, this.partOf(timer)])',
        to: 'for (const shard of [this.id])',
      },
    ],
  },
  {
    name: 'the owner of a shard that is being split looks for timers only where they are to be',
    promise: 'linear',
    changes: [
      {
        file: 'src/engine/split/split-shard.ts',
        from: 'for (const shard of [this.id, this.partOf(timer)])',
        to: 'for (const shard of [this.partOf(timer)])',
      },
    ],
  },
  {
    name: 'the owner of a shard that is being split looks for a timer where it moves to, and then where it comes from',
    promise: 'linear',
    changes: [
      {
        file: 'src/engine/split/split-shard.ts',
        from: 'for (const shard of [this.id, this.partOf(timer)])',
        to: 'for (const shard of [this.partOf(timer), this.id])',
      },
    ],
  },
  {
    name: 'nodes look for timers only where they were before the reshard',
    promise: 'linear',
    changes: [{ file: 'src/core/cluster/split.ts', from: 'next === shard ? [shard] : [shard, next]', to: '[shard]' }],
  },
  {
    name: 'who has lost a shard says that a timer is not there that was moved',
    promise: 'linear',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: 'if (row === null && this.#shard.stopped.aborted) throw notOwner()',
        to: '',
      },
    ],
  },
  {
    name: 'what was in flight when a shard was split is never reported',
    promise: 'once',
    changes: [
      {
        file: 'src/engine/cluster/claims.ts',
        from: 'end: () => void (++ended === parts.length && handover.end())',
        to: 'end: () => void ++ended',
      },
    ],
  },
]
