// The timers as one principal may see and change them. Every use case of every contract passes here, so a door cannot
// forget to ask. A namespace that is named is refused before anything is looked up: the answer is the same whether or
// not the timer exists. A namespace that is not named means those the principal may see.

import {
  assertAccess,
  assertSubject,
  EVERY_NAMESPACE,
  mayAccess,
  NO_NAMESPACE,
  Permission,
  tenantOf,
  visibleNamespaces,
} from '../core/access.ts'
import type { Principal, Scope } from '../core/access.ts'
import type { Command } from '../core/rules/command.ts'
import type { TimerIdentity } from '../core/timer/ids.ts'
import type { Schedule } from '../core/time/schedule.ts'
import { withoutSecrets } from '../core/targets/secrets.ts'
import { targetTypeOf } from '../core/targets/target.ts'
import type { Target } from '../core/targets/target.ts'
import type { Millis, Namespace, Timer } from '../core/timer/timer.ts'
import type { Executed } from '../engine/shard.ts'
import type {
  ListFilter,
  ListPage,
  ListQuery,
  NamespaceScope,
  PageFilter,
  StoreStats,
  TimerPage,
} from '../store/store.ts'
import type { PageQuery as StorePageQuery } from '../store/store.ts'
import type { Sight } from './activity/overview.ts'
import { TEST_PROTOCOL } from './callback-test.ts'
import type { Forecast, ForecastQuery } from './forecast.ts'
import { settledInOrder } from './settled-in-order.ts'
import type { InOrder } from './settled-in-order.ts'
import type { Statistics } from './statistics.ts'
import { callbackIn } from './timer-operations.ts'
import type { BulkResult, TimerOperations } from './timer-operations.ts'
import type { Found, SearchQuery } from './timer-search.ts'

/** What a door may filter by. Which namespaces that covers is not its business. */
export type TimerFilter = Omit<ListFilter, 'namespaces'>
export type TimerQuery = Omit<ListQuery, 'filter'> & { readonly filter: TimerFilter }
export type PageQuery = Omit<StorePageQuery, 'filter'> & { readonly filter: Omit<PageFilter, 'namespaces'> }

export class Timers {
  readonly #principal: Principal
  readonly #operations: TimerOperations
  readonly #arrivedAt: number | null

  constructor(principal: Principal, operations: TimerOperations, arrivedAt: number | null = null) {
    this.#principal = principal
    this.#operations = operations
    this.#arrivedAt = arrivedAt
  }

  /** For a request that has arrived now: whatever of it waits for another part counts as having come now. */
  arrived(): Timers {
    return new Timers(this.#principal, this.#operations, this.#operations.now())
  }

  /** For a timer that comes without an id. */
  newIdentity(namespace: Namespace): TimerIdentity {
    assertAccess(this.#principal, Permission.timer, namespace)
    return this.#operations.newIdentity(namespace)
  }

  /** Resolves when what the command asks for is durable. */
  async execute(command: Command): Promise<Executed> {
    assertAccess(this.#principal, Permission.timer, command.namespace)
    const callback = callbackIn(command)
    if (callback !== undefined) this.#assertSubject(callback.target, command.namespace)
    const tenant = tenantOf(this.#principal)
    const isLoad = tenant !== null && (command.type === 'create' || command.type === 'update')
    return this.#operations.execute(isLoad ? { ...command, tenant } : command, this.#arrivedAt)
  }

  /** Many at once, sharing commits; those on one timer in the order given. Each has its own answer: a refusal does not stop the others. */
  async executeMany(commands: readonly Command[]): Promise<PromiseSettledResult<Executed>[]> {
    const arrived = this.arrived()
    return this.changeMany(NO_NAMESPACE, commands, {
      keyOf: ({ uuid }) => uuid,
      run: (command) => arrived.execute(command),
    })
  }

  /** The same for changes that take more than one command each. Who may change nothing in the namespace is refused as a whole. */
  async changeMany<Change, Done>(within: Scope, changes: readonly Change[], how: InOrder<Change, Done>) {
    assertAccess(this.#principal, Permission.timer, within)
    return settledInOrder(changes, how)
  }

  /** `secrets`: the callback's headers as they are, which takes the right to change the timer. Who has not got that never sees them. */
  async get(identity: TimerIdentity, { secrets = false }: { readonly secrets?: boolean } = {}): Promise<Timer> {
    assertAccess(this.#principal, secrets ? Permission.timer : Permission.read, identity.namespace)
    return this.#shown(await this.#operations.get(identity))
  }

  /** Statuses are those in the store: a delivery younger than a second is listed, and filtered, as pending, but shown as executing. */
  async list({ filter, ...query }: TimerQuery): Promise<ListPage> {
    const { timers, next } = await this.#operations.list(this.#principal.name, {
      ...query,
      filter: this.#within(filter, Permission.read),
    })
    return { timers: timers.map((timer) => this.#shown(timer)), next }
  }

  /** Sorted and counted, however many there are. */
  async page({ filter, ...query }: PageQuery): Promise<TimerPage> {
    const { timers, total } = await this.#operations.page(this.#principal.name, {
      ...query,
      filter: this.#within(filter, Permission.read),
    })
    return { timers: timers.map((timer) => this.#shown(timer)), total }
  }

  /** By the beginning of their ids, or by the very id where there are too many to look through; see Found. */
  async search(query: Omit<SearchQuery, 'namespaces'>): Promise<Found> {
    const scope = this.#within(query, Permission.read)
    const { counts } = await this.stats(query.namespace === undefined ? {} : { namespace: query.namespace })
    const found = await this.#operations.search(this.#principal.name, scope, counts)
    return { ...found, timers: found.timers.map((timer) => this.#shown(timer)) }
  }

  async forecast(query: Omit<ForecastQuery, 'namespaces'>): Promise<Forecast> {
    return this.#operations.forecast(this.#principal.name, this.#within(query, Permission.read))
  }

  /** What of all that happens this principal may watch. */
  sight({ namespace }: { readonly namespace?: Namespace } = {}): Sight {
    const scope: NamespaceScope = this.#within(namespace === undefined ? {} : { namespace }, Permission.read)
    return { ...scope, wholeNode: mayAccess(this.#principal, Permission.read, EVERY_NAMESPACE) }
  }

  /** Throws what this principal would be refused with if it created a timer with this target. */
  assertCallback(target: Target, namespace: Namespace): void {
    assertAccess(this.#principal, Permission.timer, namespace)
    this.#assertSubject(target, namespace)
    this.#operations.assertCallback({ target, protocol: TEST_PROTOCOL }, namespace)
  }

  async stats({ namespace }: { readonly namespace?: Namespace } = {}): Promise<StoreStats> {
    return this.#operations.stats(
      this.#principal.name,
      this.#within(namespace === undefined ? {} : { namespace }, Permission.read),
    )
  }

  /** How things are, and what happened in the period; null is all time. */
  async statistics({
    namespace,
    periodMs,
  }: {
    readonly namespace?: Namespace
    readonly periodMs: Millis | null
  }): Promise<Statistics> {
    const scope = this.#within(namespace === undefined ? {} : { namespace }, Permission.read)
    const { counts } = await this.stats(namespace === undefined ? {} : { namespace })
    return this.#operations.statistics(this.#principal.name, { ...scope, periodMs }, counts)
  }

  /** Cancels every pending or paused timer that matches; with `dryRun`, which is reading, it only counts them. */
  async cancelMany(filter: TimerFilter, options: { readonly dryRun: boolean }): Promise<BulkResult> {
    return this.#operations.cancelMany(
      this.#principal.name,
      this.#within(filter, options.dryRun ? Permission.read : Permission.timer),
      options,
    )
  }

  async retryMany(filter: TimerFilter, options: { readonly dryRun: boolean }): Promise<BulkResult> {
    return this.#operations.retryMany(
      this.#principal.name,
      this.#within(filter, options.dryRun ? Permission.read : Permission.timer),
      options,
    )
  }

  /** When a timer with this schedule, created now, would fire. Nothing is stored. */
  preview(schedule: Schedule, count: number): { readonly now: Millis; readonly firings: readonly Millis[] } {
    assertAccess(this.#principal, Permission.read, NO_NAMESPACE)
    return this.#operations.preview(schedule, count)
  }

  #assertSubject(target: Target, namespace: Namespace): void {
    const subject = targetTypeOf(target.type).subjectOf?.(target)
    if (subject !== undefined) assertSubject(this.#principal, subject, namespace)
  }

  #within<Filter extends { readonly namespace?: Namespace }>(
    filter: Filter,
    permission: Permission,
  ): Filter & NamespaceScope {
    assertAccess(this.#principal, permission, filter.namespace ?? NO_NAMESPACE)
    const visible = visibleNamespaces(this.#principal)
    return filter.namespace !== undefined || visible === null ? filter : { ...filter, namespaces: visible }
  }

  #shown(timer: Timer): Timer {
    return mayAccess(this.#principal, Permission.timer, timer.namespace)
      ? timer
      : { ...timer, target: withoutSecrets(timer.target) }
  }
}
