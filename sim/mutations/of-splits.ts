// Bugs in shards that are split while nodes run.

import type { Mutation } from './mutation.ts'

export const MUTATIONS_OF_SPLITS: readonly Mutation[] = [
  {
    name: 'a shard counts as split before its timers have been moved',
    promise: 'lost',
    changes: [
      { file: 'src/engine/split/split-mover.ts', from: 'null }[] = everything()', to: 'null }[] = []' },
      { file: 'src/engine/split/split-mover.ts', from: 'if (!(await this.#isEmpty()))', to: 'if (false)' },
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
    name: 'what was in flight when a shard was split is never reported',
    promise: 'once',
    changes: [
      {
        file: 'src/engine/cluster/claims.ts',
        from: 'end: () => void (++ended === held.size && handover.end())',
        to: 'end: () => void ++ended',
      },
    ],
  },
]
