// Everything that only reads, on a connection of its own, so that a long list never holds up a commit. Runs in the
// reader's worker thread. Rows leave as flat cells; the main thread makes timers of them.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { matchesAny } from '../../core/access/access.ts'
import type { NamespacePattern } from '../../core/access/access.ts'
import type { Epoch, JsonText, Millis, Namespace, ShardId, TimerUuid } from '../../core/timer/timer.ts'
import type {
  DueScan,
  ListFilter,
  ListQuery,
  NamespaceScope,
  OutboxEvent,
  ShardRow,
  Store,
  StoredRow,
  StoreStats,
} from '../store.ts'
import { COUNTS } from '../counters.ts'
import { kindAt, statusOf } from '../row/codes.ts'
import { RowType } from '../row/columns.ts'
import type { Cell } from '../row/columns.ts'
import { COUNTS_SQL, countsIn } from './counts.ts'
import { Lister } from './lists/lister.ts'
import type { ListReply, Source } from './lists/lister.ts'
import { rangeOf } from './lists/namespaces.ts'
import { OutboxReader } from './outbox.ts'
import type { EventsRead } from './outbox.ts'
import { SHARDS_SQL } from './shard-rows.ts'
import { EXPIRED_SQL, SELECT_CELLS } from './statements.ts'

const SORTED_TIMERS_MAX = 50_000 // about 30 ms
const SORTED_NAMESPACES_MAX = 50 // each is a query of its own

// Parameters: shard, wake time and uuid to begin behind, last wake time, limit.
const DUE_RANGE = `
  shard_id = ?1 AND row_type = ${RowType.live} AND (timer_execute_at, timer_uuid) > (?2, unhex(?3)) AND timer_execute_at <= ?4`
const DUE_ORDER = 'ORDER BY timer_execute_at, timer_uuid LIMIT ?5'
const DUE_SQL = `SELECT ${SELECT_CELLS} FROM timers WHERE ${DUE_RANGE} ${DUE_ORDER}`
// The plus keeps to the range of the primary key: by namespace, all rows that the namespace ever had would be read and sorted.
/** See `partyOf`. */
const PARTY = `coalesce('@' || timer_tenant, timer_namespace)`
const DUE_IN_SOME_SQL = `
  SELECT ${SELECT_CELLS} FROM timers
  WHERE ${DUE_RANGE} AND (?6 IS NULL OR ${PARTY} = ?6) AND ${PARTY} NOT IN (SELECT value FROM json_each(?7))
  ${DUE_ORDER}`

type ExpiredScan = Parameters<Store['expired']>[0]
type ExpiredFields = [ShardId, TimerUuid, Namespace, number, number, number, JsonText | null]

export class Reader {
  readonly #db: DatabaseSync
  readonly #lister: Lister
  readonly #outbox: OutboxReader
  readonly #select: StatementSync
  readonly #due: StatementSync
  readonly #dueInSome: StatementSync
  readonly #expired: StatementSync
  readonly #anyDue: StatementSync
  readonly #shards: StatementSync
  readonly #counts: StatementSync
  readonly #namespaceCounts: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#lister = new Lister(db)
    this.#outbox = new OutboxReader(db)
    this.#select = db.prepare(`SELECT ${SELECT_CELLS} FROM timers WHERE timer_uuid = unhex(?)`)
    this.#select.setReturnArrays(true)
    this.#due = db.prepare(DUE_SQL)
    this.#due.setReturnArrays(true)
    this.#dueInSome = db.prepare(DUE_IN_SOME_SQL)
    this.#dueInSome.setReturnArrays(true)
    this.#anyDue = db.prepare(
      `SELECT 1 FROM timers WHERE shard_id = ? AND row_type = ${RowType.live} AND timer_execute_at <= ? LIMIT 1`,
    )
    this.#shards = db.prepare(SHARDS_SQL)
    this.#expired = db.prepare(EXPIRED_SQL)
    this.#expired.setReturnArrays(true)
    this.#counts = db.prepare(COUNTS_SQL)
    this.#namespaceCounts = db.prepare(`
      SELECT timer_namespace AS namespace, sum(counter_amount) AS count FROM timer_counters
      WHERE slot_at = ${COUNTS} AND timer_namespace BETWEEN ? AND ? GROUP BY timer_namespace LIMIT ${SORTED_NAMESPACES_MAX + 1}`)
  }

  /** The rows that are there, in the order of the uuids; the others are left out. */
  getMany(uuids: readonly string[]): Cell[] {
    const cells: Cell[] = []
    for (const uuid of uuids) {
      const row = this.#select.get(uuid) as unknown as Cell[] | undefined
      if (row !== undefined) cells.push(...row)
    }
    return cells
  }

  dueShards({ shards, until }: { readonly shards: readonly ShardId[]; readonly until: Millis }): ShardId[] {
    return shards.filter((shard) => this.#anyDue.get(shard, until) !== undefined)
  }

  due({ shard, after, until, limit, party, except = [] }: DueScan): Cell[] {
    // No time is smaller than this, and no uuid is shorter than none: before everything.
    const range = [shard, after?.wakeAt ?? Number.MIN_SAFE_INTEGER, after?.uuid ?? '', until, limit]
    const isOfAll = party === undefined && except.length === 0
    const rows = isOfAll
      ? this.#due.all(...range)
      : this.#dueInSome.all(...range, party ?? null, JSON.stringify(except))
    return (rows as unknown as Cell[][]).flat()
  }

  expired({ shards, before, limit }: ExpiredScan): StoredRow[] {
    const rows = this.#expired.all(JSON.stringify(shards), before, limit) as unknown as ExpiredFields[]
    return rows.map(([shard, uuid, namespace, version, status, kind, metadata]) => {
      return { shard, uuid, namespace, version, status: statusOf(status), kind: kindAt(kind), metadata }
    })
  }

  list(query: ListQuery): ListReply {
    return this.#lister.list(query, (filter) => this.#sourcesOf(filter))
  }

  stats(scope: NamespaceScope): StoreStats {
    return { counts: countsIn(this.#counts, scope) }
  }

  shards(): ShardRow[] {
    return this.#shards.all().map((row) => {
      return {
        shard: row['shard_id'] as ShardId,
        epoch: row['shard_epoch'] as Epoch,
        owner: row['shard_owner'] as string | null,
      }
    })
  }

  readEvents(read: EventsRead): OutboxEvent[] {
    return this.#outbox.read(read)
  }

  close(): void {
    this.#db.close()
  }

  /** Small namespaces are sorted for every page; large ones are met often enough by reading everything in order. */
  #sourcesOf({ namespace, namespaces }: ListFilter): readonly Source[] {
    if (namespace !== undefined && namespaces !== undefined && !matchesAny(namespaces, namespace)) return []
    const small =
      namespace === undefined ? namespaces && this.#smallNamespaces(namespaces) : this.#smallNamespaces([namespace])
    return small?.map((name) => ({ namespace: name })) ?? this.shards().map(({ shard }) => ({ shard }))
  }

  /** The namespaces that are there and match; null when they, or their timers, are too many to be sorted. */
  #smallNamespaces(patterns: readonly (Namespace | NamespacePattern)[]): readonly string[] | null {
    const counts = new Map<string, number>()
    for (const pattern of patterns) {
      const [first, last] = rangeOf(pattern)
      for (const row of this.#namespaceCounts.all(first, last))
        counts.set(row['namespace'] as string, row['count'] as number)
      if (counts.size > SORTED_NAMESPACES_MAX) return null
    }
    return counts.values().reduce((sum, count) => sum + count, 0) <= SORTED_TIMERS_MAX ? [...counts.keys()] : null
  }
}
