// The use cases that every door shares, for whoever asks: nothing here knows who that is. Doors cannot reach this; they
// get a Timers from TimerService.as(), which asks first whether one may. What a timer does is decided below, in core,
// by the owner of its shard.

import type { Command } from '../core/rules/command.ts'
import { timerNotFound } from '../core/rules/decide.ts'
import { DuetimeError, ErrorCode, invalidInput } from '../core/errors.ts'
import { shardOf, timerIdentity } from '../core/timer/ids.ts'
import type { TimerIdentity } from '../core/timer/ids.ts'
import type { Schedule } from '../core/time/schedule.ts'
import { upcomingFirings } from '../core/time/schedule.ts'
import { Status } from '../core/timer/timer.ts'
import type { Millis, Namespace, Timer, TimerId } from '../core/timer/timer.ts'
import type { Engine } from '../engine/engine.ts'
import type { Executed } from '../engine/shard.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import { randomUuidV7 } from '../runtime/uuid-v7.ts'
import { TIMER_PARTS } from '../store/store.ts'
import type {
  ListFilter,
  ListPage,
  ListQuery,
  NamespaceScope,
  PageQuery,
  Store,
  StoreStats,
  TimerCount,
  TimerPage,
} from '../store/store.ts'
import { GatheredGets } from '../store/gathered-gets.ts'
import type { Callback } from '../targets/target.ts'
import { asking } from './store-failures.ts'
import type { Executor } from './command-router.ts'
import { forecastOf } from './forecast.ts'
import type { Forecast, ForecastQuery } from './forecast.ts'
import { QueryGate } from './query-gate.ts'
import type { ListMemory } from './query-gate.ts'
import { statisticsOf } from './statistics.ts'
import type { Statistics, StatisticsQuery } from './statistics.ts'
import { searchTimers } from './timer-search.ts'
import type { Found, SearchQuery } from './timer-search.ts'

export type TimerOperationsOptions = {
  readonly engine: Engine
  /** Finds the owner of a timer's shard; the engine itself where there is one node. */
  readonly executor?: Executor
  readonly store: Store
  readonly clock: Clock
  /** Empty: any well-formed namespace is enabled. */
  readonly namespaces: readonly Namespace[]
  /** Why timers of the namespace may not have this target, or null when they may. */
  readonly refuseTarget: (callback: Callback, namespace: Namespace) => string | null
  readonly observer: ServiceObserver
  /** Absent: lists may take as much memory as they need. */
  readonly listMemory?: ListMemory
}

/** The name of whoever asks: keys take turns with lists and statistics. */
export type Asker = string

export type ServiceObserver = { executed(command: Command, result: Executed): void }

/** What a command on many timers did. `more`: the limit was reached before the last match; ask again. */
export type BulkResult = {
  readonly matched: number
  readonly changed: number
  readonly tooLate: number
  readonly more: boolean
}

const BULK_PAGE = 500
const IDS_TRIED_MAX = 16 // a hash each, some microseconds: as many tries as there are nodes will do, and with more nodes many are sent on
export const BULK_TIMERS_MAX = 10_000 // keeps one request to some seconds; `more` says when to send another

export class TimerOperations {
  readonly #options: TimerOperationsOptions
  readonly #namespaces: ReadonlySet<Namespace>
  readonly #reads: GatheredGets
  /** Lists and statistics pass here. */
  readonly gate: QueryGate

  constructor(options: TimerOperationsOptions) {
    this.#options = options
    this.#namespaces = new Set(options.namespaces)
    this.#reads = new GatheredGets(options.store)
    this.gate = new QueryGate(options.store, options.listMemory)
  }

  /** By the monotonic clock. */
  now(): number {
    return this.#options.clock.monotonic()
  }

  /** Resolves when what the command asks for is durable. `arrivedAt`: when it came to the service, by `now`, if that was before. */
  async execute(command: Command, arrivedAt: number | null = null): Promise<Executed> {
    const { engine, executor = engine, observer } = this.#options
    this.#assertEnabled(command.namespace)
    const callback = callbackIn(command)
    if (callback !== undefined) this.#assertCallback(callback, command.namespace)
    const waitedMs = arrivedAt === null ? 0 : Math.round(this.now() - arrivedAt)
    const result = await executor.execute(waitedMs === 0 ? command : { ...command, waitedMs })
    observer.executed(command, result)
    return result
  }

  /**
   * For a timer that comes without an id: one of a shard that this node owns. Its create goes nowhere else, and succeeds
   * while another node is dead and its shards have no owner.
   */
  newIdentity(namespace: Namespace): TimerIdentity {
    for (let tries = 1; ; tries++) {
      const identity = timerIdentity(namespace, randomUuidV7() as TimerId)
      if (this.#options.engine.owns(identity.uuid) || tries === IDS_TRIED_MAX) return identity
    }
  }

  async get(identity: TimerIdentity): Promise<Timer> {
    this.#assertEnabled(identity.namespace)
    const { engine, store } = this.#options
    const timer = await asking(
      this.#reads.get({ ...identity, shard: shardOf(identity.uuid, store.capabilities.shards) }),
    )
    if (timer === null) throw timerNotFound(identity)
    return engine.view(timer)
  }

  /** Statuses are those in the store: a delivery younger than a second is listed, and filtered, as pending, but shown as executing. */
  async list(asker: Asker, query: ListQuery): Promise<ListPage> {
    if (query.filter.namespace !== undefined) this.#assertEnabled(query.filter.namespace)
    const page = await asking(this.gate.for(asker).list(query))
    return { timers: page.timers.map((timer) => this.#options.engine.view(timer)), next: page.next }
  }

  async page(asker: Asker, query: PageQuery): Promise<TimerPage> {
    if (query.filter.namespace !== undefined) this.#assertEnabled(query.filter.namespace)
    const page = await asking(this.gate.for(asker).page(query))
    return { timers: page.timers.map((timer) => this.#options.engine.view(timer)), total: page.total }
  }

  /** `counts` are the stats of the namespaces asked for. */
  async search(asker: Asker, query: SearchQuery, counts: readonly TimerCount[]): Promise<Found> {
    if (query.namespace !== undefined) this.#assertEnabled(query.namespace)
    const found = await asking(searchTimers(this.gate.for(asker), query, counts))
    return { ...found, timers: found.timers.map((timer) => this.#options.engine.view(timer)) }
  }

  forecast(asker: Asker, query: ForecastQuery): Promise<Forecast> {
    return asking(forecastOf(this.gate.for(asker), query, this.#options.clock.now()))
  }

  /** Throws what a create with this callback would be refused with. */
  assertCallback(callback: Callback, namespace: Namespace): void {
    this.#assertEnabled(namespace)
    this.#assertCallback(callback, namespace)
  }

  stats(asker: Asker, scope: NamespaceScope): Promise<StoreStats> {
    return asking(this.gate.for(asker).stats(scope))
  }

  /** `counts` are the stats of the namespaces asked for. */
  statistics(asker: Asker, query: StatisticsQuery, counts: readonly TimerCount[]): Promise<Statistics> {
    return asking(statisticsOf(this.gate.for(asker), query, counts, this.#options.clock.now()))
  }

  /** Cancels every pending or paused timer that matches; with `dryRun` it only counts them. */
  cancelMany(asker: Asker, filter: ListFilter, options: { readonly dryRun: boolean }): Promise<BulkResult> {
    return this.#many('cancel', asker, within(filter, [Status.pending, Status.paused]), options)
  }

  retryMany(asker: Asker, filter: ListFilter, options: { readonly dryRun: boolean }): Promise<BulkResult> {
    return this.#many('retry', asker, within(filter, [Status.failed]), options)
  }

  /** When a timer with this schedule, created now, would fire. Nothing is stored. */
  preview(schedule: Schedule, count: number): { readonly now: Millis; readonly firings: readonly Millis[] } {
    const now = this.#options.clock.now()
    return { now, firings: upcomingFirings(schedule, now, count) }
  }

  async #many(
    type: 'cancel' | 'retry',
    asker: Asker,
    filter: ListFilter,
    { dryRun }: { readonly dryRun: boolean },
  ): Promise<BulkResult> {
    if (filter.statuses?.length === 0) return { matched: 0, changed: 0, tooLate: 0, more: false }
    let [matched, changed, tooLate] = [0, 0, 0]
    let page: ListPage = { timers: [], next: null }
    do {
      page = await this.list(asker, {
        filter,
        after: page.next,
        limit: Math.min(BULK_PAGE, BULK_TIMERS_MAX - matched),
        omit: TIMER_PARTS,
      })
      matched += page.timers.length
      if (dryRun) continue
      const done = await Promise.all(page.timers.map((timer) => this.#oneOfMany(type, timer)))
      changed += done.filter(Boolean).length
      tooLate += done.length - done.filter(Boolean).length
    } while (page.next !== null && matched < BULK_TIMERS_MAX)
    return { matched, changed, tooLate, more: page.next !== null }
  }

  /** False when the timer went on before its turn came, which is no failure of the whole. */
  async #oneOfMany(type: 'cancel' | 'retry', { namespace, id, uuid }: Timer): Promise<boolean> {
    try {
      await this.execute(
        type === 'cancel' ? { type, namespace, id, uuid, ifVersion: null } : { type, namespace, id, uuid },
      )
      return true
    } catch (error) {
      if (
        error instanceof DuetimeError &&
        (error.code === ErrorCode.timerNotPending || error.code === ErrorCode.timerNotFound)
      )
        return false
      throw error
    }
  }

  #assertEnabled(namespace: Namespace): void {
    if (this.#namespaces.size === 0 || this.#namespaces.has(namespace)) return
    throw new DuetimeError(
      ErrorCode.namespaceNotEnabled,
      `namespace '${namespace}' is not enabled here; NAMESPACES lists those that are`,
      {
        field: 'namespace',
        namespace,
      },
    )
  }

  #assertCallback(callback: Callback, namespace: Namespace): void {
    const reason = this.#options.refuseTarget(callback, namespace)
    if (reason !== null) throw invalidInput('callback', reason)
  }
}

/** Where the command lets a timer fire, if it says so. */
export function callbackIn(command: Command): Callback | undefined {
  return command.type === 'create' ? command.spec : command.type === 'update' ? command.changes.callback : undefined
}

function within(filter: ListFilter, statuses: readonly Status[]): ListFilter {
  return {
    ...filter,
    statuses: filter.statuses === undefined ? statuses : statuses.filter((status) => filter.statuses!.includes(status)),
  }
}
