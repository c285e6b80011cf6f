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
import { AFTER_ALL, digits } from '../keyed/sort-keys.ts'
import type { Range } from '../keyed/sort-keys.ts'
import type { Key } from './items.ts'

export const DUE_INDEX = 'due'
/** When the time to live removes an item, in seconds: nodes that were not seen for a long time, and finished timers. */
export const EXPIRY = 'expires'
export const CLUSTER = 'cluster'
export const FENCE = 'fence'
export const SETTINGS = 'store/settings'
export const PING = 'store/ping'

export function keyOf(partition: string, sort: string): Key {
  return { pk: partition, sk: sort }
}

export function partitionOf(shard: ShardId): string {
  return `shard/${shard}`
}

export function timerKey(shard: ShardId, uuid: TimerUuid): Key {
  return keyOf(partitionOf(shard), `timer/${uuid}`)
}

/** Of the pieces of its payload. */
export function pieceKeys(shard: ShardId, uuid: TimerUuid, count: number): Key[] {
  return Array.from({ length: count }, (_, n) => keyOf(partitionOf(shard), `payload/${uuid}/${n}`))
}

export function nodeSort(node: string): string {
  return `node/${node}`
}

export function shardSort(shard: ShardId): string {
  return `shard/${digits(shard)}`
}

export const NODES_AND_SHARDS: Range = { from: 'node/', to: `shard/${AFTER_ALL}` }
export const SHARDS: Range = { from: 'shard/', to: `shard/${AFTER_ALL}` }
