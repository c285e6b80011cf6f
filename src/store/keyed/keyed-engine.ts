// A whole store, for engines that keep the contents of a shard in the order of sort keys. Such an adapter brings one way to read a
// range of keys, and writes by itself: what the store reads (due timers, expired ones, events, counters) is made of ranges here.

import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import { shareGroupOf } from '../../core/timer/share-group.ts'
import { NEVER } from '../../core/timer/timer.ts'
import type { Millis, Namespace, ShardId, Timer } from '../../core/timer/timer.ts'
import { inOrderOf } from '../key-lookup.ts'
import { kindAt, statusOf } from '../row/codes.ts'
import { scannedStore } from '../queries/scanned-store.ts'
import type { ScannedEngine } from '../queries/scanned-store.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, PartMax, ShardRow, Store, StoreCapabilities, StoredRow, TimerKey } from '../store.ts'
import { countersIn } from './counter-groups.ts'
import { countRange, dueCells, dueRange, eventNumber, eventsAfter, eventSort } from './sort-keys.ts'
import type { Range } from './sort-keys.ts'
import type { StoreSettings } from './store-settings.ts'
import { STORED_ROW_FIELDS } from './timer-fields.ts'
import type { Item } from './timer-fields.ts'

export type KeyedItem = { readonly shard: ShardId; readonly sort: string; readonly fields: Item }
/** `limit`: of all items together. `fields`: only these are needed. */
export type ReadOptions = { readonly limit?: number; readonly fields?: readonly string[] }

export type KeyedEngine = Pick<
  ScannedEngine,
  'ping' | 'claim' | 'release' | 'beat' | 'commit' | 'move' | 'disconnect'
> &
  Pick<ScannedEngine, 'noBackup'> &
  Pick<StoreCapabilities, 'consumedUnits'> & {
    readonly name: string
    readonly partMax: PartMax
    readonly shardRows: () => Promise<readonly ShardRow[]>
    /** Those that are there, in any order. */
    readonly find: (keys: readonly TimerKey[]) => Promise<readonly Timer[]>
    /** Items of the shards, those of each in order. Fewer than `limit` only where there are no more. */
    readonly read: (shards: readonly ShardId[], range: Range, options?: ReadOptions) => Promise<readonly KeyedItem[]>
    /** Null when it is gone by now. */
    readonly timerOf: (item: KeyedItem) => Promise<Timer | null>
    /** Of expired timers, those that one commit can delete; one at least. Without it: all. */
    readonly deletable?: (items: readonly KeyedItem[]) => readonly KeyedItem[]
    /** Counters or events. Those that are gone already do not matter. */
    readonly remove: (items: readonly Omit<KeyedItem, 'fields'>[]) => Promise<void>
  }

type Reads = Pick<
  ScannedEngine,
  'due' | 'dueShards' | 'expired' | 'forgetCounters' | 'readEvents' | 'removeEvents' | 'countEvents' | 'source'
>

const SLOTS_FORGOTTEN = 500 // at a time
const PAGE_ITEMS = 500 // where not all of them may be meant
const EVENTS_PER_COMMIT = 1_000 // their numbers are that of the commit and three digits

export function keyedStore(engine: KeyedEngine, { shards, secret }: StoreSettings): Store {
  const { name, partMax, consumedUnits } = engine
  const paid = consumedUnits === undefined ? {} : { consumedUnits }
  return scannedStore({
    ...engine,
    ...keyedReads(engine),
    capabilities: { name, shared: true, backup: false, shards, partMax, ...paid },
    shards: engine.shardRows,
    clusterSecret: async () => secret,
    async getMany(keys) {
      const unique = new Map(keys.map((key) => [`${key.shard} ${key.uuid}`, key]))
      return inOrderOf(keys, await engine.find([...unique.values()]))
    },
  })
}

function keyedReads({ shardRows, read, timerOf, deletable, remove }: KeyedEngine): Reads {
  const allShards = async () => (await shardRows()).map(({ shard }) => shard)
  const timersOf = async (found: readonly KeyedItem[]): Promise<Timer[]> =>
    (await Promise.all(found.map(timerOf))).filter((timer) => timer !== null)
  return {
    async due({ shard, after, until, limit, group, except = [] }) {
      const isMeant = (timer: Timer) =>
        (group === undefined || shareGroupOf(timer) === group) && !except.includes(shareGroupOf(timer))
      const size = group === undefined && except.length === 0 ? limit : PAGE_ITEMS
      const found: Timer[] = []
      for (let from: OrderKey | null = after; ;) {
        const page: readonly KeyedItem[] = await read([shard], dueRange(false, from, until), { limit: size })
        found.push(...(await timersOf(page)).filter(isMeant))
        if (page.length < size || found.length >= limit) return found.slice(0, limit)
        const [, wakeAt, uuid] = dueCells(page.at(-1)!.sort)
        from = { wakeAt, uuid }
      }
    },

    async dueShards({ shards, until }) {
      const first = { limit: 1, fields: [] }
      const found = await Promise.all(shards.map((shard) => read([shard], dueRange(false, null, until), first)))
      return shards.filter((_, index) => found[index]!.length > 0)
    },

    async expired({ shards, before, limit }) {
      const options = { limit, fields: STORED_ROW_FIELDS }
      const found = await read(shards, dueRange(true, null, before - 1), options)
      return (deletable?.(found) ?? found).map(storedRow)
    },

    async forgetCounters(slotsBefore) {
      const options = { limit: SLOTS_FORGOTTEN, fields: [] }
      const found = await read(await allShards(), countRange(1, slotsBefore - 1), options)
      await remove(found)
      return found.length === SLOTS_FORGOTTEN
    },

    async readEvents({ shard, after, limit }) {
      const found = await read([shard], eventsAfter(after), { limit })
      return found.map(({ sort, fields }) => {
        return { ...(JSON.parse(fields['event'] as string) as LifecycleEvent), number: eventNumber(sort) }
      })
    },

    removeEvents: ({ shard, numbers }) => remove(numbers.map((number) => ({ shard, sort: eventSort(number) }))),

    async countEvents(shards) {
      const found = await read(shards, eventsAfter(0), { fields: ['ea'] })
      const first = new Map(found.toReversed().map(({ shard, fields }) => [shard, fields['ea'] as Millis]))
      return { count: found.length, oldestAt: first.size === 0 ? null : Math.min(...first.values()) }
    },

    source: {
      shards: allShards,
      scan: async ({ shard, finished, after, limit }) =>
        timersOf(await read([shard], dueRange(finished, after, NEVER), { limit })),
      counters: async ({ scope, from, to }) => {
        const found = await read(await allShards(), countRange(from, to))
        return countersIn(
          found.map(({ fields }) => fields),
          scope,
        )
      },
    },
  }
}

/** For engines that read one shard at a time: all at once, or one after the other until there are enough. */
export async function readShards(
  shards: readonly ShardId[],
  { limit = Infinity }: ReadOptions,
  read: (shard: ShardId, limit: number) => Promise<readonly KeyedItem[]>,
): Promise<readonly KeyedItem[]> {
  if (limit === Infinity) return (await Promise.all(shards.map((shard) => read(shard, limit)))).flat()
  const found: KeyedItem[] = []
  for (const shard of shards) if (found.length < limit) found.push(...(await read(shard, limit - found.length)))
  return found
}

/** The events of a part, whose commit has this number in its shard. */
export function eventItems({ events }: Pick<CommitPart, 'events'>, commit: number) {
  if (events.length > EVENTS_PER_COMMIT) throw StoreError.lasting(`${events.length} events are too many for one commit`)
  return events.map((event, n) => {
    return { sort: eventSort(commit * EVENTS_PER_COMMIT + n), fields: { ea: event.at, event: JSON.stringify(event) } }
  })
}

function storedRow({ shard, sort, fields: { ns, v, st, ki, me = null } }: KeyedItem & Metadata): StoredRow {
  const [, wakeAt, uuid] = dueCells(sort)
  return {
    shard,
    uuid,
    wakeAt,
    namespace: ns as Namespace,
    version: v as number,
    status: statusOf(st as number),
    metadata: me as StoredRow['metadata'],
    kind: kindAt(ki as number),
  }
}

type Metadata = { readonly fields: { readonly me?: string | null } }
