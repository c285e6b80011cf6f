// The keys of the one table. A shard is a partition; what it has is told apart by the beginning of the sort key, so that
// each kind can be read in its order. Live and finished timers are ordered by an index of their own, `due`, which other
// items are not in. What belongs to no shard is in the partition `cluster`.
//
//   shard/<shard>  fence                                        who may write, and the number of the last commit
//                  timer/<uuid>                                 due: <2 live, 3 finished>/<wake time>/<uuid>
//                  payload/<uuid>/<n>                           pieces of a payload that is too large for one item
//                  count/<slot + 1>/<namespace>/<group>         counters
//                  event/<number>                               the outbox
//   cluster        node/<node>, shard/<shard>, store/settings, store/ping

import type { ShardId, TimerUuid } from '../../core/timer/timer.ts'
import type { Key } from './items.ts'

export const DUE_INDEX = 'due'
/** When the time to live removes an item, in seconds: nodes that were not seen for a long time, and finished timers. */
export const EXPIRY = 'expires'
const CLUSTER = 'cluster'

export function keyOf(shard: ShardId, sort: string): Key {
  return { pk: partitionOf(shard), sk: sort }
}

export function partitionOf(shard: ShardId | null): string {
  return shard === null ? CLUSTER : `shard/${shard}`
}

/** Of what belongs to no shard. */
export function clusterKey(sort: string): Key {
  return { pk: CLUSTER, sk: sort }
}

export function fenceKey(shard: ShardId): Key {
  return keyOf(shard, 'fence')
}

export function timerKey(shard: ShardId, uuid: TimerUuid): Key {
  return keyOf(shard, `timer/${uuid}`)
}

/** Of the pieces of its payload. */
export function pieceKeys({ pk, sk }: Key, count: number): Key[] {
  const uuid = sk.slice('timer/'.length)
  return Array.from({ length: count }, (_, n) => ({ pk, sk: `payload/${uuid}/${n}` }))
}
