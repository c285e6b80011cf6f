// What all stores in SQL databases are alike: questions, their answers as timers, and closing. An adapter says where a question
// is asked, and brings what it does its own way: ownership, commits, counters.

import type { Epoch, Millis, ShardId, Timer } from '../../core/timer/timer.ts'
import { inOrderOf } from '../key-lookup.ts'
import { timersOf } from '../row/timer-row.ts'
import { StoreError } from '../store.ts'
import type { ClusterState, CommitPart, DueScan, ListPage, ListQuery, NamespaceScope, NodeBeat } from '../store.ts'
import type { OutboxEvent, OwnedShard, PageQuery, PartResult, RowMove, RowScan } from '../store.ts'
import type { ShardClaim, ShardRow, Store } from '../store.ts'
import type { StoreCapabilities, StoredRow, StoreStats, TallyQuery, TallySums, TimerKey } from '../store.ts'
import type { TimerPage, Upcoming, UpcomingQuery } from '../store.ts'
import type { Answered, Asked, QuestionName } from './questions/questions.ts'

export abstract class SqlStore implements Store {
  abstract readonly capabilities: StoreCapabilities
  readonly #underWay = new Set<Promise<unknown>>()
  #closing: Promise<void> | null = null

  protected abstract ask<Name extends QuestionName>(name: Name, argument: Asked<Name>): Promise<Answered<Name>>
  /** Nothing is under way any more. */
  protected abstract end(): Promise<void>
  protected abstract write(parts: readonly CommitPart[]): Promise<readonly PartResult[]>
  abstract ping(): Promise<void>
  abstract claim(claim: ShardClaim): Promise<Epoch | null>
  abstract release(owned: OwnedShard): Promise<void>
  abstract beat(beat: NodeBeat): Promise<ClusterState>
  abstract clusterSecret(): Promise<string>
  abstract move(move: RowMove): Promise<boolean>
  abstract forgetCounters(slotsBefore: Millis): Promise<boolean>
  abstract backup(options: Parameters<Store['backup']>[0]): Promise<void>

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(() => this.end())
    return this.#closing
  }

  async commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    return parts.length === 0 ? [] : this.track(() => this.write(parts))
  }

  async shards(): Promise<readonly ShardRow[]> {
    return this.#ask('shards', null)
  }

  async getMany(keys: readonly TimerKey[]): Promise<readonly (Timer | null)[]> {
    const uuids = keys.map(({ uuid }) => uuid)
    return inOrderOf(keys, timersOf(await this.#ask('getMany', uuids)))
  }

  async due(scan: DueScan): Promise<readonly Timer[]> {
    return timersOf(await this.#ask('due', scan))
  }

  async dueShards(look: Parameters<Store['dueShards']>[0]): Promise<readonly ShardId[]> {
    return this.#ask('dueShards', look)
  }

  async expired(scan: Parameters<Store['expired']>[0]): Promise<readonly StoredRow[]> {
    return this.#ask('expired', scan)
  }

  async scan(rows: RowScan): Promise<readonly Timer[]> {
    return timersOf(await this.#ask('scan', rows))
  }

  async readEvents(read: Parameters<Store['readEvents']>[0]): Promise<readonly OutboxEvent[]> {
    return this.#ask('readEvents', read)
  }

  async removeEvents(published: Parameters<Store['removeEvents']>[0]): Promise<void> {
    if (published.numbers.length > 0) await this.#ask('removeEvents', published)
  }

  async countEvents(shards: readonly ShardId[]): Promise<{ readonly count: number; readonly oldestAt: Millis | null }> {
    return this.#ask('countEvents', shards)
  }

  async list(query: ListQuery): Promise<ListPage> {
    const { cells, next } = await this.#ask('list', query)
    return { timers: timersOf(cells, query.omit), next }
  }

  async page(query: PageQuery): Promise<TimerPage> {
    const { cells, total } = await this.#ask('page', query)
    return { timers: timersOf(cells, query.omit), total }
  }

  async stats(scope: NamespaceScope = {}): Promise<StoreStats> {
    return this.#ask('stats', scope)
  }

  async tallies(query: TallyQuery): Promise<TallySums> {
    return this.#ask('tallies', query)
  }

  async upcoming(query: UpcomingQuery): Promise<Upcoming> {
    return this.#ask('upcoming', query)
  }

  #ask<Name extends QuestionName>(name: Name, argument: Asked<Name>): Promise<Answered<Name>> {
    return this.track(() => this.ask(name, argument))
  }

  /** Closing waits for it; refused once that has begun. */
  protected async track<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw StoreError.lasting('the store is closed')
    const answer = call()
    this.#underWay.add(answer)
    try {
      return await answer
    } finally {
      this.#underWay.delete(answer)
    }
  }
}
