// The store in MongoDB, for as many nodes as wanted: one collection; see documents.ts. What a commit is, is in shard-log.ts.
// What people ask is answered by the shared queries over ordered scans and counters.

import type { ShardId } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { MongodbLocation } from '../../runtime/config/databases/mongodb.ts'
import { keyedStore } from '../keyed/keyed-engine.ts'
import type { KeyedEngine } from '../keyed/keyed-engine.ts'
import { inTime } from '../keyed/store-settings.ts'
import type { KeyedOptions } from '../keyed/store-settings.ts'
import { timerOf } from '../keyed/timer-fields.ts'
import type { Store } from '../store.ts'
import { Commits, TOMBSTONES_KEPT_MS } from './commits.ts'
import { moveTimers } from './move.ts'
import { Documents, itemKey } from './documents.ts'
import { beat, claim, readCluster, release } from './ownership.ts'
import { prepareCollection } from './setup.ts'
import { isTombstone } from './shard-log.ts'

export type MongodbOptions = MongodbLocation & KeyedOptions

const PART_MAX = { items: 1_000, bytes: 4_000_000 } // an entry is a document, which holds 16 MB

export async function openMongodbStore(options: MongodbOptions): Promise<Store> {
  const documents = await Documents.connect(options, systemClock)
  try {
    const settings = await prepareCollection(documents, options)
    // Beats have connections of their own, so that they need not wait behind commits.
    const beats = await Documents.connect(options, systemClock)
    return keyedStore(engineOn(documents, beats, options), settings)
  } catch (error) {
    await documents.client.close()
    throw error
  }
}

function engineOn(documents: Documents, beats: Documents, options: KeyedOptions): KeyedEngine {
  const commits = new Commits(documents)
  return {
    name: 'mongodb',
    partMax: PART_MAX,
    ping: async () => {
      await documents.update([{ q: { _id: 'store/ping' }, u: { $inc: { count: 1 } }, upsert: true }])
    },
    claim: (wanted) => claim(documents, commits, wanted),
    release: (owned) => release(documents, owned),
    shardRows: async () => (await readCluster(documents)).shards,
    beat: (node) => inTime(() => beat(beats, node), options),
    commit: (parts) => commits.commit(parts),
    move: (move) => moveTimers(documents, commits, move),

    async find(keys) {
      const found = await documents.find({ _id: { $in: keys.map(({ uuid }) => uuid) } })
      return found.filter((doc) => !isTombstone(doc)).map((doc) => timerOf(doc['k'] as string, doc))
    },

    async read(shards, { from, to }, { limit, fields } = {}) {
      if (shards.length === 0 || from > to) return []
      const s = shards.length === 1 ? shards[0]! : { $in: shards }
      const projection = fields && Object.fromEntries(['s', 'k', ...fields].map((field) => [field, 1]))
      const how = {
        sort: { s: 1, k: 1 },
        ...(projection && { projection }),
        ...(limit !== undefined && { limit }),
      }
      const found = await documents.find({ s, k: { $gte: from, $lte: to } }, how)
      return found.map((doc) => ({ shard: doc['s'] as ShardId, sort: doc['k'] as string, fields: doc }))
    },

    timerOf: async ({ sort, fields }) => timerOf(sort, fields),

    async remove(items) {
      const gone = new Date(documents.clock.now() + TOMBSTONES_KEPT_MS)
      const tombstones = items.map(({ shard: s, sort }) => ({ q: { _id: itemKey(s, sort) }, u: { s, n: 0, gone } }))
      if (tombstones.length > 0) await documents.update(tombstones)
    },
    disconnect: async () => {
      for (const one of [documents, beats]) await one.client.close()
    },
    noBackup: 'MongoDB has its own backups: see docs/operations/mongodb.md',
  }
}
