// What a store reads, for engines that keep the contents of a shard in the order of sort keys: due timers, expired ones,
// events, counters. Such an adapter brings one way to read a range of keys, and writes by itself.

import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import { shareGroupOf } from '../../core/timer/share-group.ts'
import { NEVER } from '../../core/timer/timer.ts'
import type { Millis, Namespace, ShardId, Timer } from '../../core/timer/timer.ts'
import { kindAt, statusOf } from '../row/codes.ts'
import type { ScannedEngine } from '../queries/scanned-store.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, ShardRow, StoredRow } from '../store.ts'
import { countersIn } from './counter-groups.ts'
import { countRange, dueCells, dueRange, eventNumber, eventsAfter, eventSort } from './sort-keys.ts'
import type { Range } from './sort-keys.ts'
import { STORED_ROW_FIELDS } from './timer-fields.ts'
import type { Item } from './timer-fields.ts'

export type KeyedItem = { readonly shard: ShardId; readonly sort: string; readonly fields: Item }
/** `limit`: of all items together. `fields`: only these are needed. */
export type ReadOptions = { readonly limit?: number; readonly fields?: readonly string[] }

export interface KeyedItems {
  shardRows(): Promise<readonly ShardRow[]>
  /** Items of one shard, in order, page by page. */
  pages(shard: ShardId, range: Range, options?: ReadOptions): AsyncIterable<readonly KeyedItem[]>
  /** Items of several shards; those of each in order. */
  all(shards: readonly ShardId[], range: Range, options?: ReadOptions): Promise<readonly KeyedItem[]>
  /** Null when it is gone by now. */
  timer(item: KeyedItem): Promise<Timer | null>
  /** Of expired timers, those that one commit can delete; one at least. Without it: all. */
  deletable?(items: readonly KeyedItem[]): readonly KeyedItem[]
  /** Counters or events. Those that are gone already do not matter. */
  remove(items: readonly Omit<KeyedItem, 'fields'>[]): Promise<void>
}

type Reads = Pick<
  ScannedEngine,
  'due' | 'dueShards' | 'expired' | 'forgetCounters' | 'readEvents' | 'removeEvents' | 'countEvents' | 'source'
>

const SLOTS_FORGOTTEN = 500 // at a time
const EVENTS_PER_COMMIT = 1_000 // their numbers are that of the commit and three digits

export function keyedReads(items: KeyedItems): Reads {
  const allShards = async () => (await items.shardRows()).map(({ shard }) => shard)
  const timersOf = async (found: readonly KeyedItem[]): Promise<Timer[]> =>
    (await Promise.all(found.map((item) => items.timer(item)))).filter((timer) => timer !== null)
  return {
    async due({ shard, after, until, limit, group, except = [] }) {
      const isMeant = (timer: Timer) =>
        (group === undefined || shareGroupOf(timer) === group) && !except.includes(shareGroupOf(timer))
      const isForAll = group === undefined && except.length === 0
      const found: Timer[] = []
      for await (const page of items.pages(shard, dueRange(false, after, until), isForAll ? { limit } : {})) {
        found.push(...(await timersOf(page)).filter(isMeant))
        if (found.length >= limit) break
      }
      return found.slice(0, limit)
    },

    async dueShards({ shards, until }) {
      const first = { limit: 1, fields: [] }
      const looks = shards.map((shard) => items.all([shard], dueRange(false, null, until), first))
      const found = await Promise.all(looks)
      return shards.filter((_, index) => found[index]!.length > 0)
    },

    async expired({ shards, before, limit }) {
      const options = { limit, fields: STORED_ROW_FIELDS }
      const found = await items.all(shards, dueRange(true, null, before - 1), options)
      return (items.deletable?.(found) ?? found).map(storedRow)
    },

    async forgetCounters(slotsBefore) {
      const options = { limit: SLOTS_FORGOTTEN, fields: [] }
      const found = await items.all(await allShards(), countRange(1, slotsBefore - 1), options)
      await items.remove(found)
      return found.length === SLOTS_FORGOTTEN
    },

    async readEvents({ shard, after, limit }) {
      const found = await items.all([shard], eventsAfter(after), { limit })
      return found.map(({ sort, fields }) => {
        return { ...(JSON.parse(fields['event'] as string) as LifecycleEvent), number: eventNumber(sort) }
      })
    },

    removeEvents: ({ shard, numbers }) => items.remove(numbers.map((number) => ({ shard, sort: eventSort(number) }))),

    async countEvents(shards) {
      const found = await items.all(shards, eventsAfter(0), { fields: ['ea'] })
      const first = new Map(found.toReversed().map(({ shard, fields }) => [shard, fields['ea'] as Millis]))
      return { count: found.length, oldestAt: first.size === 0 ? null : Math.min(...first.values()) }
    },

    source: {
      shards: allShards,
      scan: async ({ shard, finished, after, limit }) =>
        timersOf(await items.all([shard], dueRange(finished, after, NEVER), { limit })),
      counters: async ({ scope, from, to }) => {
        const found = await items.all(await allShards(), countRange(from, to))
        return countersIn(
          found.map(({ fields }) => fields),
          scope,
        )
      },
    },
  }
}

/** The events of a part, whose commit has this number in its shard. */
export function eventItems({ events }: Pick<CommitPart, 'events'>, commit: number) {
  if (events.length > EVENTS_PER_COMMIT) throw StoreError.lasting(`${events.length} events are too many for one commit`)
  return events.map((event, n) => {
    return { sort: eventSort(commit * EVENTS_PER_COMMIT + n), fields: { ea: event.at, event: JSON.stringify(event) } }
  })
}

function storedRow({ shard, sort, fields: { ns, v, st, ki, me = null } }: KeyedItem & Metadata): StoredRow {
  return {
    shard,
    uuid: dueCells(sort)[2],
    namespace: ns as Namespace,
    version: v as number,
    status: statusOf(st as number),
    metadata: me as StoredRow['metadata'],
    kind: kindAt(ki as number),
  }
}

type Metadata = { readonly fields: { readonly me?: string | null } }
