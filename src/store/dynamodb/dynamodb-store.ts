// The store in DynamoDB, for as many nodes as wanted: one table, one partition for each shard; see keys.ts. What a commit is,
// is in commits.ts. What people ask is answered by the shared queries over ordered scans and counters.

import type { Millis, ShardId, Timer } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { DynamodbLocation } from '../../runtime/config/databases/dynamodb.ts'
import { keyedReads } from '../keyed/keyed-engine.ts'
import type { KeyedItem, KeyedItems, ReadOptions } from '../keyed/keyed-engine.ts'
import type { Range } from '../keyed/sort-keys.ts'
import type { Item } from '../keyed/timer-fields.ts'
import { inOrderOf } from '../key-lookup.ts'
import { scannedStore } from '../queries/scanned-store.ts'
import type { ScannedEngine } from '../queries/scanned-store.ts'
import type { Store } from '../store.ts'
import { Commits } from './commits.ts'
import { CLUSTER, keyOf, partitionOf, PING, timerKey } from './keys.ts'
import { beat, claim, release, shardRows } from './ownership.ts'
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
    ...keyedReads(itemsOf(table)),
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
    disconnect: () => {
      for (const one of [table, beats]) one.db.destroy()
    },
    noBackup: 'DynamoDB makes its own backups: see docs/operations/dynamodb.md',
  }
}

function itemsOf(table: Table): KeyedItems {
  const read = (shard: ShardId, range: Range, { limit, fields }: ReadOptions = {}) => {
    // Keys of timers begin with a digit, and are those of the index. The pieces of payloads are counted when timers are deleted.
    const byDue = range.from < 'A'
    const attributes = fields && [byDue ? 'due, pc' : 'sk', ...fields].join(', ')
    const options = { byDue, ...(limit !== undefined && { limit }), ...(attributes && { attributes }) }
    return table.pages(partitionOf(shard), range, options)
  }
  const itemOf = (shard: ShardId) => (fields: Item) => ({
    shard,
    sort: (fields['due'] ?? fields['sk']) as string,
    fields,
  })
  return {
    shardRows: () => shardRows(table),
    async *pages(shard, range, options) {
      for await (const page of read(shard, range, options)) yield page.map(itemOf(shard))
    },
    async all(shards, range, { limit = Infinity, fields } = {}) {
      const some = async (shard: ShardId, left: number) => {
        const options = { ...(left !== Infinity && { limit: left }), ...(fields && { fields }) }
        return (await Array.fromAsync(read(shard, range, options))).flat().map(itemOf(shard))
      }
      if (limit === Infinity) return (await Promise.all(shards.map((shard) => some(shard, limit)))).flat()
      const found: KeyedItem[] = []
      for (const shard of shards) if (found.length < limit) found.push(...(await some(shard, limit - found.length)))
      return found
    },
    timer: ({ shard, fields }) => readTimer(table, shard, fields),
    remove: (items) => table.delete(items.map(({ shard, sort }) => keyOf(partitionOf(shard), sort))),
    deletable: withFewPieces,
  }
}

/** As many as a transaction can delete together with the pieces of their payloads; one at least. */
function withFewPieces(items: readonly KeyedItem[]): readonly KeyedItem[] {
  let pieces = 0
  const end = items.findIndex(({ fields }, index) => {
    pieces += (fields['pc'] as number | undefined) ?? 0
    return pieces > PIECES_DELETED_MAX && index > 0
  })
  return end < 0 ? items : items.slice(0, end)
}
