// The client: one method for everything the service can do. Every call is retried until it has a real answer, and
// written so that being carried out twice by an unlucky retry does no harm.

import { asItem } from './timers/batch.ts'
import type { BatchItem, BatchResult, ItemResult } from './timers/batch.ts'
import { askWhileMore, checkCancelFilter } from './timers/bulk.ts'
import type { BulkFilter, BulkOptions, Canceled, Retried } from './timers/bulk.ts'
import { Calendars } from './calendars.ts'
import { changeOnce } from './timers/changing.ts'
import { createOne } from './timers/creating.ts'
import { DuetimeError, invalidInput } from './errors.ts'
import type { DeleteBody, GetBody, NameBody, PreviewAnswer, PreviewBody } from './generated.ts'
import type { CallbackTest, CallbackTestResult, Cluster, Forecast, ForecastQuery, Overview } from './insight.ts'
import { liveEvents } from './live.ts'
import type { LiveEvent, LiveOptions } from './live.ts'
import type { DuetimeOptions } from './options.ts'
import { platform, viewedAs } from './platform.ts'
import type { MinimalFetch } from './platform.ts'
import { isAsAsked } from './timers/same-timer.ts'
import { TimerList, wireFilter } from './timers/timer-list.ts'
import type { ListQuery, Page, PageQuery, TimerField } from './timers/timer-list.ts'
import { inWireTime, readyCreate, updateBody } from './timers/timer.ts'
import type { NewTimer, OnConflict, ReadyCreate, Timer, TimerChanges, TimerName } from './timers/timer.ts'
import { CallOrder } from './transport/call-order.ts'
import { fetchExchange } from './transport/exchange.ts'
import type { Gatherer } from './transport/gathering.ts'
import { nodeExchange } from './transport/node-exchange.ts'
import { queryText, Transport } from './transport/transport.ts'
import type { Budget, CallOptions, Query } from './transport/transport.ts'
import { instantText } from './time/when.ts'
import type { InstantLike, When } from './time/when.ts'

/** `from` and `to` are the range that is asked for; with `every`, `from` is when it fires first, as in a create. */
export type PreviewQuery = Omit<PreviewBody, 'executeAt' | 'schedule' | 'from' | 'to'> &
  InRange<When> & { readonly to?: InstantLike | undefined }
type InRange<Way> = Way extends { readonly every: unknown }
  ? Way
  : Omit<Way, 'from'> & { readonly from?: InstantLike | undefined }

const TIMERS = '/api/v1/timers'

type ChangeOf = {
  readonly verb: 'update' | 'delete' | 'retry'
  readonly body: NameBody & { readonly namespace: string }
  readonly isDone: (timer: Timer) => boolean
}

export class Duetime {
  readonly url: string
  readonly namespace: string
  /** Named lists of days and times when nothing fires. */
  readonly calendars: Calendars
  readonly #transport: Transport
  readonly #gatherer: Gatherer | null
  readonly #order = new CallOrder()

  constructor(options: DuetimeOptions = {}) {
    const { url = 'http://localhost:8080', namespace = 'default', apiKey } = options
    const { timeoutMs = 30_000, attemptTimeoutMs = 10_000, retries = 10 } = options
    this.url = url.replace(/\/+$/, '')
    this.namespace = namespace
    const headers = () => {
      const key = typeof apiKey === 'function' ? apiKey() : apiKey
      return { ...(typeof key === 'string' && { 'x-api-key': key }), ...options.headers }
    }
    // Looked up when it is called, and called as a function of the platform: browsers insist on that.
    const given = viewedAs<MinimalFetch | undefined>(options.fetch)
    const fetch: MinimalFetch = given ?? ((target, init) => platform.fetch(target, init))
    const byFetch = fetchExchange(this.url, fetch)
    const byNode = given === undefined ? nodeExchange(this.url, byFetch) : null
    this.#transport = new Transport({
      url: this.url,
      headers,
      fetch,
      exchange: byNode ?? byFetch,
      timeoutMs,
      attemptTimeoutMs,
      retries,
      isMinimal: byNode !== null, // a browser would ask the service of another origin whether it may send the header
    })
    this.calendars = new Calendars(this.#transport, namespace)
    this.#gatherer = options.gather === false ? null : this.#transport.gatherer({ halves: true })
  }

  /**
   * Stored on disk when it resolves. Without an id or an idempotency key it gets a new id here, before it is first sent. A timer of the same
   * id is replaced unless `onConflict` says otherwise. Sent twice, it still is one timer that fires once.
   */
  async create<Payload = unknown>(timer: NewTimer<Payload>, options?: CallOptions): Promise<Timer<Payload>> {
    const create = readyCreate(timer, this.namespace)
    return (await this.#create(create, this.#transport.budget(options), this.#gatherer)) as Timer<Payload>
  }

  /**
   * Any number, 1,000 to a request: creates, and updates and cancels as items with an `action`. Each has its own result, in order: a bad
   * one fails alone. What is said of one timer is carried out in order.
   */
  batch<Payload = unknown>(
    timers: Iterable<NewTimer<Payload>>,
    options?: CallOptions & { readonly onConflict?: OnConflict | undefined },
  ): Promise<BatchResult<Payload>[]>
  batch<Payload = unknown>(
    items: Iterable<BatchItem<Payload>>,
    options?: CallOptions & { readonly onConflict?: OnConflict | undefined },
  ): Promise<ItemResult<Payload>[]>
  async batch<Payload>(
    items: Iterable<BatchItem<Payload>>,
    { onConflict, ...options }: CallOptions & { readonly onConflict?: OnConflict | undefined } = {},
  ): Promise<ItemResult<Payload>[]> {
    const budget = this.#transport.budget(options)
    // One of its own: calls that are made meanwhile do not wait behind it. A batch is one request, which limits of rates count.
    const gatherer = this.#transport.gatherer({ halves: false })
    const done = (given: BatchItem<Payload>): Promise<unknown> => {
      const item = asItem(given)
      if (item.action === 'create')
        return this.#create(readyCreate(item.timer, this.namespace, onConflict), budget, gatherer)
      if (item.action === 'update') return this.#update(item.name, item.changes, budget, gatherer)
      return this.#cancel(item.name, item.ifVersion, budget, gatherer)
    }
    const resultOf = async (item: BatchItem<Payload>): Promise<ItemResult<Payload>> => {
      try {
        return { ok: true, timer: (await done(item)) as Timer<Payload> | null }
      } catch (error) {
        if (error instanceof DuetimeError) return { ok: false, error }
        throw error
      }
    }
    return Promise.all(Array.from(items, resultOf))
  }

  /** Finished timers can be read while the service retains them. Throws `TIMER_NOT_FOUND` when there is none. */
  async get<Payload = unknown>(
    name: TimerName,
    { includeSecrets, ...options }: CallOptions & Pick<GetBody, 'includeSecrets'> = {},
  ) {
    return (await this.#post('get', { ...this.#named(name), includeSecrets }, options)) as Timer<Payload>
  }

  /** Every timer that matches: `for await (const timer of client.list({ status: 'failed' }))`. */
  list<Payload = unknown, Field extends TimerField = TimerField>(
    query: ListQuery<Field> = {},
    options?: CallOptions,
  ): TimerList<Payload, Field> {
    return new TimerList<Payload, Field>(query, (page) => this.page<Payload, Field>(page, options))
  }

  /**
   * One page; its `nextCursor` leads to the next. With `sort` or `search`, an `offset` does, and there is a `total`. A page of large
   * timers can be shorter than its `limit`; then `nextOffset` is where a sorted one goes on.
   */
  async page<Payload = unknown, Field extends TimerField = TimerField>(
    query: PageQuery<Field> = {},
    options?: CallOptions,
  ): Promise<Page<Payload, Field>> {
    return (await this.#post('list', this.#inNamespace(wireFilter(query)), options)) as Page<Payload, Field>
  }

  /** Once it resolves, the old version never fires. Throws `TIMER_NOT_PENDING` when it is too late. */
  async update<Payload = unknown>(
    name: TimerName,
    changes: TimerChanges<Payload>,
    options?: CallOptions,
  ): Promise<Timer<Payload>> {
    return (await this.#update(name, changes, this.#transport.budget(options), this.#gatherer)) as Timer<Payload>
  }

  /** Once it resolves, the delivery never starts. Throws `TIMER_NOT_PENDING` when it is too late. */
  async cancel(
    name: TimerName,
    { ifVersion, ...options }: CallOptions & Pick<DeleteBody, 'ifVersion'> = {},
  ): Promise<void> {
    await this.#cancel(name, ifVersion, this.#transport.budget(options), this.#gatherer)
  }

  /** Every pending or paused timer that matches, however many. */
  async cancelMany(filter: BulkFilter, options: BulkOptions = {}): Promise<Canceled> {
    checkCancelFilter(filter)
    const { changed, ...rest } = await this.#bulk('cancel', filter, options)
    return { ...rest, canceled: changed }
  }

  /**
   * Makes it due at once; a cycle goes on as before. This is the one call that is not sent again when its answer was
   * lost, since it would fire twice.
   */
  async trigger<Payload = unknown>(name: TimerName, options?: CallOptions): Promise<Timer<Payload>> {
    const call = { method: 'POST', path: `${TIMERS}/trigger`, body: () => this.#named(name), onceOnly: true } as const
    return (await this.#transport.request(call, this.#transport.budget(options))).body as Timer<Payload>
  }

  /** It does not fire until it is resumed, or until the instant `until`. */
  async pause<Payload = unknown>(
    name: TimerName,
    options?: CallOptions & { readonly until?: InstantLike | undefined },
  ): Promise<Timer<Payload>> {
    const until = options?.until === undefined ? {} : { until: instantText(options.until, 'until') }
    return (await this.#post('pause', { ...this.#named(name), ...until }, options)) as Timer<Payload>
  }

  /** What came due during the pause fires at once. */
  async resume<Payload = unknown>(name: TimerName, options?: CallOptions): Promise<Timer<Payload>> {
    return (await this.#post('resume', this.#named(name), options)) as Timer<Payload>
  }

  /** Brings a failed timer back: its delivery starts at once, with all its attempts. */
  async retry<Payload = unknown>(name: TimerName, options?: CallOptions): Promise<Timer<Payload>> {
    const change = {
      verb: 'retry',
      body: this.#named(name),
      isDone: ({ status }: Timer) => status !== 'failed',
    } as const
    return (await this.#change(change, this.#transport.budget(options), null)) as Timer<Payload>
  }

  /** Every failed timer that matches, however many. */
  async retryMany(filter: Omit<BulkFilter, 'status'> = {}, options: BulkOptions = {}): Promise<Retried> {
    const { changed, ...rest } = await this.#bulk('retry', { ...filter, all: true }, options)
    return { ...rest, retried: changed }
  }

  /** When a timer like this, created now, would fire. Nothing is stored. */
  async preview(query: PreviewQuery, options?: CallOptions): Promise<PreviewAnswer> {
    const { to, ...asked } = query.calendar === undefined ? query : this.#inNamespace(query)
    const from = asked.every === undefined ? asked.from : undefined
    const range = {
      ...(from !== undefined && { from: instantText(from, 'from') }),
      ...(to !== undefined && { to: instantText(to, 'to') }),
    }
    const when = from === undefined ? asked : { ...asked, from: undefined }
    return (await this.#post('preview', { ...inWireTime(when as When), ...range }, options)) as PreviewAnswer
  }

  async cluster(options?: CallOptions): Promise<Cluster> {
    return (await this.#get('/api/v1/cluster', {}, options)) as Cluster
  }

  /** Of one namespace, or of all that the key may see. */
  async overview(query: { readonly namespace?: string | undefined } = {}, options?: CallOptions): Promise<Overview> {
    return (await this.#get('/api/v1/overview', query, options)) as Overview
  }

  /** How many timers come due in the next seconds, minutes or hours. */
  async forecast(query: ForecastQuery = {}, options?: CallOptions): Promise<Forecast> {
    return (await this.#get('/api/v1/forecast', query, options)) as Forecast
  }

  /** What happens as it happens, until the loop is left or the signal is aborted. Broken connections are opened again. */
  live(options: LiveOptions = {}): AsyncGenerator<LiveEvent, void, void> {
    return liveEvents(this.#transport, options)
  }

  /** Sends one delivery now, exactly as a timer would, and tells what came of it. Nothing is stored. Never sent twice. */
  async testCallback(test: CallbackTest, options?: CallOptions): Promise<CallbackTestResult> {
    const body = () => this.#inNamespace(test)
    const call = { method: 'POST', path: '/api/v1/callbacks/test', body, onceOnly: true } as const
    return (await this.#transport.request(call, this.#transport.budget(options))).body as CallbackTestResult
  }

  #named(name: TimerName): { readonly namespace: string; readonly timerId: string } {
    const { id, namespace = this.namespace } = typeof name === 'string' ? { id: name } : name
    if (typeof id !== 'string' || id === '')
      throw invalidInput('timerId', 'the id of a timer must be a text that is not empty')
    return { namespace, timerId: id }
  }

  #inNamespace<Body extends { readonly namespace?: string | undefined }>(
    body: Body,
  ): Body & { readonly namespace: string } {
    return { ...body, namespace: body.namespace ?? this.namespace }
  }

  #create(create: ReadyCreate, budget: Budget, gatherer: Gatherer | null): Promise<Timer> {
    const make = () => createOne(this.#transport, create, budget, gatherer)
    // Two with one key are one timer, or the second is refused.
    const name = create.id ?? `key ${create.idempotencyKey}`
    return this.#order.run(nameText(create.namespace, name), budget, make)
  }

  #update(name: TimerName, changes: TimerChanges, budget: Budget, gatherer: Gatherer | null) {
    const body = updateBody(this.#named(name), changes)
    // That it is too late, or has another version, can be the work of the first attempt.
    const isDone = (timer: Timer) =>
      isAsAsked(timer, body) && (body.ifVersion === undefined || timer.version > body.ifVersion)
    return this.#change({ verb: 'update', body, isDone }, budget, gatherer)
  }

  async #cancel(name: TimerName, ifVersion: number | undefined, budget: Budget, gatherer: Gatherer | null) {
    const body = { ...this.#named(name), ifVersion }
    await this.#change({ verb: 'delete', body, isDone: ({ status }) => status === 'canceled' }, budget, gatherer)
    return null
  }

  #change({ verb, body, isDone }: ChangeOf, budget: Budget, gatherer: Gatherer | null) {
    const gathered = verb === 'retry' || gatherer === null ? null : { by: gatherer, action: verb }
    const change = { path: `${TIMERS}/${verb}`, body, isDone, gathered }
    return this.#order.run(nameText(body.namespace, body.timerId), budget, () =>
      changeOnce(this.#transport, change, budget),
    )
  }

  #bulk(verb: 'cancel' | 'retry', filter: BulkFilter, { dryRun, onProgress, ...options }: BulkOptions) {
    const body = { ...this.#inNamespace(wireFilter(filter)), dryRun }
    const ask = () => this.#post(verb, body, options) as Promise<Canceled | Retried>
    return askWhileMore(ask, { dryRun, onProgress })
  }

  async #post(verb: string, body: unknown, options: CallOptions | undefined): Promise<unknown> {
    const call = { method: 'POST', path: `${TIMERS}/${verb}`, body: () => body } as const
    return (await this.#transport.request(call, this.#transport.budget(options))).body
  }

  async #get(path: string, query: Query, options: CallOptions | undefined): Promise<unknown> {
    const call = { method: 'GET', path: `${path}${queryText(query)}` } as const
    return (await this.#transport.request(call, this.#transport.budget(options))).body
  }
}

/** A namespace has no slash. */
function nameText(namespace: string, id: string): string {
  return `${namespace}/${id}`
}
