// The store in DynamoDB, for as many nodes as wanted: one table, one partition for each shard; see keys.ts. What a commit is,
// is in commits.ts. What people ask is answered by the shared queries over ordered scans and counters.

import { shareGroupOf } from '../../core/timer/share-group.ts'
import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import { NEVER } from '../../core/timer/timer.ts'
import type { Millis, Namespace, ShardId, Timer } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { DynamodbLocation } from '../../runtime/config/databases/dynamodb.ts'
import { inOrderOf } from '../key-lookup.ts'
import { isInScope } from '../queries/filter.ts'
import type { CounterRange } from '../queries/scan-queries.ts'
import { scannedStore } from '../queries/scanned-store.ts'
import type { ScannedEngine } from '../queries/scanned-store.ts'
import { kindAt, statusOf } from '../row/codes.ts'
import type { Counter, Store, StoredRow } from '../store.ts'
import { Commits } from './commits.ts'
import type { Item, Key } from './items.ts'
import {
  CLUSTER,
  countRange,
  dueCells,
  dueRange,
  eventNumber,
  eventsAfter,
  eventSort,
  keyOf,
  partitionOf,
  PING,
} from './keys.ts'
import { timerKey } from './keys.ts'
import { beat, claim, release, shardRows } from './ownership.ts'
import { COUNTER } from './part-writes.ts'
import { prepareTable } from './setup.ts'
import type { StoreSettings } from './setup.ts'
import { Table } from './table.ts'
import { readTimer } from './timer-items.ts'

export type DynamodbOptions = DynamodbLocation & {
  /** How many shards a new table gets. */
  readonly shards?: number
  /** A beat that has not been answered by then is given up, so that the next one can be made before others take the shards. */
  readonly beatWithinMs?: number
}

const SHARDS_DEFAULT = 64 // 10 GB and a thousand write units a second each
const BEAT_WITHIN_DEFAULT_MS = 2_000
// A transaction has 100 items and 4 MB at most. One is the fence, and some are pieces of large payloads.
const PART_MAX = { items: 84, bytes: 3_000_000 }
const PIECES_DELETED_MAX = 15
const SLOTS_FORGOTTEN = 500 // at a time

export async function openDynamodbStore(options: DynamodbOptions): Promise<Store> {
  const table = await Table.connect(options, systemClock)
  // Beats have connections of their own, so that they need not wait behind commits.
  const beats = await Table.connect(options, systemClock)
  try {
    const settings = await prepareTable(table, options.shards ?? SHARDS_DEFAULT, systemClock)
    const beatWithinMs = options.beatWithinMs ?? BEAT_WITHIN_DEFAULT_MS
    return scannedStore(engineOn({ table, beats, beatWithinMs, settings }))
  } catch (error) {
    for (const one of [table, beats]) one.db.destroy()
    throw error
  }
}

type Parts = {
  readonly table: Table
  readonly beats: Table
  readonly beatWithinMs: Millis
  readonly settings: StoreSettings
}

function engineOn({ table, beats, beatWithinMs, settings }: Parts): ScannedEngine {
  const { shards, secret } = settings
  const commits = new Commits(table)
  const timersOf = async (shard: ShardId, items: readonly Item[]): Promise<Timer[]> => {
    const timers = await Promise.all(items.map((item) => readTimer(table, shard, item)))
    return timers.filter((timer) => timer !== null)
  }
  return {
    capabilities: { name: 'dynamodb', shared: true, backup: false, shards, partMax: PART_MAX },
    ping: () => table.put(keyOf(CLUSTER, PING)),
    claim: (wanted) => claim(table, wanted),
    release: (owned) => release(table, owned),
    shards: () => shardRows(table),
    beat: (node) => beat(beats, node, AbortSignal.timeout(beatWithinMs)),
    clusterSecret: async () => secret,
    commit: (parts) => commits.commit(parts),

    async getMany(keys) {
      const unique = new Map(keys.map((key) => [`${key.shard} ${key.uuid}`, key]))
      const byShard = [...Map.groupBy(unique.values(), ({ shard }) => shard)]
      const found = byShard.map(async ([shard, members]) =>
        timersOf(shard, await table.getMany(members.map(({ uuid }) => timerKey(shard, uuid)))),
      )
      return inOrderOf(keys, (await Promise.all(found)).flat())
    },

    async due({ shard, after, until, limit, group, except = [] }) {
      const isMeant = (timer: Timer) =>
        (group === undefined || shareGroupOf(timer) === group) && !except.includes(shareGroupOf(timer))
      const isForAll = group === undefined && except.length === 0
      const found: Timer[] = []
      const options = { byDue: true, ...(isForAll && { limit }) }
      for await (const items of table.pages(partitionOf(shard), dueRange(false, after, until), options)) {
        found.push(...(await timersOf(shard, items)).filter(isMeant))
        if (found.length >= limit) break
      }
      return found.slice(0, limit)
    },

    async dueShards({ shards: asked, until }) {
      const first = { byDue: true, limit: 1, attributes: 'due' }
      const looks = asked.map((shard) => table.range(partitionOf(shard), dueRange(false, null, until), first))
      const found = await Promise.all(looks)
      return asked.filter((_, index) => found[index]!.length > 0)
    },

    async expired({ shards: asked, before, limit }) {
      const rows: StoredRow[] = []
      for (const shard of asked) {
        if (rows.length >= limit) break
        const options = { byDue: true, limit: limit - rows.length, attributes: 'due, ns, v, st, ki, me, pc' }
        const items = await table.range(partitionOf(shard), dueRange(true, null, before - 1), options)
        rows.push(...withFewPieces(items).map((item) => storedRow(shard, item)))
      }
      return rows
    },

    async forgetCounters(slotsBefore) {
      let left = SLOTS_FORGOTTEN
      for (const { shard } of await shardRows(table)) {
        const options = { limit: left, attributes: 'pk, sk' }
        const items = await table.range(partitionOf(shard), countRange(1, slotsBefore - 1), options)
        await table.delete(items as readonly Item[] as readonly Key[])
        left -= items.length
        if (left <= 0) return true
      }
      return false
    },

    async readEvents({ shard, after, limit }) {
      const items = await table.range(partitionOf(shard), eventsAfter(after), { limit })
      return items.map(({ sk, event }) => {
        return { ...(JSON.parse(event as string) as LifecycleEvent), number: eventNumber(sk as string) }
      })
    },

    removeEvents: ({ shard, numbers }) =>
      table.delete(numbers.map((number) => keyOf(partitionOf(shard), eventSort(number)))),

    async countEvents(asked) {
      const looks = asked.map((shard) => table.range(partitionOf(shard), eventsAfter(0), { attributes: 'ea' }))
      const times = (await Promise.all(looks)).map((items) => items.map(({ ea }) => ea as Millis))
      const count = times.reduce((sum, { length }) => sum + length, 0)
      return { count, oldestAt: count === 0 ? null : Math.min(...times.flatMap((one) => one.slice(0, 1))) }
    },

    source: {
      shards: async () => (await shardRows(table)).map(({ shard }) => shard),
      scan: async ({ shard, finished, after, limit }) => {
        const range = dueRange(finished, after, NEVER)
        return timersOf(shard, await table.range(partitionOf(shard), range, { byDue: true, limit }))
      },
      counters: (range) => countersOf(table, range),
    },
    disconnect: () => {
      for (const one of [table, beats]) one.db.destroy()
    },
    noBackup: 'DynamoDB makes its own backups: see docs/operations/dynamodb.md',
  }
}

/** Those of all shards, added up. */
async function countersOf(table: Table, { scope, from, to }: CounterRange): Promise<readonly Counter[]> {
  const sums = new Map<string, Counter>()
  const shards = await shardRows(table)
  const items = await Promise.all(shards.map(({ shard }) => table.range(partitionOf(shard), countRange(from, to))))
  for (const { ns, slot, ...item } of items.flat()) {
    const [namespace, slotAt] = [ns as Namespace, slot as Millis]
    if (!isInScope(namespace, scope)) continue
    for (const [attribute, amount] of Object.entries(item)) {
      if (!attribute.startsWith(COUNTER)) continue
      const key = `${slotAt} ${attribute} ${namespace}`
      const name = attribute.slice(COUNTER.length)
      const sum = (sums.get(key)?.amount ?? 0) + (amount as number)
      sums.set(key, { namespace, slotAt, name, amount: sum })
    }
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0)
}

/** As many as a transaction can delete together with the pieces of their payloads; one at least. */
function withFewPieces(items: readonly Item[]): readonly Item[] {
  let pieces = 0
  const end = items.findIndex(({ pc }, index) => {
    pieces += (pc as number | undefined) ?? 0
    return pieces > PIECES_DELETED_MAX && index > 0
  })
  return end < 0 ? items : items.slice(0, end)
}

function storedRow(
  shard: ShardId,
  { due, ns, v, st, ki, me = null }: Item & { readonly me?: string | null },
): StoredRow {
  return {
    shard,
    uuid: dueCells(due as string)[2],
    namespace: ns as Namespace,
    version: v as number,
    status: statusOf(st as number),
    metadata: me as StoredRow['metadata'],
    kind: kindAt(ki as number),
  }
}
