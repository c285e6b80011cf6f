// The commit log of a shard, of length one: its document has the fence (epoch, owner), the number of the last commit, and that
// commit's entry. Writing number n + 1 on the condition that fence and number are the expected ones is the one atomic step: from
// then on the commit has happened, or nothing of it ever will. The rows follow from the entry. They are written before the answer
// goes out, and before the next entry takes the place of this one; whoever owns the shard next does it again first.
//
// Every write of an entry is guarded by its number, so that it may be done twice, by two nodes at once, and late: what has this
// number or a later one is left alone. What is deleted stays as a tombstone with its number for a while, so that nobody who is
// late puts it back.
//
// Conditions on versions are judged when the entry is there, on rows that are as the commit before left them, or as this one
// does: everybody who judges comes to the same end. An entry whose conditions are not met is void.

import type { ShardId, TimerUuid } from '../../core/timer/timer.ts'
import { shardSort } from '../keyed/cluster-items.ts'
import { counterGroups } from '../keyed/counter-groups.ts'
import type { CounterGroup } from '../keyed/counter-groups.ts'
import { eventItems } from '../keyed/keyed-engine.ts'
import { dueSort } from '../keyed/sort-keys.ts'
import { timerFields } from '../keyed/timer-fields.ts'
import type { Item } from '../keyed/timer-fields.ts'
import type { CommitPart } from '../store.ts'
import { itemKey } from './documents.ts'
import type { Doc, Update } from './documents.ts'

/** `expect`: the version that must be there; null: none may be. */
type Condition = { readonly uuid: TimerUuid; readonly expect: number | null }
type Entry = {
  /** The name of the commit, by which its sender recognises it. */
  readonly by: string
  readonly puts: readonly (Condition & { readonly fields: Item })[]
  readonly deletes: readonly Condition[]
  readonly counters: readonly CounterGroup[]
  readonly events: readonly { readonly sort: string; readonly fields: Item }[]
}
/** An entry with its place. */
export type LogRecord = { readonly shard: ShardId; readonly number: number; readonly entry: Entry }
/** `overtaken`: a later commit has changed rows of this one, so somebody else has seen to it. */
export type Verdict =
  | { readonly type: 'valid' }
  | { readonly type: 'overtaken' }
  | { readonly type: 'void'; readonly inTheWay: readonly TimerUuid[] }

const VALID: Verdict = { type: 'valid' }
const OVERTAKEN: Verdict = { type: 'overtaken' }
/** What a verdict needs of a row. */
export const JUDGED_FIELDS = { s: 1, n: 1, k: 1, v: 1, ns: 1, id: 1 }

export function recordOf(part: CommitPart, number: number, by: string): LogRecord {
  const puts = part.puts.map(({ before, after }) => {
    const fields = { k: dueSort(after), ...timerFields(after) }
    return { uuid: after.uuid, expect: before?.version ?? null, fields }
  })
  const deletes = part.deletes.map(({ uuid, version }) => ({ uuid, expect: version }))
  const counters = counterGroups(part.counters)
  return { shard: part.shard, number, entry: { by, puts, deletes, counters, events: eventItems(part, number) } }
}

/** The last one of a shard; null when there was none yet. */
export function lastRecord(shard: ShardId, doc: Doc): LogRecord | null {
  const entry = doc['entry'] as Entry | undefined
  return entry === undefined ? null : { shard, number: doc['number'] as number, entry }
}

export function appending({ shard, number, entry }: LogRecord, { epoch, owner }: CommitPart): Update {
  const q = { _id: shardSort(shard), epoch, who: owner, number: number - 1 }
  return { q, u: { $set: { number, entry } }, upsert: true }
}

export function conditionsOf({ entry }: LogRecord): readonly Condition[] {
  return [...entry.puts, ...entry.deletes]
}

export function verdictOn(record: LogRecord, rows: ReadonlyMap<string, Doc>): Verdict {
  const inTheWay: TimerUuid[] = []
  let isBegun = false
  for (const condition of conditionsOf(record)) {
    const row = rows.get(condition.uuid)
    const writtenBy = row?.['s'] === record.shard ? (row['n'] as number) : -1
    if (writtenBy > record.number) return OVERTAKEN
    if (writtenBy === record.number) isBegun = true
    else if (!isMet(condition, record.shard, row)) inTheWay.push(condition.uuid)
  }
  return isBegun || inTheWay.length === 0 ? VALID : { type: 'void', inTheWay }
}

/** A uuid is a hash: the row must be that of the same timer, too. */
function isMet(condition: Condition & { readonly fields?: Item }, shard: ShardId, row: Doc | undefined): boolean {
  if (row === undefined || isTombstone(row)) return condition.expect === null
  const { fields } = condition
  const isSame = fields === undefined || (row['ns'] === fields['ns'] && row['id'] === fields['id'])
  return row['s'] === shard && row['v'] === condition.expect && isSame
}

export function isTombstone(row: Doc): boolean {
  return row['k'] === undefined
}

/** All that it writes. `gone`: when tombstones are removed. */
export function writesOf({ shard: s, number: n, entry }: LogRecord, gone: Date): Update[] {
  const guarded = (_id: string) => ({ _id, s, n: { $lt: n } })
  return [
    ...entry.puts.map(({ uuid, expect, fields }) => {
      return { q: guarded(uuid), u: { s, n, ...fields }, upsert: expect === null }
    }),
    ...entry.deletes.map(({ uuid }) => ({ q: guarded(uuid), u: { s, n, gone } })),
    ...entry.counters.map(({ sort: k, ns, slot, amounts }) => {
      const u = { $set: { n, k, ns, slot }, $inc: Object.fromEntries(amounts) }
      return { q: guarded(itemKey(s, k)), u, upsert: true }
    }),
    ...entry.events.map(({ sort: k, fields }) => {
      return { q: { _id: itemKey(s, k), s }, u: { $setOnInsert: { n, k, ...fields } }, upsert: true }
    }),
  ]
}
