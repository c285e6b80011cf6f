// The simplest store that keeps the port's contract: maps and sorted scans in process memory. It is the model that
// other stores are compared with, the store of simulations, and good for trying things out. Nothing survives it.

import { matchesAny } from '../../core/access.ts'
import { compareKeys } from '../../core/order.ts'
import { isFinished } from '../../core/timer.ts'
import type { Epoch, Millis, Namespace, ShardId, Status, Timer, TimerUuid } from '../../core/timer.ts'
import { StoreError } from '../store.ts'
import type {
  ClusterState,
  CommitPart,
  DueScan,
  ListCursor,
  ListFilter,
  ListPage,
  ListQuery,
  NodeBeat,
  PartResult,
  Put,
  ShardClaim,
  ShardRow,
  Store,
  StoreCapabilities,
  StoreStats,
  TimerKey,
} from '../store.ts'

type StoredTimer = { readonly shard: ShardId; readonly timer: Timer }

export class MemoryStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly #shards = new Map<ShardId, ShardRow>()
  readonly #nodes = new Map<string, NodeBeat>()
  readonly #timers = new Map<TimerUuid, StoredTimer>()
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

  async claim({ shard, expected, owner }: ShardClaim): Promise<Epoch | null> {
    this.#assertOpen()
    if ((this.#shards.get(shard)?.epoch ?? 0) !== expected) return null
    const epoch = (expected + 1) as Epoch
    this.#shards.set(shard, { shard, epoch, owner })
    return epoch
  }

  async release({ shard, epoch }: { readonly shard: ShardId; readonly epoch: Epoch }): Promise<void> {
    this.#assertOpen()
    const row = this.#shards.get(shard)
    if (row?.epoch === epoch) this.#shards.set(shard, { ...row, owner: null })
  }

  async beat(beat: NodeBeat): Promise<ClusterState> {
    this.#nodes.set(beat.node, beat)
    const nodes = Array.from(this.#nodes.values(), ({ node, address, leaving, now }) => {
      return { node, address, leaving, silentMs: beat.now - now, clockSkewMs: 0 }
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

  async due({ shard, after, until, limit }: DueScan): Promise<readonly Timer[]> {
    this.#assertOpen()
    const due: Timer[] = []
    for (const row of this.#timers.values()) {
      const { timer } = row
      if (row.shard !== shard || isFinished(timer) || timer.wakeAt > until) continue
      if (after === null || compareKeys(timer, after) > 0) due.push(timer)
    }
    return due.toSorted(compareKeys).slice(0, limit)
  }

  async list({ filter, after, limit }: ListQuery): Promise<ListPage> {
    this.#assertOpen()
    const matching = Array.from(this.#timers.values(), ({ timer }) => timer)
      .filter((timer) => matches(timer, filter) && (after === null || compareCursors(cursorOf(timer), after) > 0))
      .toSorted((a, b) => compareCursors(cursorOf(a), cursorOf(b)))
    const timers = matching.slice(0, limit)
    return { timers, next: matching.length > limit ? cursorOf(timers.at(-1)!) : null }
  }

  async stats(): Promise<StoreStats> {
    this.#assertOpen()
    const counts = new Map<string, { namespace: Namespace; status: Status; count: number }>()
    for (const { timer } of this.#timers.values()) {
      const key = `${timer.status}:${timer.namespace}`
      const entry = counts.get(key)
      if (entry === undefined) counts.set(key, { namespace: timer.namespace, status: timer.status, count: 1 })
      else entry.count++
    }
    return { counts: [...counts.values()] }
  }

  async prune({ now, limit }: { readonly now: Millis; readonly limit: number }): Promise<number> {
    this.#assertOpen()
    const expired = [...this.#timers.values()]
      .filter(({ timer }) => isFinished(timer) && timer.wakeAt < now)
      .toSorted((a, b) => a.shard - b.shard || compareKeys(a.timer, b.timer))
      .slice(0, limit)
    for (const { timer } of expired) this.#timers.delete(timer.uuid)
    return expired.length
  }

  async backup(): Promise<void> {
    throw new StoreError('a store in memory cannot be backed up', { retryable: false })
  }

  #commitPart({ shard, epoch, puts }: CommitPart): PartResult {
    if (this.#shards.get(shard)?.epoch !== epoch) return { fenced: true }
    const missed = new Map<number, Timer | null>()
    for (const [index, put] of puts.entries()) {
      const row = this.#timers.get(put.timer.uuid)
      if (isExpected(row, put, shard)) this.#timers.set(put.timer.uuid, { shard, timer: put.timer })
      else missed.set(index, row?.timer ?? null)
    }
    return { fenced: false, missed }
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

function matches(timer: Timer, filter: ListFilter): boolean {
  if (filter.namespace !== undefined && timer.namespace !== filter.namespace) return false
  if (filter.namespaces !== undefined && !matchesAny(filter.namespaces, timer.namespace)) return false
  if (filter.statuses !== undefined && !filter.statuses.includes(timer.status)) return false
  if (filter.dueFrom !== undefined && timer.dueAt < filter.dueFrom) return false
  if (filter.dueTo !== undefined && timer.dueAt >= filter.dueTo) return false
  return filter.metadataKey === undefined || hasMetadata(timer, filter.metadataKey, filter.metadataValue)
}

function hasMetadata(timer: Timer, key: string, value: ListFilter['metadataValue']): boolean {
  const metadata: unknown = timer.metadata === null ? null : JSON.parse(timer.metadata)
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata) || !Object.hasOwn(metadata, key)) return false
  return value === undefined || (metadata as Record<string, unknown>)[key] === value
}

function cursorOf(timer: Timer): ListCursor {
  return { finished: isFinished(timer), wakeAt: timer.wakeAt, uuid: timer.uuid }
}

function compareCursors(a: ListCursor, b: ListCursor): number {
  return a.finished === b.finished ? compareKeys(a, b) : a.finished ? 1 : -1
}
