// The store port, in two halves. TimerStore is what the engine needs to keep its promises: it remembers timers and who owns
// which shard, and decides nothing. TimerQueries is what people need to look around. Every adapter passes the suite in
// conformance/. An operation that rejects with a StoreError changed nothing, unless the error says that this is not known.

import type { ShareGroup } from '../core/timer/share-group.ts'
import type { LifecycleEvent } from '../core/events/lifecycle-event.ts'
import type { OrderKey } from '../core/timer/order.ts'
import type { TimerKind } from '../core/timer/timer-kind.ts'
import type { Epoch, Millis, Namespace, ShardId, Timer, TimerId, TimerUuid } from '../core/timer/timer.ts'
import type { TimerQueries } from './timer-queries.ts'

export { TIMER_PARTS } from './timer-queries.ts'
export type * from './timer-queries.ts'

export interface Store extends TimerStore, TimerQueries {
  /** Copies the live database into a new file, consistent as of one moment; only where capabilities.backup. */
  backup(options: { readonly path: string; readonly onProgress?: (done: number, total: number) => void }): Promise<void>
}

export interface TimerStore {
  readonly capabilities: StoreCapabilities

  /** Resolves when the store can be written to; rejects with the reason when it cannot. */
  ping(): Promise<void>
  /** Idempotent. Operations under way finish first; later ones reject. */
  close(): Promise<void>

  /**
   * Takes a shard: its epoch grows and every commit with another fence is refused from then on. A compare-and-set on the
   * epoch and the owner that the caller last saw (0 and null for a shard never owned): null when someone else was faster,
   * or when the owner has beaten although it was taken for silent. A beat and a claim at the same moment have an order:
   * either the claim is refused, or the beat is answered with the new owner.
   */
  claim(claim: ShardClaim): Promise<Epoch | null>
  /** Gives the shard up, so that the next owner need not wait; a stale epoch changes nothing. */
  release(owned: OwnedShard): Promise<void>
  /** Every shard that was ever claimed, by shard id. */
  shards(): Promise<readonly ShardRow[]>
  /**
   * Says that this node lives, and answers with what it needs to know of the others, in one round trip. Rows of
   * nodes that own nothing and have been silent for an hour may be removed. A store for one node knows no others.
   */
  beat(beat: NodeBeat): Promise<ClusterState>
  /** A secret that all nodes on this database share, made when the database was first used. */
  clusterSecret(): Promise<string>

  /**
   * Writes all parts; resolves when they are durable. A part is all or nothing: when its epoch and owner are not the shard's current ones,
   * or a row is not as the part says it was, nothing of it is written, and the answer names the rows in the way. A part names
   * a timer once, and is no larger than `capabilities.partMax`. Parts of one shard that are under way at the same time are applied
   * in the order of the calls. When one is answered, those of its shard that were called before it have been done or never will be,
   * also those that failed with an unknown outcome.
   */
  commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]>

  /** The rows as of the last commit that resolved, finished timers included, in the order of the keys; null where there is none. */
  getMany(keys: readonly TimerKey[]): Promise<readonly (Timer | null)[]>
  /**
   * Live timers of one shard in the total order, from behind `after` to `until` (inclusive), `limit` at most. Of a scan
   * that is for one namespace, or leaves some out, an adapter may read all rows in between: the caller keeps the range short.
   */
  due(scan: DueScan): Promise<readonly Timer[]>
  /** Those of the shards that have live timers up to `until` (inclusive), in one round trip. */
  dueShards(look: { readonly shards: readonly ShardId[]; readonly until: Millis }): Promise<readonly ShardId[]>
  /** Finished timers of these shards whose retention ended before `before`, `limit` at most, to be deleted by a commit. */
  expired(scan: {
    readonly shards: readonly ShardId[]
    readonly before: Millis
    readonly limit: number
  }): Promise<readonly StoredRow[]>
  /** Live or finished timers of one shard in the total order, from behind `after`, `limit` at most. */
  scan(scan: RowScan): Promise<readonly Timer[]>
  /**
   * Gives timers of one shard to another, under the fences of both, as they are. False when a fence is not the current one. Those that
   * are not in the first shard do not matter. Where a store cannot change two shards at once, a move that was cut short leaves a timer in
   * both; it is done again, and what is in the second shard then stays. Nobody else may write the two shards meanwhile. No more timers
   * than `MOVED_MAX`.
   */
  move(move: RowMove): Promise<boolean>
  /** Removes counters of slots before this one, and standing ones that count nothing, some at a time. True when there may be more. */
  forgetCounters(slotsBefore: Millis): Promise<boolean>

  /**
   * The outbox of one shard: events that were written with commits, from behind the number `after`, in the order of the
   * commits and, within a part, of its events. Numbers grow for ever, also over removals and changes of the owner.
   */
  readEvents(read: {
    readonly shard: ShardId
    readonly after: number
    readonly limit: number
  }): Promise<readonly OutboxEvent[]>
  /** Those that are gone already do not matter. Not fenced: a published event is published, whoever owns the shard now. */
  removeEvents(published: { readonly shard: ShardId; readonly numbers: readonly number[] }): Promise<void>
}

export type StoreCapabilities = {
  /** For people: logs, /readyz, metrics. Nothing branches on it. */
  readonly name: string
  /** Several nodes may open it at once. */
  readonly shared: boolean
  readonly backup: boolean
  /** How many shards timers are spread over until the layout says otherwise; fixed when the database is first used. */
  readonly shards: number
  /** How large a part of a commit may be; see `partsWithin`. None: as large as anybody makes them. */
  readonly partMax?: PartMax
  /** What a database that is paid by use has charged since the store was opened, in its own units. */
  readonly consumedUnits?: () => { readonly read: number; readonly write: number }
}

/** `items`: puts, deletes, counters and events. `bytes`: of payloads, other texts and events, as `partBytes` counts them. */
export type PartMax = { readonly items: number; readonly bytes: number }

/**
 * A shard follows from a timer's namespace and uuid by the layout. A timer is named with the same shard until it is moved, and a store
 * may look for it there alone. But one whose database can forget its last writes, and so a move, in a fail-over finds a timer in whichever
 * shard it is, and does not store another one beside it (conformance/suite/unique-timers.ts).
 */
export type TimerKey = {
  readonly namespace: Namespace
  readonly id: TimerId
  readonly uuid: TimerUuid
  readonly shard: ShardId
}

/**
 * The fence of a shard. The owner belongs to it: a database that went back in time (failed over to a standby that had not
 * received the last claims, or restored) gives the same epoch out a second time. An owner's name is that of one run of one process.
 */
export type OwnedShard = { readonly shard: ShardId; readonly epoch: Epoch; readonly owner: string }

export type ShardClaim = {
  readonly shard: ShardId
  readonly expected: Epoch
  /** The owner by that epoch; null when there is none. */
  readonly from: string | null
  readonly owner: string
  /** The new epoch is higher than this one, too: the claimer remembers it, although the database may have forgotten it. */
  readonly above?: Epoch
  /** Only if this is still the beat of the former owner; null for one of which there is no row. */
  readonly ifBeat?: number | null
}

/** By which the shard is owned when the claim succeeds. */
export function claimedEpoch({ expected, above = 0 as Epoch }: ShardClaim): Epoch {
  return (Math.max(expected, above) + 1) as Epoch
}

/** `owner` is null after a release. */
export type ShardRow = { readonly shard: ShardId; readonly epoch: Epoch; readonly owner: string | null }

export type NodeBeat = {
  readonly node: string
  /** Where other nodes reach this one; null when they cannot. */
  readonly address: string | null
  /** It hands over what it owns; others should count without it. */
  readonly leaving: boolean
  /** What rules of the layout may ask for; none unless they are given. */
  readonly labels?: readonly string[]
  /** Another one than with every other beat of this node: who sees it change knows that the node lives. */
  readonly beat: number
  /** The node's own clock, to measure how far it is off. */
  readonly now: Millis
}
export type NodeRow = {
  readonly node: string
  readonly address: string | null
  readonly leaving: boolean
  readonly labels: readonly string[]
  /** Its last one. How old it is, is for those to judge who see that it does not change, by clocks of their own. */
  readonly beat: number
  /** How far the node's clock was ahead of the store's at its last beat, as far as one round trip can tell. */
  readonly clockSkewMs: number
}
export type ClusterState = { readonly nodes: readonly NodeRow[]; readonly shards: readonly ShardRow[] }

/** `before` is the row that must be there, at its version; null: none may be. */
export type Put = { readonly before: Timer | null; readonly after: Timer }
/** Of a row, what its deletion needs. */
export type StoredRow = Pick<Timer, 'uuid' | 'namespace' | 'version' | 'status' | 'wakeAt' | 'metadata'> & {
  readonly shard: ShardId
  readonly kind: TimerKind
}
/** A number that is added to, by namespace, slot of time and name; see counters.ts. */
export type Counter = {
  readonly namespace: Namespace
  readonly slotAt: Millis
  readonly name: string
  readonly amount: number
}
export type OutboxEvent = LifecycleEvent & { readonly number: number }
export type CommitPart = OwnedShard & {
  readonly puts: readonly Put[]
  readonly deletes: readonly StoredRow[]
  /** Each name once. */
  readonly counters: readonly Counter[]
  /** For the shard's outbox. */
  readonly events: readonly LifecycleEvent[]
}

/**
 * `missed`: the rows in the way, by uuid; null for one that is not there. A row of another name is in the way of any put. `failed`: where a store writes each part by itself, what
 * a commit would have been rejected with if the part had been alone; the error says whether it may be done all the same.
 */
export type PartResult =
  | { readonly type: 'written' }
  | { readonly type: 'fenced' }
  | { readonly type: 'failed'; readonly error: StoreError }
  | { readonly type: 'missed'; readonly rows: ReadonlyMap<TimerUuid, Timer | null> }

export type DueScan = {
  readonly shard: ShardId
  /** Null: from the beginning. */
  readonly after: OrderKey | null
  readonly until: Millis
  readonly limit: number
  /** Timers of this group only; see `shareGroupOf`. */
  readonly group?: ShareGroup
  /** Timers of all share groups but these. */
  readonly except?: readonly ShareGroup[]
}

export type RowScan = {
  readonly shard: ShardId
  readonly finished: boolean
  /** Null: from the beginning. */
  readonly after: OrderKey | null
  readonly limit: number
}

export type RowMove = { readonly from: OwnedShard; readonly to: OwnedShard; readonly timers: readonly Timer[] }
export const MOVED_MAX = 500

/** The database failed. `retryable`: the same call may succeed later. `outcomeUnknown`: a write may have happened all the same. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly retryable: boolean
  readonly outcomeUnknown: boolean
  /** There is no space left. Clients may know this; the message names hosts and files, and is for the log. */
  readonly isFull: boolean

  constructor(
    message: string,
    options: { retryable?: boolean; outcomeUnknown?: boolean; isFull?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable ?? true
    this.outcomeUnknown = options.outcomeUnknown ?? false
    this.isFull = options.isFull ?? false
  }

  /** Only a person can change what is wrong: trying again is of no use. */
  static lasting(message: string): StoreError {
    return new StoreError(message, { retryable: false })
  }
}
