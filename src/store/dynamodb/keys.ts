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

import type { OrderKey } from '../../core/timer/order.ts'
import type { Millis, ShardId, TimerUuid } from '../../core/timer/timer.ts'
import { RowType } from '../row/columns.ts'
import type { Key } from './items.ts'

export const DUE_INDEX = 'due'
export const CLUSTER = 'cluster'
export const FENCE = 'fence'
export const SETTINGS = 'store/settings'
export const PING = 'store/ping'

/** Greater than every key that goes on with hex digits or numbers. */
const AFTER_ALL = '~'
const DIGITS = 16 // of the greatest safe integer

export type Range = { readonly from: string; readonly to: string }

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

export function dueSort({ wakeAt, uuid }: OrderKey, rowType: number): string {
  return `${rowType}/${digits(wakeAt)}/${uuid}`
}

/** Row type, wake time and uuid of a timer. */
export function dueCells(due: string): [rowType: number, wakeAt: Millis, uuid: TimerUuid] {
  const [rowType, wakeAt, uuid] = due.split('/')
  return [Number(rowType), Number(wakeAt), uuid as TimerUuid]
}

/** From behind `after` to `until`, which is included. */
export function dueRange(finished: boolean, after: OrderKey | null, until: Millis): Range {
  const rowType = finished ? RowType.finished : RowType.live
  return {
    from: after === null ? `${rowType}/` : `${dueSort(after, rowType)}!`,
    to: `${rowType}/${digits(until)}/${AFTER_ALL}`,
  }
}

export function countSort(slotAt: Millis, namespace: string, group: string): string {
  return `count/${digits(slotAt + 1)}/${namespace}/${group}`
}

/** Both slots are included. */
export function countRange(from: Millis, to: Millis): Range {
  return { from: `count/${digits(from + 1)}/`, to: `count/${digits(to + 1)}/${AFTER_ALL}` }
}

export function eventSort(number: number): string {
  return `event/${digits(number)}`
}

export function eventNumber(sort: string): number {
  return Number(sort.slice('event/'.length))
}

export function eventsAfter(number: number): Range {
  return { from: eventSort(number + 1), to: `event/${AFTER_ALL}` }
}

export function nodeSort(node: string): string {
  return `node/${node}`
}

export function shardSort(shard: ShardId): string {
  return `shard/${digits(shard)}`
}

export const NODES_AND_SHARDS: Range = { from: 'node/', to: `shard/${AFTER_ALL}` }
export const SHARDS: Range = { from: 'shard/', to: `shard/${AFTER_ALL}` }

function digits(number: number): string {
  return String(number).padStart(DIGITS, '0')
}
