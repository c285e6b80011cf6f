// The simplest store that keeps the port's contract: maps and sorted scans in process memory. It is the model that
// other stores are compared with, the store of simulations, and good for trying things out. Nothing survives it.

import { compareKeys } from '../../core/timer/order.ts'
import { shareGroupOf } from '../../core/timer/share-group.ts'
import { isFinished } from '../../core/timer/timer.ts'
import type { Epoch, Millis, ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { kindOf } from '../../core/timer/timer-kind.ts'
import { judgedPart } from '../commit-sheet.ts'
import { ScanQueries } from '../queries/scan-queries.ts'
import { claimedEpoch, StoreError } from '../store.ts'
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
  PageQuery,
} from '../store.ts'
import type {
  RowMove,
  RowScan,
  PartResult,
  ShardClaim,
  ShardRow,
  Store,
  StoreCapabilities,
  StoredRow,
  StoreStats,
  TallyQuery,
} from '../store.ts'
import type { TallySums, TimerKey, TimerPage, Upcoming, UpcomingQuery } from '../store.ts'
import { MemoryCounters } from './memory-counters.ts'

export class MemoryStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly #shards = new Map<ShardId, ShardRow>()
  readonly #nodes = new Map<string, NodeBeat>()
  readonly #timers = new Map<ShardId, Map<TimerUuid, Timer>>()
  readonly #isPartitioned: boolean
  readonly #counters = new MemoryCounters()
  readonly #outbox = new Map<ShardId, OutboxEvent[]>()
  readonly #queries: ScanQueries
  #eventNumber = 0
  #closed = false

  /**
   * `shared`: several nodes of one process use it, on one clock. `partitioned`: a timer is looked for in the shard that is named and nowhere else, as in engines that keep each shard by itself. Else
   * its uuid is enough, as in SQL databases, which have an index of them all.
   */
  constructor({
    shards = 1,
    shared = false,
    partitioned = true,
  }: { shards?: number; shared?: boolean; partitioned?: boolean } = {}) {
    this.#isPartitioned = partitioned
    this.capabilities = { name: 'memory', shared, backup: false, shards }
    this.#queries = new ScanQueries({
      shards: async () => [...this.#timers.keys()],
      scan: async (scan) => this.#scan(scan),
      counters: async (range) => this.#counters.read(range),
    })
  }

  async ping(): Promise<void> {
    this.#assertOpen()
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  async claim(claim: ShardClaim): Promise<Epoch | null> {
    this.#assertOpen()
    const { shard, expected, from, owner, ifBeat } = claim
    const row = this.#shards.get(shard)
    if ((row?.epoch ?? 0) !== expected || (row?.owner ?? null) !== from) return null
    if (ifBeat !== undefined && from !== null && (this.#nodes.get(from)?.beat ?? null) !== ifBeat) return null
    const epoch = claimedEpoch(claim)
    this.#shards.set(shard, { shard, epoch, owner })
    return epoch
  }

  async release({ shard, epoch, owner }: OwnedShard): Promise<void> {
    this.#assertOpen()
    const row = this.#shards.get(shard)
    if (row?.epoch === epoch && row.owner === owner) this.#shards.set(shard, { ...row, owner: null })
  }

  async beat(beat: NodeBeat): Promise<ClusterState> {
    this.#nodes.set(beat.node, beat)
    const nodes = Array.from(this.#nodes.values(), ({ node, address, leaving, labels = [], beat: last }) => {
      return { node, address, leaving, labels, beat: last, clockSkewMs: 0 }
    })
    return { nodes, shards: await this.shards() }
  }

  async clusterSecret(): Promise<string> {
    return 'one process'
  }

  async shards(): Promise<readonly ShardRow[]> {
    this.#assertOpen()
    return [...this.#shards.values()].toSorted((a, b) => a.shard - b.shard)
  }

  async commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    this.#assertOpen()
    return parts.map((part) => this.#commitPart(part))
  }

  async getMany(keys: readonly TimerKey[]): Promise<readonly (Timer | null)[]> {
    this.#assertOpen()
    return keys.map(({ shard, uuid, id, namespace }) => {
      const timer = this.#find(shard, uuid)?.timer
      return timer !== undefined && timer.id === id && timer.namespace === namespace ? timer : null
    })
  }

  async due({ shard, after, until, limit, group, except = [] }: DueScan): Promise<readonly Timer[]> {
    this.#assertOpen()
    const rows = this.#scan({ shard, finished: false, after, limit: Infinity })
    const excepted = new Set(except)
    const isMeant = (timer: Timer) =>
      (group === undefined || shareGroupOf(timer) === group) && !excepted.has(shareGroupOf(timer))
    return rows.filter((timer) => timer.wakeAt <= until && isMeant(timer)).slice(0, limit)
  }

  async dueShards({
    shards,
    until,
  }: {
    readonly shards: readonly ShardId[]
    readonly until: Millis
  }): Promise<readonly ShardId[]> {
    this.#assertOpen()
    return shards.filter(
      (shard) => (this.#scan({ shard, finished: false, after: null, limit: 1 })[0]?.wakeAt ?? Infinity) <= until,
    )
  }

  async expired({
    shards,
    before,
    limit,
  }: {
    shards: readonly ShardId[]
    before: Millis
    limit: number
  }): Promise<readonly StoredRow[]> {
    this.#assertOpen()
    const rows = shards.flatMap((shard) =>
      this.#scan({ shard, finished: true, after: null, limit }).map((timer) => ({ shard, timer })),
    )
    const past = rows.filter(({ timer }) => timer.wakeAt < before).slice(0, limit)
    return past.map(({ shard, timer: { uuid, namespace, version, status, wakeAt, metadata, ...timer } }) => {
      return { shard, uuid, namespace, version, status, wakeAt, metadata, kind: kindOf(timer) }
    })
  }

  async scan(scan: RowScan): Promise<readonly Timer[]> {
    this.#assertOpen()
    return this.#scan(scan)
  }

  async move({ from, to, timers }: RowMove): Promise<boolean> {
    this.#assertOpen()
    if (!this.#isOwned(from) || !this.#isOwned(to)) return false
    for (const { uuid } of timers) {
      const timer = this.#timersOf(from.shard).get(uuid)
      if (timer === undefined) continue
      this.#timersOf(from.shard).delete(uuid)
      if (!this.#timersOf(to.shard).has(uuid)) this.#timersOf(to.shard).set(uuid, timer)
    }
    return true
  }

  async forgetCounters(slotsBefore: Millis): Promise<boolean> {
    this.#assertOpen()
    this.#counters.forget(slotsBefore)
    return false
  }

  async list(query: ListQuery): Promise<ListPage> {
    this.#assertOpen()
    return this.#queries.list(query)
  }

  async page(query: PageQuery): Promise<TimerPage> {
    this.#assertOpen()
    return this.#queries.page(query)
  }

  async stats(scope: NamespaceScope = {}): Promise<StoreStats> {
    this.#assertOpen()
    return this.#queries.stats(scope)
  }

  async tallies(query: TallyQuery): Promise<TallySums> {
    this.#assertOpen()
    return this.#queries.tallies(query)
  }

  async upcoming(query: UpcomingQuery): Promise<Upcoming> {
    this.#assertOpen()
    return this.#queries.upcoming(query)
  }

  async readEvents({
    shard,
    after,
    limit,
  }: {
    shard: ShardId
    after: number
    limit: number
  }): Promise<readonly OutboxEvent[]> {
    this.#assertOpen()
    return this.#eventsOf(shard)
      .filter(({ number }) => number > after)
      .slice(0, limit)
  }

  async removeEvents({ shard, numbers }: { shard: ShardId; numbers: readonly number[] }): Promise<void> {
    this.#assertOpen()
    const gone = new Set(numbers)
    this.#outbox.set(
      shard,
      this.#eventsOf(shard).filter(({ number }) => !gone.has(number)),
    )
  }

  async countEvents(shards: readonly ShardId[]): Promise<{ count: number; oldestAt: Millis | null }> {
    this.#assertOpen()
    const outboxes = shards.map((shard) => this.#eventsOf(shard)).filter(({ length }) => length > 0)
    const count = outboxes.reduce((sum, { length }) => sum + length, 0)
    return { count, oldestAt: count === 0 ? null : Math.min(...outboxes.map(([first]) => first!.at)) }
  }

  async backup(): Promise<void> {
    throw StoreError.lasting('a store in memory cannot be backed up')
  }

  #commitPart(part: CommitPart): PartResult {
    const { shard, puts, deletes, counters, events } = part
    const timers = this.#timersOf(shard)
    const result = judgedPart(part, this.#shards.get(shard), (uuid) => this.#find(shard, uuid))
    if (result.type !== 'written') return result
    for (const { after } of puts) timers.set(after.uuid, after)
    for (const { uuid } of deletes) timers.delete(uuid)
    for (const counter of counters) this.#counters.add(counter)
    for (const event of events) this.#eventsOf(shard).push({ ...event, number: ++this.#eventNumber })
    return result
  }

  #isOwned({ shard, epoch, owner }: OwnedShard): boolean {
    const fence = this.#shards.get(shard)
    return fence?.epoch === epoch && fence.owner === owner
  }

  #scan({ shard, finished, after, limit }: RowScan): Timer[] {
    const rows: Timer[] = []
    for (const timer of this.#timers.get(shard)?.values() ?? [])
      if (isFinished(timer) === finished && (after === null || compareKeys(timer, after) > 0)) rows.push(timer)
    return rows.toSorted(compareKeys).slice(0, limit)
  }

  #find(shard: ShardId, uuid: TimerUuid): { readonly shard: ShardId; readonly timer: Timer } | undefined {
    const timer = this.#timers.get(shard)?.get(uuid)
    if (timer !== undefined) return { shard, timer }
    if (this.#isPartitioned) return undefined
    for (const [other, timers] of this.#timers) if (timers.has(uuid)) return { shard: other, timer: timers.get(uuid)! }
    return undefined
  }

  #timersOf(shard: ShardId): Map<TimerUuid, Timer> {
    const timers = this.#timers.get(shard) ?? new Map<TimerUuid, Timer>()
    this.#timers.set(shard, timers)
    return timers
  }

  #eventsOf(shard: ShardId): OutboxEvent[] {
    const events = this.#outbox.get(shard) ?? []
    this.#outbox.set(shard, events)
    return events
  }

  #assertOpen(): void {
    if (this.#closed) throw StoreError.lasting('the store is closed')
  }
}
