// Sort keys: texts that are ordered as a shard's contents are, for engines that read a range of keys in order and know no
// columns. What a shard has is told apart by the beginning of the key.
//
//   <2 live, 3 finished>/<wake time>/<uuid>      a timer, or its place in the due order
//   timer/<uuid>                                 a timer, where its place is beside it
//   count/<slot + 1>/<namespace>/<group>         counters
//   event/<number>                               the outbox

import type { OrderKey } from '../../core/timer/order.ts'
import type { Millis, TimerUuid } from '../../core/timer/timer.ts'
import { RowType } from '../row/columns.ts'
import { rowTypeOf } from '../row/timer-row.ts'
import type { CommitPart } from '../store.ts'

/** Greater than every key that goes on with hex digits or numbers. */
export const AFTER_ALL = '~'
const DIGITS = 16 // of the greatest safe integer
const UUID_CHARS = 32
const UUIDS = 1n << 128n

/** Both ends are included. */
export type Range = { readonly from: string; readonly to: string }

export function dueSort(timer: OrderKey & Parameters<typeof rowTypeOf>[0]): string {
  return dueKey(timer, rowTypeOf(timer))
}

/** What a part adds to the due order, and what it takes away, for engines that keep the order beside the timers. */
export function movesOf({ puts, deletes }: CommitPart) {
  const moved = puts
    .map(({ before, after }) => ({ from: before && dueSort(before), to: dueSort(after) }))
    .filter(({ from, to }) => from !== to)
  const added = moved.map(({ to }) => to)
  return { added, removed: [...deletes.map(dueSort), ...moved.flatMap(({ from }) => from ?? [])] }
}

function dueKey({ wakeAt, uuid }: OrderKey, rowType: number): string {
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
    from: after === null ? `${rowType}/` : `${dueKey(after, rowType)}!`,
    to: `${rowType}/${digits(until)}/${AFTER_ALL}`,
  }
}

/**
 * The key that lies 2^size behind this one, and never behind `last`. Two numbers (wake times, or those of events) are 2^128 apart,
 * since there are as many uuids between them.
 */
export function keyBehind(key: string, size: number, last: string): string {
  const [, run, number, uuid] = /^([^/]*\/)(\d*)\/?([\da-f]{0,32})/.exec(key)!
  const at = BigInt(number!) * UUIDS + BigInt(`0x${uuid!.padEnd(UUID_CHARS, '0')}`) + (1n << BigInt(size))
  if (at / UUIDS > Number.MAX_SAFE_INTEGER) return last
  const behind = `${run}${digits(Number(at / UUIDS))}/${(at % UUIDS).toString(16).padStart(UUID_CHARS, '0')}`
  return behind > key && behind < last ? behind : last
}

export function timerSort(uuid: TimerUuid): string {
  return `timer/${uuid}`
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

export function digits(number: number): string {
  return String(number).padStart(DIGITS, '0')
}
