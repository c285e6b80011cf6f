// The store in DynamoDB, for as many nodes as wanted: one table, one partition for each shard; see keys.ts. What a commit is,
// is in commits.ts. What people ask is answered by the shared queries over ordered scans and counters.

import type { ShardId } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { DynamodbLocation } from '../../runtime/config/databases/dynamodb.ts'
import { FencedCommits } from '../keyed/fenced-commits.ts'
import { keyedStore, readShards } from '../keyed/keyed-engine.ts'
import type { KeyedEngine, KeyedItem } from '../keyed/keyed-engine.ts'
import { inTime } from '../keyed/store-settings.ts'
import type { KeyedOptions } from '../keyed/store-settings.ts'
import type { Item } from '../keyed/timer-fields.ts'
import type { Store } from '../store.ts'
import { fencedShards } from './commits.ts'
import { clusterKey, keyOf, partitionOf, timerKey } from './keys.ts'
import { beat, claim, readCluster, release } from './ownership.ts'
import { prepareTable } from './setup.ts'
import { Table } from './table.ts'
import { readTimer } from './timer-items.ts'

export type DynamodbOptions = DynamodbLocation & KeyedOptions

// A transaction has 100 items and 4 MB at most. One is the fence, and some are pieces of large payloads.
const PART_MAX = { items: 84, bytes: 3_000_000 }
const PIECES_DELETED_MAX = 15

export async function openDynamodbStore(options: DynamodbOptions): Promise<Store> {
  const table = await Table.connect(options, systemClock)
  // Beats have connections of their own, so that they need not wait behind commits.
  const beats = await Table.connect(options, systemClock, table.consumed)
  const disconnect = (): void => {
    for (const one of [table, beats]) one.db.destroy()
  }
  try {
    const settings = await prepareTable(table, options)
    return keyedStore({ ...engineOn(table, beats, options), disconnect }, settings)
  } catch (error) {
    disconnect()
    throw error
  }
}

function engineOn(table: Table, beats: Table, options: DynamodbOptions): Omit<KeyedEngine, 'disconnect'> {
  const commits = new FencedCommits(fencedShards(table))
  return {
    name: 'dynamodb',
    partMax: PART_MAX,
    ping: () => table.put(clusterKey('store/ping')),
    claim: (wanted) => claim(table, wanted),
    release: (owned) => release(table, owned),
    shardRows: async () => (await readCluster(table)).shards,
    beat: (node) => inTime((withinMs) => beat(beats, node, AbortSignal.timeout(withinMs)), options),
    commit: (parts) => commits.commit(parts),

    async find(keys) {
      const items = await table.getMany(keys.map(({ shard, uuid }) => timerKey(shard, uuid)))
      return (await Promise.all(items.map((item) => readTimer(table, item)))).filter((timer) => timer !== null)
    },

    read: (shards, range, wanted = {}) =>
      readShards(shards, wanted, async (shard: ShardId, limit) => {
        // The pieces of payloads are counted when timers are deleted.
        const attributes = wanted.fields && ['sk, due, pc', ...wanted.fields].join(', ')
        const items = await table.query(partitionOf(shard), range, { limit, attributes })
        return items.map((fields: Item) => ({ shard, sort: (fields['due'] ?? fields['sk']) as string, fields }))
      }),

    timerOf: ({ fields }) => readTimer(table, fields),
    remove: (items) => table.delete(items.map(({ shard, sort }) => keyOf(shard, sort))),
    deletable: withFewPieces,
    consumedUnits: () => table.consumed,
    noBackup: 'DynamoDB makes its own backups: see docs/operations/dynamodb.md',
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
