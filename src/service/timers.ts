// The timers as one principal may see and change them: the use cases that every entry point shares. Every one of them asks first
// whether the principal may, so an entry point cannot forget it. A namespace that is named is refused before anything is looked up:
// the answer is the same whether or not the timer exists. A namespace that is not named means those the principal may see.
//
// What a timer does is decided below, in core, by the owner of its shard.

import {
  assertAccess,
  assertEnabled,
  assertSubject,
  EVERY_NAMESPACE,
  mayAccess,
  NO_NAMESPACE,
  Permission,
  tenantOf,
  visibleNamespaces,
} from '../core/access/access.ts'
import type { Principal, Scope } from '../core/access/access.ts'
import { invalidInput } from '../core/errors.ts'
import { callbackIn } from '../core/rules/command.ts'
import type { Command } from '../core/rules/command.ts'
import { timerNotFound } from '../core/rules/decide.ts'
import { assertCalendar } from '../core/rules/steps.ts'
import { withoutSecrets } from '../core/targets/secrets.ts'
import { targetTypeOf } from '../core/targets/target.ts'
import type { Target } from '../core/targets/target.ts'
import { previewFirings } from '../core/time/preview.ts'
import type { PreviewedFiring, PreviewRange } from '../core/time/preview.ts'
import type { Schedule } from '../core/time/schedule.ts'
import type { TimerIdentity } from '../core/timer/ids.ts'
import type { Millis, Namespace, Timer } from '../core/timer/timer.ts'
import type { Engine } from '../engine/engine.ts'
import type { CommandOutcomes, Executed } from '../engine/shard-commands.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { GatheredGets } from '../store/gathered-gets.ts'
import type { ListFilter, ListPage, ListQuery, NamespaceScope } from '../store/store.ts'
import type { PageFilter, PageQuery as StorePageQuery, Store, StoreStats, TimerPage } from '../store/store.ts'
import type { Callback } from '../targets/target.ts'
import { bulkCommand } from './bulk-command.ts'
import type { BulkCommand, BulkResult } from './bulk-command.ts'
import { NamespaceCalendars } from './calendars/namespace-calendars.ts'
import { TEST_PROTOCOL } from './callback-test.ts'
import { ManyOutcomes, OneOutcome } from './command-outcomes.ts'
import { newIdentity } from './command-router.ts'
import type { Executor } from './command-router.ts'
import { forecastOf } from './queries/forecast.ts'
import type { Forecast, ForecastQuery } from './queries/forecast.ts'
import type { ServiceObserver } from './observers.ts'
import type { Queries, QueryGate } from './queries/query-gate.ts'
import { hasRepeats, settledInOrder } from './settled-in-order.ts'
import type { InOrder } from './settled-in-order.ts'
import type { Sight } from './sight.ts'
import { statisticsOf } from './queries/statistics.ts'
import type { Statistics } from './queries/statistics.ts'
import { asking } from './queries/store-failures.ts'
import { searchTimers } from './queries/timer-search.ts'
import type { Found, SearchQuery } from './queries/timer-search.ts'

/** What the timers of all principals share. */
export type TimersParts = {
  readonly engine: Pick<Engine, 'execute' | 'begin' | 'owns' | 'find' | 'view' | 'calendars'>
  /** Finds the owner of a timer's shard; the engine itself where there is one node. */
  readonly executor: Executor
  readonly store: Store
  readonly reads: GatheredGets
  /** Lists and statistics pass here, where keys take turns. */
  readonly gate: QueryGate
  readonly clock: Clock
  /** Empty: any well-formed namespace is enabled. */
  readonly namespaces: ReadonlySet<Namespace>
  /** Why timers of the namespace may not have this target, or null when they may. */
  readonly refuseTarget: (callback: Callback, namespace: Namespace) => string | null
  readonly observer: ServiceObserver
}

/** What an entry point may filter by. Which namespaces that covers is not its business. */
export type TimerFilter = Omit<ListFilter, 'namespaces'>
export type TimerQuery = Omit<ListQuery, 'filter'> & { readonly filter: TimerFilter }
export type PageQuery = Omit<StorePageQuery, 'filter'> & { readonly filter: Omit<PageFilter, 'namespaces'> }

type MaybeNamespace = { readonly namespace?: Namespace }
type DryRun = { readonly dryRun: boolean }

export class Timers {
  readonly #principal: Principal
  readonly #parts: TimersParts
  /** By the monotonic clock; null: what is asked for has just come. */
  readonly #arrivedAt: number | null

  constructor(principal: Principal, parts: TimersParts, arrivedAt: number | null = null) {
    this.#principal = principal
    this.#parts = parts
    this.#arrivedAt = arrivedAt
  }

  /** For a request that has arrived now: whatever of it waits for another part counts as having come now. */
  arrived(): Timers {
    return new Timers(this.#principal, this.#parts, this.#parts.clock.monotonic())
  }

  /** For a timer that comes without an id. */
  newIdentity(namespace: Namespace): TimerIdentity {
    assertAccess(this.#principal, Permission.timer, namespace)
    return newIdentity(this.#parts.engine, namespace)
  }

  /** Resolves when what the command asks for is durable. */
  execute(command: Command): Promise<Executed> {
    const outcome = new OneOutcome(command, this.#parts.observer)
    this.#begin(command, outcome, 0)
    return outcome.promise
  }

  /** Many at once, sharing commits; those on one timer in the order given. Each has its own answer: a refusal does not stop the others. */
  async executeMany(commands: readonly Command[]): Promise<PromiseSettledResult<Executed>[]> {
    assertAccess(this.#principal, Permission.timer, NO_NAMESPACE)
    const arrived = this.arrived()
    const inOrder = { keyOf: ({ uuid }: Command) => uuid, run: (command: Command) => arrived.execute(command) }
    if (hasRepeats(commands, inOrder)) return settledInOrder(commands, inOrder)
    const outcomes = new ManyOutcomes(commands, this.#parts.observer)
    for (let place = 0; place < commands.length; place++) arrived.#begin(commands[place]!, outcomes, place)
    return outcomes.promise
  }

  /** The same for changes that take more than one command each. Who may change nothing in the namespace is refused as a whole. */
  async changeMany<Change, Done>(within: Scope, changes: readonly Change[], how: InOrder<Change, Done>) {
    assertAccess(this.#principal, Permission.timer, within)
    return settledInOrder(changes, how)
  }

  /** Cancels every pending or paused timer that matches; with `dryRun`, which is reading, it only counts them. */
  async cancelMany(filter: TimerFilter, options: DryRun): Promise<BulkResult> {
    return this.#many('cancel', filter, options)
  }

  async retryMany(filter: TimerFilter, options: DryRun): Promise<BulkResult> {
    return this.#many('retry', filter, options)
  }

  /** `secrets`: the callback's headers as they are, which takes the right to change the timer. Who has not got that never sees them. */
  async get(identity: TimerIdentity, { secrets = false }: { readonly secrets?: boolean } = {}): Promise<Timer> {
    assertAccess(this.#principal, secrets ? Permission.timer : Permission.read, identity.namespace)
    this.#assertEnabled(identity.namespace)
    const { reads, engine } = this.#parts
    const timer = await asking(engine.find(identity, reads))
    if (timer === null) throw timerNotFound(identity)
    return this.#shown(timer)
  }

  /** Statuses are those in the store: a delivery younger than a second is listed, and filtered, as pending, but shown as executing. */
  async list({ filter, ...query }: TimerQuery): Promise<ListPage> {
    const page = await asking(this.#queries.list({ ...query, filter: this.#enabledWithin(filter) }))
    return { timers: page.timers.map((timer) => this.#shown(timer)), next: page.next }
  }

  /** Sorted and counted, however many there are. */
  async page({ filter, ...query }: PageQuery): Promise<TimerPage> {
    const page = await asking(this.#queries.page({ ...query, filter: this.#enabledWithin(filter) }))
    return { timers: page.timers.map((timer) => this.#shown(timer)), total: page.total }
  }

  /** By the beginning of their ids, or by the very id where there are too many to look through; see Found. */
  async search(query: Omit<SearchQuery, 'namespaces'>): Promise<Found> {
    const scope = this.#enabledWithin(query)
    const { counts } = await this.stats(query)
    const found = await asking(searchTimers(this.#queries, scope, counts))
    return { ...found, timers: found.timers.map((timer) => this.#shown(timer)) }
  }

  async forecast(query: Omit<ForecastQuery, 'namespaces'>): Promise<Forecast> {
    return asking(forecastOf(this.#queries, this.#within(query, Permission.read), this.#parts.clock.now()))
  }

  async stats(of: MaybeNamespace = {}): Promise<StoreStats> {
    return asking(this.#queries.stats(this.#scopeOf(of)))
  }

  /** How things are, and what happened in the period; null is all time. */
  async statistics({ periodMs, ...of }: MaybeNamespace & { readonly periodMs: Millis | null }): Promise<Statistics> {
    const { counts } = await this.stats(of)
    return asking(statisticsOf(this.#queries, { ...this.#scopeOf(of), periodMs }, counts, this.#parts.clock.now()))
  }

  /** What of all that happens this principal may watch. */
  sight(of: MaybeNamespace = {}): Sight {
    return { ...this.#scopeOf(of), wholeNode: mayAccess(this.#principal, Permission.read, EVERY_NAMESPACE) }
  }

  /** Throws what this principal would be refused with if it created a timer with this target. */
  assertCallback(target: Target, namespace: Namespace): void {
    assertAccess(this.#principal, Permission.timer, namespace)
    this.#assertSubject(target, namespace)
    this.#assertEnabled(namespace)
    this.#assertDeliverable({ target, protocol: TEST_PROTOCOL }, namespace)
  }

  get calendars(): NamespaceCalendars {
    return new NamespaceCalendars(this.#principal, this.#parts)
  }

  /** When a timer with this schedule, created now, would fire; `calendars` are those that it may name. Nothing is stored. */
  preview(
    schedule: Schedule,
    range: PreviewRange,
  ): { readonly now: Millis; readonly firings: readonly PreviewedFiring[] } {
    assertAccess(this.#principal, Permission.read, NO_NAMESPACE)
    assertCalendar(schedule, range.calendars)
    const now = this.#parts.clock.now()
    return { now, firings: previewFirings(schedule, now, range) }
  }

  get #queries(): Queries {
    return this.#parts.gate.for(this.#principal.name)
  }

  /** With the tenant whose load it is, and how long it has waited since it came. */
  #marked(command: Command): Command {
    const tenant = tenantOf(this.#principal)
    const isLoad = tenant !== null && (command.type === 'create' || command.type === 'update')
    const waitedMs = this.#arrivedAt === null ? 0 : Math.round(this.#parts.clock.monotonic() - this.#arrivedAt)
    const marked = isLoad ? { ...command, tenant } : command
    return waitedMs > 0 ? { ...marked, waitedMs } : marked
  }

  /** Whoever waits for the outcome is told when it is durable, or why it is refused. */
  #begin(command: Command, outcomes: CommandOutcomes, place: number): void {
    try {
      this.#assertAllowed(command)
      this.#parts.executor.begin(this.#marked(command), outcomes, place)
    } catch (error) {
      outcomes.refused(place, error)
    }
  }

  #assertAllowed(command: Command): void {
    assertAccess(this.#principal, Permission.timer, command.namespace)
    const callback = callbackIn(command)
    if (callback !== undefined) this.#assertSubject(callback.target, command.namespace)
    this.#assertEnabled(command.namespace)
    if (callback !== undefined) this.#assertDeliverable(callback, command.namespace)
  }

  #many(type: BulkCommand, filter: TimerFilter, { dryRun }: DryRun): Promise<BulkResult> {
    const within = this.#within(filter, dryRun ? Permission.read : Permission.timer)
    if (filter.namespace !== undefined) this.#assertEnabled(filter.namespace)
    const oneByOne = new Timers(this.#principal, this.#parts) // each has come when its turn has
    return bulkCommand(type, within, {
      dryRun,
      list: (query) => asking(this.#queries.list(query)),
      execute: (command) => oneByOne.execute(command),
    })
  }

  #assertEnabled(namespace: Namespace): void {
    assertEnabled(this.#parts.namespaces, namespace)
  }

  #assertDeliverable(callback: Callback, namespace: Namespace): void {
    const reason = this.#parts.refuseTarget(callback, namespace)
    if (reason !== null) throw invalidInput('callback', reason)
  }

  #assertSubject(target: Target, namespace: Namespace): void {
    const subject = targetTypeOf(target.type).subjectOf?.(target)
    if (subject !== undefined) assertSubject(this.#principal, subject, namespace)
  }

  #scopeOf({ namespace }: MaybeNamespace): NamespaceScope {
    return this.#within(namespace === undefined ? {} : { namespace }, Permission.read)
  }

  #enabledWithin<Filter extends MaybeNamespace>(filter: Filter): Filter & NamespaceScope {
    const within = this.#within(filter, Permission.read)
    if (filter.namespace !== undefined) this.#assertEnabled(filter.namespace)
    return within
  }

  #within<Filter extends MaybeNamespace>(filter: Filter, permission: Permission): Filter & NamespaceScope {
    assertAccess(this.#principal, permission, filter.namespace ?? NO_NAMESPACE)
    const visible = visibleNamespaces(this.#principal)
    return filter.namespace !== undefined || visible === null ? filter : { ...filter, namespaces: visible }
  }

  /** As it is now, without what the principal may not see. */
  #shown(stored: Timer): Timer {
    const timer = this.#parts.engine.view(stored)
    return mayAccess(this.#principal, Permission.timer, timer.namespace)
      ? timer
      : { ...timer, target: withoutSecrets(timer.target) }
  }
}
