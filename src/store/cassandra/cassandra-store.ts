// The store in Cassandra or ScyllaDB, for as many nodes as wanted: a shard is a partition; see schema.ts. What a commit is, is
// in commits.ts. What people ask is answered by the shared queries over ordered scans and counters.

import { shareGroupOf } from '../../core/timer/share-group.ts'
import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import { NEVER } from '../../core/timer/timer.ts'
import type { Namespace, ShardId, TimerUuid } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { CassandraLocation } from '../../runtime/config/databases/cassandra.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { inOrderOf } from '../key-lookup.ts'
import { isInScope } from '../queries/filter.ts'
import type { CounterRange } from '../queries/scan-queries.ts'
import { scannedStore } from '../queries/scanned-store.ts'
import type { ScannedEngine } from '../queries/scanned-store.ts'
import { kindAt, statusOf } from '../row/codes.ts'
import type { Counter, Store, StoredRow } from '../store.ts'
import { Commits } from './commits.ts'
import { countsOf } from './counter-rows.ts'
import { isDurable, readNodes } from './nodes.ts'
import { Beats, Claims, shardRows } from './ownership.ts'
import { Type } from './schema.ts'
import { numberOf, Session } from './session.ts'
import type { Row } from './session.ts'
import { prepareKeyspace } from './setup.ts'
import type { StoreSettings } from './setup.ts'
import { firstPlace, readColumns, readInOrder, readPlaces, readTimers } from './timer-rows.ts'

export type CassandraOptions = CassandraLocation & {
  /** How many shards new tables get. */
  readonly shards?: number
  /** A beat that has not been answered by then is given up, so that the next one can be made before others take the shards. */
  readonly beatWithinMs?: number
  readonly logger?: Logger
}

const SHARDS_DEFAULT = 64
const BEAT_WITHIN_DEFAULT_MS = 2_000
// A batch is written whole to the log of Paxos and again to the table, and a node refuses one above half a segment of its
// commit log: 16 MiB by default.
const PART_MAX = { items: 150, bytes: 1_000_000 }
const EXPIRED_COLUMNS = ['timer_namespace', 'timer_version', 'timer_status', 'timer_kind', 'timer_metadata'] as const

const COUNTERS = `SELECT position, name, counts FROM timers
  WHERE shard = ? AND row_type = ${Type.counters} AND position >= ? AND position <= ?`
const OLD_SLOT = `SELECT position FROM timers
  WHERE shard = ? AND row_type = ${Type.counters} AND position > 0 AND position < ? LIMIT 1`
const EVENTS = `SELECT position, event FROM timers WHERE shard = ? AND row_type = ${Type.event} AND position > ? LIMIT ?`
// Of a column beside a count there is the value of the first row.
const COUNT_EVENTS = `SELECT count(*) AS count, event_at AS oldest FROM timers
  WHERE shard = ? AND row_type = ${Type.event} AND position >= ?`
const PING = `INSERT INTO cluster (place, kind, name) VALUES ('ping', '', '')`

export async function openCassandraStore(options: CassandraOptions): Promise<Store> {
  const session = await Session.connect(options, systemClock)
  try {
    const settings = await prepareKeyspace(session, options, options.shards ?? SHARDS_DEFAULT)
    await warnOfLoss(session, options)
    return scannedStore(engineOn(session, settings, options.beatWithinMs ?? BEAT_WITHIN_DEFAULT_MS))
  } catch (error) {
    await session.close()
    throw error
  }
}

/** It is not refused: whoever tries the service out has a database as it comes. */
async function warnOfLoss(session: Session, { logger, keyspace }: CassandraOptions): Promise<void> {
  const unsafe = (await readNodes(session, keyspace)).filter((node) => !isDurable(node))
  if (unsafe.length === 0) return
  const addresses = unsafe.map(({ address }) => address)
  const message = 'a power failure of the database takes acknowledged timers: set commitlog_sync to batch or group'
  logger?.warn({ addresses, commitLogSync: unsafe[0]!.commitLogSync }, message)
}

function engineOn(session: Session, { shards, secret }: StoreSettings, withinMs: number): ScannedEngine {
  const commits = new Commits(session)
  const claims = new Claims(session)
  const beats = new Beats(session, { withinMs, now: () => systemClock.now() })
  return {
    capabilities: { name: 'cassandra', shared: true, backup: false, shards, partMax: PART_MAX },
    ping: async () => void (await session.run(PING)),
    claim: (wanted) => claims.claim(wanted),
    release: (owned) => claims.release(owned),
    shards: () => shardRows(session),
    beat: (node) => beats.beat(node),
    clusterSecret: async () => secret,
    commit: (parts) => commits.commit(parts),

    async getMany(keys) {
      const byShard = [...Map.groupBy(keys, ({ shard }) => shard)]
      const found = byShard.map(async ([shard, members]) => {
        const timers = await readTimers(session, shard, [...new Set(members.map(({ uuid }) => uuid))])
        return [...timers.values()]
      })
      return inOrderOf(keys, (await Promise.all(found)).flat())
    },

    due: ({ shard, after, until, limit, group, except = [] }) =>
      readInOrder(
        session,
        { shard, type: Type.live, after, until, limit },
        (timer) => (group === undefined || shareGroupOf(timer) === group) && !except.includes(shareGroupOf(timer)),
      ),

    async dueShards({ shards: asked, until }) {
      const scans = asked.map((shard) => readPlaces(session, { shard, type: Type.live, after: null, until, limit: 1 }))
      const found = await Promise.all(scans)
      return asked.filter((_, index) => found[index]!.length > 0)
    },

    async expired({ shards: asked, before, limit }) {
      const rows: StoredRow[] = []
      for (const shard of asked) {
        if (rows.length >= limit) break
        const scan = { shard, type: Type.finished, after: null, until: before - 1, limit: limit - rows.length }
        const uuids = (await readPlaces(session, scan)).map(({ uuid }) => uuid)
        const found = await readColumns(session, shard, uuids, EXPIRED_COLUMNS)
        const byUuid = new Map(found.map((row) => [row['name'] as TimerUuid, row]))
        rows.push(...uuids.flatMap((uuid) => (byUuid.has(uuid) ? [storedRow(shard, uuid, byUuid.get(uuid)!)] : [])))
      }
      return rows
    },

    async forgetCounters(slotsBefore) {
      for (const { shard } of await shardRows(session)) {
        const [oldest] = await session.read(OLD_SLOT, [shard, slotsBefore])
        if (oldest !== undefined) await commits.forget(shard, numberOf(oldest['position']), slotsBefore)
      }
      return false
    },

    async readEvents({ shard, after, limit }) {
      const first = await firstPlace(session, shard, Type.event)
      const rows = await session.read(EVENTS, [shard, Math.max(after, first - 1), limit])
      return rows.map(({ position, event }) => {
        return { ...(JSON.parse(event as string) as LifecycleEvent), number: numberOf(position) }
      })
    },

    removeEvents: ({ shard, numbers }) => commits.removeEvents(shard, numbers),

    async countEvents(asked) {
      const looks = asked.map(async (shard) => {
        const first = await firstPlace(session, shard, Type.event)
        return (await session.read(COUNT_EVENTS, [shard, first]))[0]!
      })
      const answers = (await Promise.all(looks)).filter(({ oldest }) => oldest !== null)
      const oldest = answers.map((answer) => numberOf(answer['oldest']))
      const count = answers.reduce((sum, answer) => sum + numberOf(answer['count']), 0)
      return { count, oldestAt: count === 0 ? null : Math.min(...oldest) }
    },

    source: {
      shards: async () => (await shardRows(session)).map(({ shard }) => shard),
      scan: ({ shard, finished, after, limit }) =>
        readInOrder(session, { shard, type: finished ? Type.finished : Type.live, after, until: NEVER, limit }),
      counters: (range) => sumsOf(session, range),
    },
    disconnect: () => session.close(),
    noBackup: 'Cassandra makes its own backups: see docs/operations/cassandra.md',
  }
}

/** The counters of all shards, added up. */
async function sumsOf(session: Session, { scope, from, to }: CounterRange): Promise<readonly Counter[]> {
  const sums = new Map<string, Counter>()
  const shards = await shardRows(session)
  const rows = await Promise.all(shards.map(({ shard }) => session.read(COUNTERS, [shard, from, to])))
  for (const row of rows.flat()) {
    const [namespace, slotAt] = [row['name'] as Namespace, numberOf(row['position'])]
    if (!isInScope(namespace, scope)) continue
    for (const [name, amount] of countsOf(row)) {
      const key = `${slotAt} ${name} ${namespace}`
      sums.set(key, { namespace, slotAt, name, amount: (sums.get(key)?.amount ?? 0) + amount })
    }
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0)
}

function storedRow(shard: ShardId, uuid: TimerUuid, row: Row): StoredRow {
  return {
    shard,
    uuid,
    namespace: row['timer_namespace'] as Namespace,
    version: numberOf(row['timer_version']),
    status: statusOf(row['timer_status'] as number),
    metadata: row['timer_metadata'] as StoredRow['metadata'],
    kind: kindAt(row['timer_kind'] as number),
  }
}
