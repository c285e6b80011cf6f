// What a commit of some changes is: the rows to write and, added up once for all stores, what they add to counters. A timer
// counts for its status and kind as long as its row is there; what happened to it is tallied in the slot of its time and,
// for all time, in the standing slot. And what a part of a commit comes to, for stores that look before they write.

import type { LifecycleEvent } from '../core/events/lifecycle-event.ts'
import { addTallies, STANDING } from '../core/statistics/tallies.ts'
import type { AddTally } from '../core/statistics/tallies.ts'
import { isInternal, isSameTimer } from '../core/timer/ids.ts'
import type { Timer, TimerUuid } from '../core/timer/timer.ts'
import { kindOf } from '../core/timer/timer-kind.ts'
import { CounterSums } from './counter-sums.ts'
import { countName, COUNTS } from './counters.ts'
import type { CommitPart, OwnedShard, PartMax, PartResult, Put, ShardRow, StoredRow } from './store.ts'

/** One change of one timer, as the owner of its shard wants it. */
export type Change = Put & { readonly events?: readonly LifecycleEvent[] }

const NOTHING: readonly never[] = []

export function partOf(fence: OwnedShard, changes: readonly Change[]): CommitPart {
  const sums = new CounterSums()
  const add: AddTally = (name, slotAt, amount) => {
    sums.addHere(STANDING, name, amount)
    if (slotAt !== STANDING) sums.addHere(slotAt, name, amount)
  }
  let events: LifecycleEvent[] | null = null
  for (const { before, after, events: added } of changes) {
    if (!isInternal(after.namespace)) {
      sums.turnTo(after.namespace)
      addMove(sums, before, after)
      addTallies(before, after, add)
    }
    if (added !== undefined) (events ??= []).push(...added)
  }
  return { ...fence, puts: changes, deletes: NOTHING, counters: sums.counters(), events: events ?? NOTHING }
}

/** Rows that come from another store: what happened to them was tallied there, and only how things are now is tallied here. */
export function importedPart(fence: OwnedShard, puts: readonly Put[]): CommitPart {
  const sums = new CounterSums()
  const add: AddTally = (name, slotAt, amount) => {
    if (slotAt === STANDING) sums.addHere(STANDING, name, amount)
  }
  for (const { before, after } of puts) {
    if (isInternal(after.namespace)) continue
    sums.turnTo(after.namespace)
    addMove(sums, before, after)
    addTallies(before, after, add)
  }
  return { ...fence, puts, deletes: NOTHING, counters: sums.counters(), events: NOTHING }
}

/** Finished timers stand for nothing but their count. */
export function deletingPart(fence: OwnedShard, deletes: readonly StoredRow[]): CommitPart {
  const sums = new CounterSums()
  for (const { namespace, status, kind } of deletes)
    sums.add({ namespace, slotAt: COUNTS, name: countName(status, kind), amount: -1 })
  return { ...fence, puts: NOTHING, deletes, counters: sums.counters(), events: NOTHING }
}

/** As few parts as it takes, each within what a store can write at once; a single member that is larger goes alone. */
export function partsWithin<Member>(
  max: PartMax | undefined,
  members: readonly Member[],
  make: (members: readonly Member[]) => CommitPart,
): { readonly members: readonly Member[]; readonly part: CommitPart }[] {
  const part = make(members)
  if (max === undefined || members.length <= 1 || fits(part, max)) return [{ members, part }]
  const half = Math.ceil(members.length / 2)
  return [members.slice(0, half), members.slice(half)].flatMap((some) => partsWithin(max, some, make))
}

function fits(part: CommitPart, { items, bytes }: PartMax): boolean {
  const { puts, deletes, counters, events } = part
  return puts.length + deletes.length + counters.length + events.length <= items && partBytes(part) <= bytes
}

const ROW_BYTES = 1_000 // what is not a long text of a row, or of the change of a counter

/** About: what is read again to be taken away counts like what is written. */
export function partBytes({ puts, deletes, counters, events }: CommitPart): number {
  let bytes = (puts.length + deletes.length + counters.length) * ROW_BYTES
  for (const { before, after } of puts) {
    bytes += textBytes(after)
    if (before !== null && before.payload !== after.payload) bytes += Buffer.byteLength(before.payload ?? '')
  }
  for (const { body } of events) bytes += ROW_BYTES + Buffer.byteLength(body)
  return bytes
}

function textBytes({ id, payload, metadata, target, lastError, attemptLog }: Timer): number {
  const headers = 'headers' in target && target.headers !== null ? JSON.stringify(target.headers) : ''
  const log = attemptLog.length * ROW_BYTES
  return (
    Buffer.byteLength(`${id}${metadata ?? ''}${lastError ?? ''}${headers}`) + Buffer.byteLength(payload ?? '') + log
  )
}

function addMove(sums: CounterSums, before: Timer | null, after: Timer): void {
  const was = before === null ? null : countName(before.status, kindOf(before))
  const is = countName(after.status, kindOf(after))
  if (was === is) return
  if (was !== null) sums.addHere(COUNTS, was, -1)
  sums.addHere(COUNTS, is, 1)
}

export type PlacedTimer = { readonly shard: number; readonly timer: Timer }

const WRITTEN: PartResult = { type: 'written' }
const FENCED: PartResult = { type: 'fenced' }

/** `written` when it can be. The owner of one shard cannot change a row of another. */
export function judgedPart(
  part: CommitPart,
  fence: Omit<ShardRow, 'shard'> | undefined,
  rowOf: (uuid: TimerUuid) => PlacedTimer | undefined,
): PartResult {
  if (fence?.epoch !== part.epoch || fence.owner !== part.owner) return FENCED
  const inTheWay = new Map<TimerUuid, Timer | null>()
  const expect = (uuid: TimerUuid, version: number | null): void => {
    const row = rowOf(uuid)
    const isMet = row === undefined ? version === null : row.shard === part.shard && row.timer.version === version
    if (!isMet) inTheWay.set(uuid, row?.timer ?? null)
  }
  for (const { before, after } of part.puts) {
    const row = rowOf(after.uuid)?.timer
    if (row === undefined || isSameTimer(row, after)) expect(after.uuid, before?.version ?? null)
    else inTheWay.set(after.uuid, row)
  }
  for (const { uuid, version } of part.deletes) expect(uuid, version)
  return inTheWay.size === 0 ? WRITTEN : { type: 'missed', rows: inTheWay }
}
