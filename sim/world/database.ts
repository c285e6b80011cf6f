// The database that all nodes share, as its server sees it: every call happens at one moment, one after the other. Timers
// are kept by the store in memory. Who owns which shard, and who has beaten, is kept here, because a fail-over can forget
// the last of it. A standby has a part of one history, up to some moment: so the layout is that of the same moment, and every timer
// is in the shard that it was in then. But what was written to timers since stays, as a database that loses it is not covered.
//
// Databases that can fail over so are SQL databases, which find a timer by its uuid, whatever shard is named. Those that keep each shard by
// itself write to a majority and forget nothing; but they move timers in two steps, and may be stopped in between.

import { shardsOf } from '../../src/core/cluster/layout.ts'
import type { Layout, PlacedTimer } from '../../src/core/cluster/layout.ts'
import { isSplitting, placeOf, placesOf } from '../../src/core/cluster/split.ts'
import type { Epoch, ShardId, Timer, TimerUuid } from '../../src/core/timer/timer.ts'
import { clusterLook } from '../../src/store/layout/layout-row.ts'
import { moveEvents } from '../../src/store/layout/move-events.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { claimedEpoch } from '../../src/store/store.ts'
import type {
  ClusterState,
  CommitPart,
  NodeBeat,
  OwnedShard,
  PartResult,
  RowMove,
  ShardClaim,
  ShardRow,
  Store,
  StoreCapabilities,
} from '../../src/store/store.ts'
import type { OwnerChange } from '../history.ts'
import { EPOCH } from './node-clock.ts'
import type { Scheduler } from './scheduler.ts'

type Ownership = { readonly shards: ReadonlyMap<ShardId, ShardRow>; readonly nodes: ReadonlyMap<string, NodeBeat> }

const SERVER = 'database'
const REMEMBERED_MS = 5_000
/** Those of a layout, and of one that splits each of them in three. */
export const SHARDS_TIMES_MAX = 4
const FENCED: PartResult = { type: 'fenced' }

/** `partitioned`: as MemoryStore has it. */
type DatabaseOptions = { readonly shards: number; readonly shared: boolean; readonly partitioned: boolean }

/** `isCut`: by a store that does it in two steps, and is stopped between them. */
export type SimulatedMove = RowMove & { readonly isCut?: boolean }

export type StoreMethod = Exclude<keyof Store, 'capabilities'>

export class Database {
  readonly capabilities: StoreCapabilities
  readonly #scheduler: Scheduler
  readonly #timers: MemoryStore
  /** A real store that does everything, fences included; time stands while it works. Null: all is here. */
  readonly #real: Store | null
  #ownership: Ownership = { shards: new Map(), nodes: new Map() }
  /** Timers that a reshard has moved lately. */
  #moved: { readonly at: number; readonly from: ShardId; readonly to: ShardId; readonly uuid: TimerUuid }[] = []
  readonly isPartitioned: boolean
  #past: { readonly at: number; readonly before: Ownership }[] = []
  /** Every change of an owner, by claims and by fail-overs. */
  readonly ownerChanges: OwnerChange[] = []

  private constructor(scheduler: Scheduler, options: DatabaseOptions, real: Store | null) {
    this.#scheduler = scheduler
    this.#real = real
    this.isPartitioned = options.partitioned
    this.#timers = new MemoryStore(options)
    this.capabilities = (real ?? this.#timers).capabilities
  }

  static async open(scheduler: Scheduler, options: DatabaseOptions, real: Store | null = null): Promise<Database> {
    const database = new Database(scheduler, options, real)
    for (let shard = 0; shard < options.shards * SHARDS_TIMES_MAX; shard++)
      await database.#timers.claim({ shard: shard as ShardId, expected: 0 as Epoch, from: null, owner: SERVER })
    return database
  }

  get shardRows(): readonly ShardRow[] {
    return [...this.#ownership.shards.values()].toSorted((a, b) => a.shard - b.shard)
  }

  /** One call, now. */
  apply(method: StoreMethod, argument: unknown): Promise<unknown> {
    return this.#real === null
      ? this.#perform(method, argument)
      : this.#scheduler.waitFor(this.#ask(this.#real, method, argument))
  }

  /** Who owns what is noted beside it. */
  async #ask(real: Store, method: StoreMethod, argument: unknown): Promise<unknown> {
    const answer = await (real[method] as (argument: unknown) => Promise<unknown>).call(real, argument)
    if (method === 'claim' && answer !== null) {
      const { shard, owner } = argument as ShardClaim
      this.#own({ shard, epoch: answer as Epoch, owner })
    }
    if (method === 'release') this.#release(argument as OwnedShard)
    return answer
  }

  async #perform(method: StoreMethod, argument: unknown): Promise<unknown> {
    switch (method) {
      case 'claim':
        return this.#claim(argument as ShardClaim)
      case 'release':
        return this.#release(argument as OwnedShard)
      case 'beat':
        return this.#beat(argument as NodeBeat)
      case 'shards':
        return this.shardRows
      case 'commit':
        return this.#commit(argument as readonly CommitPart[])
      case 'move':
        return this.#move(argument as SimulatedMove)
      default:
        return (this.#timers[method] as (argument: unknown) => Promise<unknown>).call(this.#timers, argument)
    }
  }

  /** A standby takes over that had not received the last changes of ownership, and nothing that came after them. */
  async forgetOwnership(lastMs: number): Promise<void> {
    const before = this.layout
    const then = this.#scheduler.now - lastMs
    this.#ownership = this.#past.find(({ at }) => at > then)?.before ?? this.#ownership
    for (const row of this.shardRows) this.#noteOwner(row)
    for (const { at, from, to, uuid } of this.#moved.toReversed()) if (at > then) await this.#moveBack(to, from, uuid)
    this.#moved = []
    if (before.version !== this.layout.version) await this.#moveStrangers(before)
  }

  get layout(): Layout {
    return clusterLook({ nodes: [], shards: this.shardRows }, this.capabilities.shards).layout
  }

  async #moveBack(from: ShardId, to: ShardId, uuid: TimerUuid): Promise<void> {
    const rows = await this.#rowsOf(from)
    const timers = rows.filter((timer) => timer.uuid === uuid)
    await this.#timers.move({ from: asServer(from), to: asServer(to), timers })
  }

  /** What was made where nothing can be by the layout now, with its events. */
  async #moveStrangers(before: Layout): Promise<void> {
    const { layout } = this
    const shardFor = (timer: PlacedTimer, shard: ShardId) => {
      const place = placeOf(layout, timer)
      return isSplitting(layout, place) && placesOf(layout, timer).includes(shard) ? shard : place
    }
    for (const shard of new Set([...shardsOf(before), ...(before.next === null ? [] : shardsOf(before.next))])) {
      for (const timer of await this.#rowsOf(shard)) {
        const to = shardFor(timer, shard)
        if (to !== shard) await this.#timers.move({ from: asServer(shard), to: asServer(to), timers: [timer] })
      }
      await moveEvents(shard, { store: this.#timers, fenceFor: (event) => asServer(shardFor(event, shard)) })
    }
  }

  async #rowsOf(shard: ShardId): Promise<Timer[]> {
    const scans = [false, true].map((finished) => this.#timers.scan({ shard, finished, after: null, limit: Infinity }))
    return (await Promise.all(scans)).flat()
  }

  #claim(claim: ShardClaim): Epoch | null {
    const { shard, expected, from, owner, ifBeat } = claim
    const row = this.#ownership.shards.get(shard)
    if ((row?.epoch ?? 0) !== expected || (row?.owner ?? null) !== from) return null
    if (ifBeat !== undefined && from !== null && (this.#ownership.nodes.get(from)?.beat ?? null) !== ifBeat) return null
    const epoch = claimedEpoch(claim)
    this.#own({ shard, epoch, owner })
    return epoch
  }

  #release({ shard, epoch, owner }: OwnedShard): void {
    const row = this.#ownership.shards.get(shard)
    if (row?.epoch === epoch && row.owner === owner) this.#own({ ...row, owner: null })
  }

  #beat(beat: NodeBeat): ClusterState {
    const nodes = new Map(this.#ownership.nodes)
    nodes.set(beat.node, { ...beat, now: beat.now - EPOCH - this.#scheduler.now })
    this.#change({ ...this.#ownership, nodes })
    const rows = Array.from(nodes.values(), ({ node, address, leaving, labels = [], beat: last, now }) => {
      return { node, address, leaving, labels, beat: last, clockSkewMs: now }
    })
    return { nodes: rows, shards: this.shardRows }
  }

  async #move({ from, to, timers, isCut = false }: SimulatedMove): Promise<boolean> {
    const isOwned = [from, to].every(({ shard, epoch, owner }) => {
      const row = this.#ownership.shards.get(shard)
      return row?.epoch === epoch && row.owner === owner
    })
    if (!isOwned) return false
    if (isCut) return this.#copy(to.shard, timers)
    const at = this.#scheduler.now
    // Not those that had been moved before: a fail-over leaves them where they are.
    const there = new Set((await this.#rowsOf(from.shard)).map(({ uuid }) => uuid))
    const moved = timers.flatMap(({ uuid }) => (there.has(uuid) ? [{ at, from: from.shard, to: to.shard, uuid }] : []))
    this.#moved = [...this.#moved.filter((one) => one.at > at - REMEMBERED_MS), ...moved]
    return this.#timers.move({ from: asServer(from.shard), to: asServer(to.shard), timers })
  }

  async #copy(shard: ShardId, timers: readonly Timer[]): Promise<boolean> {
    for (const after of timers)
      await this.#write({ ...asServer(shard), puts: [{ before: null, after }], deletes: [], counters: [], events: [] })
    return true
  }

  async #commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    const results: Promise<PartResult>[] = parts.map((part) => {
      const row = this.#ownership.shards.get(part.shard)
      if (row?.epoch === part.epoch && row.owner === part.owner) return this.#write(part)
      return Promise.resolve(FENCED)
    })
    return Promise.all(results)
  }

  async #write(part: CommitPart): Promise<PartResult> {
    const [result] = await this.#timers.commit([{ ...part, epoch: 1 as Epoch, owner: SERVER }])
    return result!
  }

  #own(row: ShardRow): void {
    this.#noteOwner(row)
    this.#change({ ...this.#ownership, shards: new Map(this.#ownership.shards).set(row.shard, row) })
  }

  #noteOwner({ shard, owner }: ShardRow): void {
    this.ownerChanges.push({ at: this.#scheduler.now, shard, owner })
  }

  #change(ownership: Ownership): void {
    const { now } = this.#scheduler
    this.#past.push({ at: now, before: this.#ownership })
    if (this.#past.length > 200) this.#past = this.#past.filter(({ at }) => at >= now - REMEMBERED_MS)
    this.#ownership = ownership
  }
}

function asServer(shard: ShardId): OwnedShard {
  return { shard, epoch: 1 as Epoch, owner: SERVER }
}
