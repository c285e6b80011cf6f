// The store in PostgreSQL, for as many nodes as wanted. Every call is one round trip of one statement, so there is no
// transaction that a lost connection could leave open. Commits, beats, reads and slow work have connections of their own.

import type { Epoch, JsonText, Millis, Namespace, ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { parsePostgresUrl } from '../../runtime/config/postgres-location.ts'
import type { PostgresLocation } from '../../runtime/config/postgres-location.ts'
import { kindAt, statusOf } from '../row/codes.ts'
import { inOrderOf } from '../key-lookup.ts'
import { StoreError } from '../store.ts'
import type {
  ClusterState,
  CommitPart,
  DueScan,
  ListPage,
  ListQuery,
  NamespaceScope,
  NodeBeat,
  OutboxEvent,
  OwnedShard,
  PartResult,
  ShardClaim,
} from '../store.ts'
import type {
  PageQuery,
  ShardRow,
  Store,
  StoreCapabilities,
  StoredRow,
  StoreStats,
  TallyQuery,
  TallySums,
  TimerKey,
} from '../store.ts'
import type { TimerPage, Upcoming, UpcomingQuery } from '../store.ts'
import { RowType } from '../row/columns.ts'
import { columnParameter } from './connection/array-parameters.ts'
import { commitQuery, partResults, SELECT_CELLS, timersOfRows } from './commit.ts'
import { Connections } from './connection/connections.ts'
import { CounterLog } from './counter-log.ts'
import type { Parameter, Query } from './connection/connections.ts'
import { Lister } from './lists/lister.ts'
import type { StoreRow } from './setup/migrations.ts'
import { GatheredClaims } from './gathered-claims.ts'
import { beatQuery, clusterState, shardRows, shardsQuery } from './ownership.ts'
import { countEventsQuery, eventsOfRows, readEventsQuery, removeEventsQuery } from './outbox.ts'
import { pageOf } from './lists/pages.ts'
import { prepareDatabase } from './setup/prepare-database.ts'
import { PreparedReads } from './connection/statement.ts'
import { Statistics } from './lists/statistics.ts'

export type PostgresOptions = ({ readonly url: string } | PostgresLocation) & {
  /** Connections of this node, 5 at least. */
  readonly poolSize?: number
  readonly statementTimeoutMs?: number
  /** A beat that has not been answered by then is given up, so that the next one can be made before others take the shards. */
  readonly beatWithinMs?: number
  /** How many shards a new database gets. */
  readonly shards?: number
  readonly logger?: Logger
}

const SHARDS_DEFAULT = 64
const POOL_SIZE_MIN = 5 // one of each kind
const POOL_SIZE_DEFAULT = 8
const STATEMENT_TIMEOUT_DEFAULT_MS = 10_000
const BEAT_WITHIN_DEFAULT_MS = 2_000

const IDLE_MS = 60_000

const PING_SQL = 'UPDATE timer_store SET pinged_at = now()'
const GET_SQL = `SELECT ${SELECT_CELLS} FROM timers WHERE timer_uuid = ANY ($1)`
const DUE_RANGE = `
  shard_id = $1 AND row_type = ${RowType.live} AND (timer_execute_at, timer_uuid) > ($2, $3) AND timer_execute_at <= $4`
const DUE_ORDER = 'ORDER BY timer_execute_at, timer_uuid LIMIT $5'
const DUE_SQL = `SELECT ${SELECT_CELLS} FROM timers WHERE ${DUE_RANGE} ${DUE_ORDER}`
// Written so that only the range of the primary key fits: the index by namespace goes through the rows of all shards.
/** See `partyOf`. */
const PARTY = `coalesce('@' || timer_tenant, timer_namespace)`
const DUE_IN_SOME_SQL = `
  SELECT ${SELECT_CELLS} FROM timers
  WHERE ${DUE_RANGE} AND ($6::text IS NULL OR ${PARTY} = $6) AND ${PARTY} <> ALL ($7)
  ${DUE_ORDER}`
// A scan of its own for each shard, which ends at its first row.
const DUE_SHARDS_SQL = `
  SELECT asked.shard FROM unnest($1::integer[]) AS asked (shard)
  CROSS JOIN LATERAL (
    SELECT FROM timers WHERE shard_id = asked.shard AND row_type = ${RowType.live} AND timer_execute_at <= $2 ORDER BY timer_execute_at LIMIT 1
  ) AS due`

const EXPIRED_SQL = `
  SELECT oldest.* FROM unnest($1::integer[]) AS source (shard)
  CROSS JOIN LATERAL (
    SELECT shard_id, timer_uuid, timer_namespace, timer_version, timer_status, timer_kind, timer_metadata FROM timers
    WHERE shard_id = source.shard AND row_type = ${RowType.finished} AND timer_execute_at < $2
    ORDER BY timer_execute_at, timer_uuid LIMIT $3
  ) AS oldest
  LIMIT $3`
type ExpiredFields = [ShardId, TimerUuid, Namespace, number, number, number, JsonText | null]

const BEFORE_ALL = { wakeAt: Number.MIN_SAFE_INTEGER, uuid: '0'.repeat(32) }

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const {
    poolSize = POOL_SIZE_DEFAULT,
    statementTimeoutMs = STATEMENT_TIMEOUT_DEFAULT_MS,
    shards,
    logger = null,
  } = options
  const { beatWithinMs = BEAT_WITHIN_DEFAULT_MS } = options
  const location = 'url' in options ? parsePostgresUrl(options.url) : options
  const database = await prepareDatabase({ location, shards: shards ?? SHARDS_DEFAULT, logger })
  if (shards !== undefined && shards !== database.shards) {
    logger?.warn(
      { configured: shards, shards: database.shards },
      'the configured number of shards is ignored: it was fixed when this database was first used',
    )
  }
  const lanes = lanesFor(location, { poolSize: Math.max(poolSize, POOL_SIZE_MIN), statementTimeoutMs, beatWithinMs })
  return new PostgresStore(database, lanes, logger)
}

type Lanes = {
  /** One connection, pipelined: commits are done in their order. */
  readonly commits: Connections
  /** One connection for beats and claims, which must not wait for anything. */
  readonly ownership: Connections
  /** Short reads that timers and requests wait for. */
  readonly reads: Connections
  /** What may take a while: lists, statistics, pruning, adding up what was counted. */
  readonly slow: Connections
  /** What may take long: pages with exact totals. */
  readonly pages: Connections
}

type LaneOptions = { readonly poolSize: number; readonly statementTimeoutMs: number; readonly beatWithinMs: number }

function lanesFor(location: PostgresLocation, { poolSize, statementTimeoutMs, beatWithinMs }: LaneOptions): Lanes {
  const shared = { location, statementTimeoutMs, plans: 'once' } as const
  // The server gives up first, and says so.
  const beats = { statementTimeoutMs: Math.round(beatWithinMs * 0.8), patienceMs: beatWithinMs }
  const slow = Math.max(1, Math.floor((poolSize - 3) / 3))
  return {
    commits: new Connections({ ...shared, max: 1, idleMs: 0, pipelined: true }),
    ownership: new Connections({ ...shared, ...beats, max: 1, idleMs: 0 }),
    reads: new Connections({ ...shared, max: poolSize - 3 - slow, idleMs: IDLE_MS }),
    slow: new Connections({ ...shared, max: slow, idleMs: IDLE_MS }),
    pages: new Connections({ ...shared, max: 1, idleMs: IDLE_MS, plans: 'each time' }),
  }
}

class PostgresStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly #lanes: Lanes
  readonly #clusterSecret: string
  readonly #lister: Lister
  readonly #statistics: Statistics
  readonly #pages: PreparedReads
  readonly #claims: GatheredClaims
  readonly #counterLog: CounterLog
  readonly #underWay = new Set<Promise<unknown>>()
  #closing: Promise<void> | null = null

  constructor({ shards, clusterSecret }: StoreRow, lanes: Lanes, logger: Logger | null) {
    this.capabilities = { name: 'postgres', shared: true, backup: false, shards }
    this.#clusterSecret = clusterSecret
    this.#lanes = lanes
    this.#claims = new GatheredClaims(lanes.ownership)
    this.#counterLog = new CounterLog(lanes.slow, logger)
    const reads = new PreparedReads(lanes.slow, 'slow')
    this.#lister = new Lister(reads, shards)
    this.#statistics = new Statistics(reads, shards)
    this.#pages = new PreparedReads(lanes.pages, 'page')
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
    this.#counterLog.stop()
    await Promise.allSettled(this.#underWay)
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.end()))
  }

  async claim(claim: ShardClaim): Promise<Epoch | null> {
    return this.#track(() => this.#claims.claim(claim))
  }

  async release(owned: OwnedShard): Promise<void> {
    await this.#track(() => this.#claims.release(owned))
  }

  async shards(): Promise<readonly ShardRow[]> {
    return shardRows(await this.#track(() => this.#lanes.ownership.read(shardsQuery())))
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
    const rows = await this.#track(() => this.#lanes.commits.write(commitQuery(parts)))
    // The store may be closing by now; what is not folded is counted all the same.
    if (this.#counterLog.added()) this.#track(() => this.#counterLog.fold()).catch(() => {})
    return partResults(parts, rows)
  }

  async getMany(keys: readonly TimerKey[]): Promise<readonly (Timer | null)[]> {
    const uuids = columnParameter(
      'uuid',
      keys.map(({ uuid }) => uuid),
    )
    return inOrderOf(keys, timersOfRows(await this.#track(() => this.#lanes.reads.read(query('get', GET_SQL, uuids)))))
  }

  async due({ shard, after, until, limit, party, except = [] }: DueScan): Promise<readonly Timer[]> {
    const { wakeAt, uuid } = after ?? BEFORE_ALL
    const range = [shard, wakeAt, uuid, until, limit]
    const isOfAll = party === undefined && except.length === 0
    const scan = isOfAll
      ? query('due', DUE_SQL, ...range)
      : query('due-in-some', DUE_IN_SOME_SQL, ...range, party ?? null, columnParameter('text', except))
    return timersOfRows(await this.#track(() => this.#lanes.reads.read(scan)))
  }

  async dueShards({
    shards,
    until,
  }: {
    readonly shards: readonly ShardId[]
    readonly until: Millis
  }): Promise<readonly ShardId[]> {
    const look = query('due-shards', DUE_SHARDS_SQL, columnParameter('int4', shards), until)
    const rows = await this.#track(() => this.#lanes.reads.read(look))
    return rows.map(([shard]) => shard as ShardId)
  }

  async list(listed: ListQuery): Promise<ListPage> {
    return this.#track(() => this.#lister.list(listed))
  }

  async page(paged: PageQuery): Promise<TimerPage> {
    return this.#track(() => pageOf(paged, this.#pages))
  }

  async stats(scope: NamespaceScope = {}): Promise<StoreStats> {
    return this.#track(() => this.#statistics.stats(scope))
  }

  async tallies(asked: TallyQuery): Promise<TallySums> {
    return this.#track(() => this.#statistics.tallies(asked))
  }

  async upcoming(asked: UpcomingQuery): Promise<Upcoming> {
    return this.#track(() => this.#statistics.upcoming(asked))
  }

  async readEvents(read: {
    readonly shard: ShardId
    readonly after: number
    readonly limit: number
  }): Promise<readonly OutboxEvent[]> {
    return eventsOfRows(await this.#track(() => this.#lanes.reads.read(readEventsQuery(read))))
  }

  async removeEvents(published: { readonly shard: ShardId; readonly numbers: readonly number[] }): Promise<void> {
    if (published.numbers.length > 0) await this.#track(() => this.#lanes.slow.write(removeEventsQuery(published)))
  }

  async countEvents(shards: readonly ShardId[]): Promise<{ readonly count: number; readonly oldestAt: Millis | null }> {
    const [row] = await this.#track(() => this.#lanes.slow.read(countEventsQuery(shards)))
    return { count: row![0] as number, oldestAt: row![1] as number | null }
  }

  async expired({ shards, before, limit }: Parameters<Store['expired']>[0]): Promise<readonly StoredRow[]> {
    const scan = query('expired', EXPIRED_SQL, columnParameter('int4', shards), before, limit)
    const rows = (await this.#track(() => this.#lanes.slow.read(scan))) as unknown as ExpiredFields[]
    return rows.map(([shard, uuid, namespace, version, status, kind, metadata]) => {
      return { shard, uuid, namespace, version, status: statusOf(status), kind: kindAt(kind), metadata }
    })
  }

  async forgetCounters(slotsBefore: Millis): Promise<boolean> {
    await this.#track(() => this.#counterLog.fold())
    return this.#track(() => this.#counterLog.forget(slotsBefore))
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
