// The store in PostgreSQL, for as many nodes as wanted. Every call is one round trip of one statement, so there is no
// transaction that a lost connection could leave open. Commits, beats, reads and slow work have connections of their own.

import { randomInt } from 'node:crypto'
import type { Epoch, Millis, Namespace, ShardId, Timer } from '../../core/timer.ts'
import type { Logger } from '../../runtime/logger.ts'
import { parsePostgresUrl } from '../../runtime/postgres-location.ts'
import type { PostgresLocation } from '../../runtime/postgres-location.ts'
import { GatheredGets } from '../sqlite/gathered-gets.ts'
import { StoreError } from '../store.ts'
import type { ClusterState, CommitPart, DueScan, ListPage, ListQuery, NodeBeat, PartResult, ShardClaim } from '../store.ts'
import type { Store, StoreCapabilities, StoreStats, TimerKey } from '../store.ts'
import { RowType, statusOf } from '../timer-row.ts'
import { columnParameter } from './array-parameters.ts'
import { commitQuery, partResults, SELECT_CELLS, timersOfRows } from './commit.ts'
import { Connections } from './connections.ts'
import type { Parameter, Query } from './connections.ts'
import { Lister } from './lister.ts'
import type { StoreRow } from './migrations.ts'
import { beatQuery, claimedEpoch, claimQuery, clusterState, releaseQuery } from './ownership.ts'
import { prepareDatabase } from './prepare-database.ts'
import { PRUNE_SQL } from './prune.ts'

export type PostgresOptions = ({ readonly url: string } | PostgresLocation) & {
  /** Connections of this node, 4 at least. */
  readonly poolSize?: number
  readonly statementTimeoutMs?: number
  /** How many shards a new database gets. */
  readonly shards?: number
  readonly logger?: Logger
}

export const SHARDS_DEFAULT = 64
export const SHARDS_MAX = 4_096
export const POOL_SIZE_MIN = 4 // one of each kind
export const POOL_SIZE_DEFAULT = 8
export const STATEMENT_TIMEOUT_DEFAULT_MS = 10_000

const IDLE_MS = 60_000
// Counters are summed over slots. Nodes that write the same namespace at the same moment seldom wait for each other's
// counter, which stays locked until the commit is on disk.
const COUNTER_SLOTS = 16

const PING_SQL = 'UPDATE timer_store SET pinged_at = now()'
const GET_SQL = `SELECT ${SELECT_CELLS} FROM timers WHERE timer_uuid = ANY ($1)`
const DUE_SQL = `
  SELECT ${SELECT_CELLS} FROM timers
  WHERE shard_id = $1 AND row_type = ${RowType.live} AND (timer_execute_at, timer_uuid) > ($2, $3) AND timer_execute_at <= $4
  ORDER BY timer_execute_at, timer_uuid LIMIT $5`
const STATS_SQL = `
  SELECT timer_namespace, timer_status, sum(timer_count)::bigint FROM timer_counts
  GROUP BY timer_namespace, timer_status HAVING sum(timer_count) > 0 ORDER BY timer_namespace, timer_status`

const BEFORE_ALL = { wakeAt: Number.MIN_SAFE_INTEGER, uuid: '0'.repeat(32) }

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { poolSize = POOL_SIZE_DEFAULT, statementTimeoutMs = STATEMENT_TIMEOUT_DEFAULT_MS, shards, logger = null } = options
  const location = 'url' in options ? parsePostgresUrl(options.url) : options
  const database = await prepareDatabase({ location, shards: shards ?? SHARDS_DEFAULT, logger })
  if (shards !== undefined && shards !== database.shards) {
    logger?.warn(
      { configured: shards, shards: database.shards },
      'the configured number of shards is ignored: it was fixed when this database was first used',
    )
  }
  return new PostgresStore(database, lanesFor(location, Math.max(poolSize, POOL_SIZE_MIN), statementTimeoutMs))
}

type Lanes = {
  /** One connection: the engine makes one commit at a time. */
  readonly commits: Connections
  /** One connection for beats and claims, which must not wait for anything. */
  readonly ownership: Connections
  /** Short reads that timers and requests wait for. */
  readonly reads: Connections
  /** What may take long: lists, statistics, pruning. */
  readonly slow: Connections
}

function lanesFor(location: PostgresLocation, poolSize: number, statementTimeoutMs: number): Lanes {
  const shared = { location, statementTimeoutMs }
  const slow = Math.ceil((poolSize - 2) / 3)
  return {
    commits: new Connections({ ...shared, max: 1, idleMs: 0 }),
    ownership: new Connections({ ...shared, max: 1, idleMs: 0 }),
    reads: new Connections({ ...shared, max: poolSize - 2 - slow, idleMs: IDLE_MS }),
    slow: new Connections({ ...shared, max: slow, idleMs: IDLE_MS }),
  }
}

class PostgresStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly #lanes: Lanes
  readonly #clusterSecret: string
  readonly #lister: Lister
  readonly #gets: GatheredGets
  readonly #counterSlot = randomInt(COUNTER_SLOTS)
  readonly #underWay = new Set<Promise<unknown>>()
  #closing: Promise<void> | null = null

  constructor({ shards, clusterSecret }: StoreRow, lanes: Lanes) {
    this.capabilities = { name: 'postgres', shared: true, backup: false, shards }
    this.#clusterSecret = clusterSecret
    this.#lanes = lanes
    this.#lister = new Lister(lanes.slow, shards)
    this.#gets = new GatheredGets(async (uuids) => {
      const rows = await lanes.reads.read({ name: 'get', text: GET_SQL, values: [columnParameter('uuid', uuids)] })
      return rows.flat()
    })
  }

  /** A real write, on the connection that commits use. */
  async ping(): Promise<void> {
    await this.#track(() => this.#lanes.commits.write(query('ping', PING_SQL)))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.end()))
  }

  async claim(claim: ShardClaim): Promise<Epoch | null> {
    return claimedEpoch(await this.#track(() => this.#lanes.ownership.write(claimQuery(claim))))
  }

  async release(owned: { readonly shard: ShardId; readonly epoch: Epoch }): Promise<void> {
    await this.#track(() => this.#lanes.ownership.write(releaseQuery(owned)))
  }

  async beat(beat: NodeBeat): Promise<ClusterState> {
    return clusterState(beat, await this.#track(() => this.#lanes.ownership.write(beatQuery(beat))))
  }

  async clusterSecret(): Promise<string> {
    this.#assertOpen()
    return this.#clusterSecret
  }

  async commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    if (parts.length === 0) return []
    const rows = await this.#track(() => this.#lanes.commits.write(commitQuery(parts, this.#counterSlot)))
    return partResults(parts, rows)
  }

  async get(key: TimerKey): Promise<Timer | null> {
    return this.#track(() => this.#gets.get(key))
  }

  async getMany(keys: readonly TimerKey[]): Promise<readonly (Timer | null)[]> {
    return this.#track(() => this.#gets.getMany(keys))
  }

  async due({ shard, after, until, limit }: DueScan): Promise<readonly Timer[]> {
    const { wakeAt, uuid } = after ?? BEFORE_ALL
    return timersOfRows(await this.#track(() => this.#lanes.reads.read(query('due', DUE_SQL, shard, wakeAt, uuid, until, limit))))
  }

  async list(listed: ListQuery): Promise<ListPage> {
    return this.#track(() => this.#lister.list(listed))
  }

  async stats(): Promise<StoreStats> {
    const rows = await this.#track(() => this.#lanes.slow.read(query('stats', STATS_SQL)))
    const counts = rows.map(([namespace, status, count]) => {
      return { namespace: namespace as Namespace, status: statusOf(status!), count: count as number }
    })
    return { counts }
  }

  async prune({ now, limit }: { readonly now: Millis; readonly limit: number }): Promise<number> {
    const { shards } = this.capabilities
    const rows = await this.#track(() => this.#lanes.slow.write(query('prune', PRUNE_SQL, shards, now, limit, this.#counterSlot)))
    return rows[0]![0] as number
  }

  async backup(): Promise<void> {
    throw new StoreError('back up a PostgreSQL database with its own tools, such as pg_dump', { retryable: false })
  }

  async #track<T>(call: () => Promise<T>): Promise<T> {
    this.#assertOpen()
    const answer = call()
    this.#underWay.add(answer)
    try {
      return await answer
    } finally {
      this.#underWay.delete(answer)
    }
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new StoreError('the store is closed', { retryable: false })
  }
}

function query(name: string, text: string, ...values: readonly Parameter[]): Query {
  return { name, text, values }
}
