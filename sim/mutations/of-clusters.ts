// Bugs in leases, ownership and handover.

import type { Mutation } from './mutation.ts'

export const MUTATIONS_OF_CLUSTERS: readonly Mutation[] = [
  {
    name: 'the lease is measured by the wall clock',
    promise: 'final',
    changes: [
      { file: 'src/engine/cluster/lease.ts', from: 'return this.#clock.elapsed()', to: 'return this.#clock.now()' },
    ],
  },
  {
    name: 'the lease does not run while the machine is suspended',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/lease.ts',
        from: 'return this.#clock.elapsed()',
        to: 'return this.#clock.monotonic()',
      },
    ],
  },
  {
    name: 'the lease never ends',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/lease.ts',
        from: 'return this.now() - this.#lastBeatAt < this.#leaseMs * CERTAIN_SHARE',
        to: 'return this.hasBeaten',
      },
    ],
  },
  {
    name: 'a node is taken for dead after a third of the lease',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/beat-watch.ts',
        from: 'this.#lookedAt - sighting.sinceMono >= this.#leaseMs',
        to: 'this.#lookedAt - sighting.sinceMono >= this.#leaseMs / 3',
      },
    ],
  },
  {
    name: 'a node that comes back keeps what others have taken',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/claims.ts',
        from: 'if (!isStillOurs) this.lost(shard, epoch)',
        to: 'void isStillOurs',
      },
    ],
  },
  {
    name: 'a node that was away goes on with what it has in memory',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/ownership.ts',
        from: 'if (this.#lease.wasAway(sentAt) &&',
        to: 'if (sentAt < 0 &&',
      },
    ],
  },
  {
    name: 'a claim does not raise the epoch',
    promise: 'durable',
    changes: [
      {
        file: 'src/store/store.ts',
        from: 'return (Math.max(expected, above) + 1) as Epoch',
        to: 'return Math.max(expected, above, 1) as Epoch',
      },
    ],
  },
  {
    name: 'a node alone starts without its timers when its claim fails',
    promise: 'live',
    changes: [{ file: 'src/engine/cluster/claims.ts', from: 'if (!store.capabilities.shared) throw error', to: '' }],
  },
  {
    name: 'a shard that was given away is never taken back (#going is not cleared)',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/cluster/claims.ts',
        from: 'this.#going.delete(shard)\n    this.#stayed.set(shard, handover)',
        to: 'this.#stayed.set(shard, handover)',
      },
      { file: 'src/engine/cluster/claims.ts', from: 'this.#going.delete(shard)\n  }', to: '}' },
    ],
  },
  {
    name: 'shards of dead nodes are not claimed',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/cluster/ownership.ts',
        from: 'return this.#watch.isSilent(holder) && !this.#lease.isInDoubt',
        to: 'return false',
      },
    ],
  },
  {
    name: 'a node that failed to beat does not beat again',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/cluster/ownership.ts',
        from: 'void this.lookNow().finally(() => this.#beatLater())',
        to: 'void this.lookNow().finally(() => { if (!this.#lease.lastBeatFailed) this.#beatLater() })',
      },
    ],
  },
  {
    name: 'a handover forgets the deliveries under way',
    promise: 'once',
    changes: [
      {
        file: 'src/engine/delivery/handed-over-deliveries.ts',
        from: 'return [...own, ...this.#remote.list()]',
        to: 'return own.slice(own.length)',
      },
    ],
  },
  {
    name: 'the outcome of a delivery that another node makes is dropped',
    promise: 'once',
    changes: [
      {
        file: 'src/engine/delivery/remote-deliveries.ts',
        from: 'if (ended !== null) await this.#settle(delivery, ended)',
        to: 'if (ended === null) await this.#settle(delivery, ended!)',
      },
    ],
  },
  {
    name: 'timers that another node delivers are held for ever when it dies',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/delivery/remote-deliveries.ts',
        from: 'if (isGone || now >= untilMono) this.#end(delivery)',
        to: 'if (isGone && now < untilMono - 1e9) this.#end(delivery)',
      },
    ],
  },
]
