// The store port: remembers timers and shard ownership, decides nothing. Every adapter passes the suite in
// conformance.ts. An operation that rejects with a StoreError changed nothing, unless the error says that
// this is not known.

import type { NamespacePattern } from '../core/access.ts'
import type { OrderKey } from '../core/order.ts'
import type { Epoch, Millis, Namespace, ShardId, Status, Timer, TimerId, TimerUuid } from '../core/timer.ts'

export interface Store {
  readonly capabilities: StoreCapabilities

  /** Resolves when the store can be written to; rejects with the reason when it cannot. */
  ping(): Promise<void>
  /** Idempotent. Operations under way finish first; later ones reject. */
  close(): Promise<void>

  /**
   * Takes a shard: its epoch grows by one and every commit with an older epoch is refused from then on.
   * A compare-and-set on `expected`, the epoch the caller last saw (0 for a shard never owned): null when
   * someone else was faster.
   */
  claim(claim: ShardClaim): Promise<Epoch | null>
  /** Gives the shard up, so that the next owner need not wait; a stale epoch changes nothing. */
  release(owned: { readonly shard: ShardId; readonly epoch: Epoch }): Promise<void>
  /** Every shard that was ever claimed, by shard id. */
  shards(): Promise<readonly ShardRow[]>
  /**
   * Says that this node lives, and answers with what it needs to know of the others, in one round trip. Rows of
   * nodes that have been silent for an hour are removed. A store for one node knows no others.
   */
  beat(beat: NodeBeat): Promise<ClusterState>
  /** A secret that all nodes on this database share, made when the database was first used. */
  clusterSecret(): Promise<string>

  /**
   * Writes all parts; resolves when they are durable. Each part is atomic by itself and fenced: `fenced`
   * when its epoch is not the shard's current one, and then nothing of it was written. A put whose
   * expectation is not met is skipped and answers with the row that is there, while the rest of its part
   * is written. Puts of one part are applied in order and see each other.
   */
  commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]>

  /** The row as of the last commit that resolved, finished timers included; null when there is none. */
  get(key: TimerKey): Promise<Timer | null>
  /** Answers in the order of the keys. */
  getMany(keys: readonly TimerKey[]): Promise<readonly (Timer | null)[]>
  /** Live timers of one shard in the total order, from behind `after` to `until` (inclusive), `limit` at most. */
  due(scan: DueScan): Promise<readonly Timer[]>
  /** Timers of all shards that match, live ones first by wake time, then finished ones by expiry; see ListPage. */
  list(query: ListQuery): Promise<ListPage>
  /** How many timers there are, by namespace and status; from counters, not by counting rows. */
  stats(): Promise<StoreStats>

  /** Deletes finished timers whose retention ended before `now`, `limit` at most; how many it deleted. */
  prune(options: { readonly now: Millis; readonly limit: number }): Promise<number>
  /** Copies the live database into a new file, consistent as of one moment; only where capabilities.backup. */
  backup(options: { readonly path: string; readonly onProgress?: (done: number, total: number) => void }): Promise<void>
}

export type StoreCapabilities = {
  /** For people: logs, /readyz, metrics. Nothing branches on it. */
  readonly name: string
  /** Several nodes may open it at once. */
  readonly shared: boolean
  readonly backup: boolean
  /** How many shards timers are spread over; fixed when the database is first used. */
  readonly shards: number
}

export type TimerKey = { readonly namespace: Namespace; readonly id: TimerId; readonly uuid: TimerUuid; readonly shard: ShardId }

export type ShardClaim = { readonly shard: ShardId; readonly expected: Epoch; readonly owner: string }
/** `owner` is null after a release. */
export type ShardRow = { readonly shard: ShardId; readonly epoch: Epoch; readonly owner: string | null }

export type NodeBeat = {
  readonly node: string
  /** Where other nodes reach this one; null when they cannot. */
  readonly address: string | null
  /** It hands over what it owns; others should count without it. */
  readonly leaving: boolean
  /** The node's own clock, to measure how far it is off; a store judges silence by a clock of its own. */
  readonly now: Millis
}
export type NodeRow = {
  readonly node: string
  readonly address: string | null
  readonly leaving: boolean
  /** For how long it has not beaten; 0 for the node that asks. */
  readonly silentMs: Millis
  /** How far the node's clock was ahead of the store's at its last beat, as far as one round trip can tell. */
  readonly clockSkewMs: number
}
export type ClusterState = { readonly nodes: readonly NodeRow[]; readonly shards: readonly ShardRow[] }

/**
 * What must be there for the put to be written. The status is the one that version has, which the caller
 * knows: it lets a store keep its counters without reading the old row.
 */
export type Expectation = 'absent' | { readonly version: number; readonly status: Status }
export type Put = { readonly timer: Timer; readonly expect: Expectation }
export type CommitPart = { readonly shard: ShardId; readonly epoch: Epoch; readonly puts: readonly Put[] }

/** `missed` maps the index of a skipped put to the row that stands in its way, null when none is there. */
export type PartResult = { readonly fenced: true } | { readonly fenced: false; readonly missed: ReadonlyMap<number, Timer | null> }

export type DueScan = {
  readonly shard: ShardId
  /** Null: from the beginning. */
  readonly after: OrderKey | null
  readonly until: Millis
  readonly limit: number
}

export type ListFilter = {
  readonly namespace?: Namespace
  /** Timers whose namespace matches one of these; none match an empty list. */
  readonly namespaces?: readonly NamespacePattern[]
  readonly statuses?: readonly Status[]
  /** Bounds on `dueAt`: from inclusive, to exclusive. */
  readonly dueFrom?: Millis
  readonly dueTo?: Millis
  /** A top-level metadata key, and the text, number or boolean it must have; without a value it must be present. */
  readonly metadataKey?: string
  readonly metadataValue?: string | number | boolean
}

export type ListQuery = {
  readonly filter: ListFilter
  readonly after: ListCursor | null
  readonly limit: number
}

/** A position in the list's order: (live before finished, wake time, uuid). */
export type ListCursor = OrderKey & { readonly finished: boolean }

/**
 * `next` is null at the end. A page may be short, even empty, and still have a `next`: an adapter bounds how
 * many rows it reads for one page.
 */
export type ListPage = { readonly timers: readonly Timer[]; readonly next: ListCursor | null }

export type StoreStats = { readonly counts: readonly { readonly namespace: Namespace; readonly status: Status; readonly count: number }[] }

/** The database failed. `retryable`: the same call may succeed later. `outcomeUnknown`: a write may have happened all the same. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly retryable: boolean
  readonly outcomeUnknown: boolean

  constructor(message: string, options: { retryable?: boolean; outcomeUnknown?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable ?? true
    this.outcomeUnknown = options.outcomeUnknown ?? false
  }
}
