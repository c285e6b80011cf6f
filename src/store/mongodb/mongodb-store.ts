// The store in MongoDB, for as many nodes as wanted: one collection; see documents.ts. What a commit is, is in shard-log.ts.
// What people ask is answered by the shared queries over ordered scans and counters.

import type { Millis, ShardId } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { MongodbLocation } from '../../runtime/config/databases/mongodb.ts'
import { keyedReads } from '../keyed/keyed-engine.ts'
import type { KeyedItem, KeyedItems, ReadOptions } from '../keyed/keyed-engine.ts'
import type { Range } from '../keyed/sort-keys.ts'
import { timerOf } from '../keyed/timer-fields.ts'
import { inOrderOf } from '../key-lookup.ts'
import { scannedStore } from '../queries/scanned-store.ts'
import type { ScannedEngine } from '../queries/scanned-store.ts'
import { StoreError } from '../store.ts'
import type { Store } from '../store.ts'
import { Commits, TOMBSTONES_KEPT_MS } from './commits.ts'
import { moveTimers } from './move.ts'
import { Documents, itemKey } from './documents.ts'
import type { Doc } from './documents.ts'
import { beat, claim, release, shardRows } from './ownership.ts'
import { prepareCollection } from './setup.ts'
import type { StoreSettings } from './setup.ts'
import { isTombstone } from './shard-log.ts'

export type MongodbOptions = MongodbLocation & {
  /** How many shards a new database gets. */
  readonly shards?: number
  /** A beat that has not been answered by then is given up, so that the next one can be made before others take the shards. */
  readonly beatWithinMs?: number
}

const SHARDS_DEFAULT = 64
const BEAT_WITHIN_DEFAULT_MS = 2_000
const PART_MAX = { items: 1_000, bytes: 4_000_000 } // an entry is a document, which holds 16 MB
const PAGE_DOCUMENTS = 500

export async function openMongodbStore(options: MongodbOptions): Promise<Store> {
  const documents = await Documents.connect(options, systemClock)
  try {
    const settings = await prepareCollection(documents, options.shards ?? SHARDS_DEFAULT)
    // Beats have connections of their own, so that they need not wait behind commits.
    const beats = await Documents.connect(options, systemClock)
    const beatWithinMs = options.beatWithinMs ?? BEAT_WITHIN_DEFAULT_MS
    return scannedStore(engineOn({ documents, beats, beatWithinMs, settings }))
  } catch (error) {
    await documents.client.close()
    throw error
  }
}

type Parts = {
  readonly documents: Documents
  readonly beats: Documents
  readonly beatWithinMs: Millis
  readonly settings: StoreSettings
}

function engineOn({ documents, beats, beatWithinMs, settings }: Parts): ScannedEngine {
  const { shards, secret } = settings
  const commits = new Commits(documents)
  return {
    ...keyedReads(itemsOf(documents)),
    capabilities: { name: 'mongodb', shared: true, backup: false, shards, partMax: PART_MAX },
    ping: async () => {
      await documents.update([{ q: { _id: 'store/ping' }, u: { $inc: { count: 1 } }, upsert: true }])
    },
    claim: (wanted) => claim(documents, commits, wanted),
    release: (owned) => release(documents, owned),
    shards: () => shardRows(documents),
    beat: (node) => within(beatWithinMs, beat(beats, node)),
    clusterSecret: async () => secret,
    commit: (parts) => commits.commit(parts),
    move: (move) => moveTimers(documents, commits, move),
    async getMany(keys) {
      const found = await documents.find({ _id: { $in: keys.map(({ uuid }) => uuid) } })
      return inOrderOf(
        keys,
        found.filter((doc) => !isTombstone(doc)).map((doc) => timerOf(doc['k'] as string, doc)),
      )
    },
    disconnect: async () => {
      for (const one of [documents, beats]) await one.client.close()
    },
    noBackup: 'MongoDB has its own backups: see docs/operations/mongodb.md',
  }
}

function itemsOf(documents: Documents): KeyedItems {
  const read = async (shards: readonly ShardId[], { from, to }: Range, { limit, fields }: ReadOptions = {}) => {
    if (shards.length === 0 || from > to) return []
    const s = shards.length === 1 ? shards[0]! : { $in: shards }
    const projection = fields && Object.fromEntries(['s', 'k', ...fields].map((field) => [field, 1]))
    const options = { sort: { s: 1, k: 1 }, ...(projection && { projection }), ...(limit !== undefined && { limit }) }
    return (await documents.find({ s, k: { $gte: from, $lte: to } }, options)).map(itemOf)
  }
  return {
    shardRows: () => shardRows(documents),
    async *pages(shard, { from, to }, { limit = Infinity, fields } = {}) {
      for (let [left, next] = [limit, from]; left > 0;) {
        const size = Math.min(left, PAGE_DOCUMENTS)
        const page = await read([shard], { from: next, to }, { limit: size, ...(fields && { fields }) })
        if (page.length > 0) yield page
        if (page.length < size) return
        left -= size
        next = `${page.at(-1)!.sort}\0`
      }
    },
    all: read,
    timer: async ({ sort, fields }) => timerOf(sort, fields),
    async remove(items) {
      const gone = new Date(documents.clock.now() + TOMBSTONES_KEPT_MS)
      const tombstones = items.map(({ shard: s, sort }) => {
        return { q: { _id: itemKey(s, sort) }, u: { s, n: 0, gone } }
      })
      if (tombstones.length > 0) await documents.update(tombstones)
    },
  }
}

function itemOf(doc: Doc): KeyedItem {
  return { shard: doc['s'] as ShardId, sort: doc['k'] as string, fields: doc }
}

/** The call goes on, and nobody waits for it any more. */
async function within<T>(limitMs: Millis, call: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const cancel = systemClock.after(limitMs, () =>
    late.reject(new StoreError('MongoDB did not answer in time', { outcomeUnknown: true })),
  )
  try {
    return await Promise.race([call, late.promise])
  } finally {
    cancel()
  }
}
