// The simplest store that keeps the port's contract: maps and sorted scans in process memory. It is the model that
// other stores are compared with, the store of simulations, and good for trying things out. Nothing survives it.

import { compareKeys } from '../../core/order.ts'
import { isFinished } from '../../core/timer.ts'
import type { Epoch, Millis, ShardId, Timer, TimerUuid } from '../../core/timer.ts'
import { kindOf } from '../../core/timer-kind.ts'
import { claimedEpoch, StoreError } from '../store.ts'
import type {
  ClusterState,
  CommitPart,
  DueScan,
  ListCursor,
  ListPage,
  ListQuery,
  NamespaceScope,
  NodeBeat,
  OutboxEvent,
  OwnedShard,
  PageQuery,
  PartResult,
  Put,
  ShardClaim,
  ShardRow,
  Store,
  StoreCapabilities,
  StoreStats,
  TallyQuery,
  TallySums,
  TimerCount,
  TimerKey,
  TimerPage,
  Upcoming,
  UpcomingQuery,
} from '../store.ts'
import { fitting, isInScope, matches, pageOf, upcomingOf } from './memory-queries.ts'
import { MemoryTallies } from './memory-tallies.ts'

type StoredTimer = { readonly shard: ShardId; readonly timer: Timer }

export class MemoryStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly #shards = new Map<ShardId, ShardRow>()
  readonly #nodes = new Map<string, NodeBeat>()
  readonly #timers = new Map<TimerUuid, StoredTimer>()
  readonly #tallies = new MemoryTallies()
  readonly #outbox = new Map<ShardId, OutboxEvent[]>()
  #eventNumber = 0
  #closed = false

  /** `shared`: several nodes of one process use it, on one clock. */
  constructor({ shards = 1, shared = false }: { shards?: number; shared?: boolean } = {}) {
    this.capabilities = { name: 'memory', shared, backup: false, shards }
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
    const nodes = Array.from(this.#nodes.values(), ({ node, address, leaving, beat: last }) => {
      return { node, address, leaving, beat: last, clockSkewMs: 0 }
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
    for (const part of parts) for (const { timer } of part.puts) this.#assertNoCollision(timer)
    return parts.map((part) => this.#commitPart(part))
  }

  async get(key: TimerKey): Promise<Timer | null> {
    this.#assertOpen()
    const timer = this.#timers.get(key.uuid)?.timer
    return timer !== undefined && timer.id === key.id && timer.namespace === key.namespace ? timer : null
  }

  async getMany(keys: readonly TimerKey[]): Promise<readonly (Timer | null)[]> {
    return Promise.all(keys.map((key) => this.get(key)))
  }

  async due({ shard, after, until, limit, namespace, except = [] }: DueScan): Promise<readonly Timer[]> {
    this.#assertOpen()
    const due: Timer[] = []
    for (const row of this.#timers.values()) {
      const { timer } = row
      if (row.shard !== shard || isFinished(timer) || timer.wakeAt > until) continue
      if ((namespace !== undefined && timer.namespace !== namespace) || except.includes(timer.namespace)) continue
      if (after === null || compareKeys(timer, after) > 0) due.push(timer)
    }
    return due.toSorted(compareKeys).slice(0, limit)
  }

  async list({ filter, after, ...size }: ListQuery): Promise<ListPage> {
    this.#assertOpen()
    const matching = this.#all()
      .filter((timer) => matches(timer, filter) && (after === null || compareCursors(cursorOf(timer), after) > 0))
      .toSorted((a, b) => compareCursors(cursorOf(a), cursorOf(b)))
    const timers = fitting(matching, size)
    return { timers, next: matching.length > timers.length ? cursorOf(timers.at(-1)!) : null }
  }

  async page(query: PageQuery): Promise<TimerPage> {
    this.#assertOpen()
    return pageOf(this.#all(), query)
  }

  async stats(scope: NamespaceScope = {}): Promise<StoreStats> {
    this.#assertOpen()
    const counts = new Map<string, TimerCount>()
    for (const timer of this.#all()) {
      if (!isInScope(timer.namespace, scope)) continue
      const kind = kindOf(timer)
      const key = `${timer.status}:${kind}:${timer.namespace}`
      const count = (counts.get(key)?.count ?? 0) + 1
      counts.set(key, { namespace: timer.namespace, status: timer.status, kind, count })
    }
    return { counts: [...counts.values()] }
  }

  async tallies(query: TallyQuery): Promise<TallySums> {
    this.#assertOpen()
    return this.#tallies.sums(query)
  }

  async upcoming(query: UpcomingQuery): Promise<Upcoming> {
    this.#assertOpen()
    return upcomingOf(this.#all(), query)
  }

  async readEvents({ shard, after, limit }: { shard: ShardId; after: number; limit: number }): Promise<readonly OutboxEvent[]> {
    this.#assertOpen()
    return this.#eventsOf(shard).filter(({ number }) => number > after).slice(0, limit)
  }

  async removeEvents({ shard, numbers }: { shard: ShardId; numbers: readonly number[] }): Promise<void> {
    this.#assertOpen()
    const gone = new Set(numbers)
    this.#outbox.set(shard, this.#eventsOf(shard).filter(({ number }) => !gone.has(number)))
  }

  async countEvents(shards: readonly ShardId[]): Promise<{ count: number; oldestAt: Millis | null }> {
    this.#assertOpen()
    const outboxes = shards.map((shard) => this.#eventsOf(shard)).filter(({ length }) => length > 0)
    const count = outboxes.reduce((sum, { length }) => sum + length, 0)
    return { count, oldestAt: count === 0 ? null : Math.min(...outboxes.map(([first]) => first!.at)) }
  }

  async prune({ now, limit }: { readonly now: Millis; readonly limit: number }): Promise<number> {
    this.#assertOpen()
    const expired = [...this.#timers.values()]
      .filter(({ timer }) => isFinished(timer) && timer.wakeAt < now)
      .toSorted((a, b) => a.shard - b.shard || compareKeys(a.timer, b.timer))
      .slice(0, limit)
    for (const { timer } of expired) this.#timers.delete(timer.uuid)
    this.#tallies.prune(now)
    return expired.length
  }

  async backup(): Promise<void> {
    throw new StoreError('a store in memory cannot be backed up', { retryable: false })
  }

  #commitPart({ shard, epoch, owner, puts }: CommitPart): PartResult {
    const fence = this.#shards.get(shard)
    if (fence?.epoch !== epoch || fence.owner !== owner) return { fenced: true }
    const missed = new Map<number, Timer | null>()
    for (const [index, put] of puts.entries()) {
      const row = this.#timers.get(put.timer.uuid)
      if (!isExpected(row, put, shard)) {
        missed.set(index, row?.timer ?? null)
        continue
      }
      this.#timers.set(put.timer.uuid, { shard, timer: put.timer })
      this.#tallies.add(put.timer.namespace, put.tallies ?? [])
      for (const event of put.events ?? []) this.#eventsOf(shard).push({ ...event, number: ++this.#eventNumber })
    }
    return { fenced: false, missed }
  }

  #eventsOf(shard: ShardId): OutboxEvent[] {
    const known = this.#outbox.get(shard)
    if (known !== undefined) return known
    const events: OutboxEvent[] = []
    this.#outbox.set(shard, events)
    return events
  }

  #all(): Timer[] {
    return Array.from(this.#timers.values(), ({ timer }) => timer)
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError('the store is closed', { retryable: false })
  }

  /** Two timers with one hash: as good as impossible, and neither may overwrite the other. */
  #assertNoCollision({ uuid, namespace, id }: Timer): void {
    const stored = this.#timers.get(uuid)?.timer
    if (stored === undefined || (stored.namespace === namespace && stored.id === id)) return
    throw new StoreError(`timers ${stored.namespace}/${stored.id} and ${namespace}/${id} have the same uuid ${uuid}`, { retryable: false })
  }
}

/** The owner of one shard cannot change a row of another. */
function isExpected(row: StoredTimer | undefined, { expect }: Put, shard: ShardId): boolean {
  if (expect === 'absent') return row === undefined
  return row !== undefined && row.shard === shard && row.timer.version === expect.version
}

function cursorOf(timer: Timer): ListCursor {
  return { finished: isFinished(timer), wakeAt: timer.wakeAt, uuid: timer.uuid }
}

function compareCursors(a: ListCursor, b: ListCursor): number {
  return a.finished === b.finished ? compareKeys(a, b) : a.finished ? 1 : -1
}
