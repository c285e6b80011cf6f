// The store in Cassandra or ScyllaDB, for as many nodes as wanted: a shard is a partition; see schema.ts. What a commit is, is
// in commits.ts. What people ask is answered by the shared queries over ordered scans and counters.

import { systemClock } from '../../runtime/clock/clock.ts'
import type { CassandraLocation } from '../../runtime/config/databases/cassandra.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { FencedCommits } from '../keyed/fenced-commits.ts'
import { keyedStore, readShards } from '../keyed/keyed-engine.ts'
import type { KeyedEngine } from '../keyed/keyed-engine.ts'
import { inTime } from '../keyed/store-settings.ts'
import type { KeyedOptions } from '../keyed/store-settings.ts'
import { timerOf } from '../keyed/timer-fields.ts'
import type { Store } from '../store.ts'
import { fencedShards } from './commits.ts'
import { readCommitLogSync } from './nodes.ts'
import { beat, Claims, readCluster } from './ownership.ts'
import { readInOrder, readItems, readTimers, withoutTombstones } from './rows.ts'
import { runOf } from './schema.ts'
import { Session, statement } from './session.ts'
import { prepareKeyspace } from './setup.ts'
import { IN_ORDER, REMOVE, REMOVE_RANGE } from './statements.ts'

export type CassandraOptions = CassandraLocation & KeyedOptions & { readonly logger?: Logger }

// A batch is written whole to the log of Paxos and again to the table, and a node refuses one above half a segment of its
// commit log: 16 MiB by default.
const PART_MAX = { items: 150, bytes: 1_000_000 }
const PING = `INSERT INTO cluster (place, sort) VALUES ('ping', '')`

export async function openCassandraStore(options: CassandraOptions): Promise<Store> {
  const session = await Session.connect(options, systemClock)
  try {
    const settings = await prepareKeyspace(session, options)
    await warnOfLoss(session, options.logger)
    return keyedStore(engineOn(session, options), settings)
  } catch (error) {
    await session.client.shutdown()
    throw error
  }
}

/** It is not refused: whoever tries the service out has a database as it comes. */
async function warnOfLoss(session: Session, logger: Logger | undefined): Promise<void> {
  const unsafe = (await readCommitLogSync(session)).filter(({ isDurable }) => !isDurable)
  if (unsafe.length === 0) return
  const addresses = unsafe.map(({ host }) => host.address)
  const message = 'a power failure of the database takes acknowledged timers: set commitlog_sync to batch or group'
  logger?.warn({ addresses, commitLogSync: unsafe[0]!.sync }, message)
}

function engineOn(session: Session, options: KeyedOptions): KeyedEngine {
  const commits = new FencedCommits(fencedShards(session))
  const claims = new Claims(session)
  return {
    name: 'cassandra',
    partMax: PART_MAX,
    ping: async () => void (await session.run(PING)),
    claim: (wanted) => claims.claim(wanted),
    release: (owned) => claims.release(owned),
    shardRows: async () => (await readCluster(session)).shards,
    beat: (node) => inTime((withinMs) => beat(session, node, { withinMs }), options),
    commit: (parts) => commits.commit(parts),

    async find(keys) {
      const byShard = [...Map.groupBy(keys, ({ shard }) => shard)]
      return (await Promise.all(byShard.map(([shard, some]) => readTimers(session, shard, some)))).flat()
    },

    read: (shards, range, wanted = {}) =>
      readShards(shards, wanted, async (shard, limit) => {
        const scan = { shard, ...(await withoutTombstones(session, shard, range)), limit }
        // Keys of places begin with a digit.
        if (range.from > 'A' || wanted.fields?.length === 0) return readItems(session, scan)
        return readInOrder(session, scan, wanted.fields === undefined ? 'due, item, payload' : 'due, item')
      }),

    timerOf: async ({ sort, fields }) => timerOf(sort, fields),

    async remove(items) {
      for (const [shard, members] of Map.groupBy(items, (item) => item.shard)) {
        const sorts = members.map(({ sort }) => sort)
        // Counters are removed from the first to the last, and there is nothing else in between.
        const all = statement(REMOVE_RANGE, shard, sorts[0]!, `${sorts.at(-1)!}!`)
        const removed = runOf(sorts[0]!) === undefined ? [all] : sorts.map((sort) => statement(REMOVE, shard, sort))
        await commits.take(shard, async (known) => {
          await session.write([statement(IN_ORDER, shard), ...removed])
          if (known !== undefined) known.removed += sorts.length
        })
      }
    },
    disconnect: () => session.client.shutdown(),
    noBackup: 'Cassandra makes its own backups: see docs/operations/cassandra.md',
  }
}
