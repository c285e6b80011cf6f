// The composition root of the service: it builds the parts from the settings and starts and stops them in order: store,
// broker, engine, entry points. What a program with the library in it needs as well is in assembly.ts.

import type { FastifyInstance } from 'fastify'
import {
  beginLife,
  buildEngine,
  buildService,
  buildTargets,
  openBroker,
  openLinks,
  openOutbox,
  timerProtocols,
} from './assembly.ts'
import { brokerFaults } from './broker/broker.ts'
import type { Broker } from './broker/broker.ts'
import type { Millis } from './core/timer/timer.ts'
import type { Engine } from './engine/engine.ts'
import { CONTRACTS } from './http/contracts/all-contracts.ts'
import { buildApp } from './http/app.ts'
import { closeWithin } from './http/routes/closing.ts'
import { ANSWER_MAX_HEADER } from './http/lists/list-answer.ts'
import { v1Delivery } from './http/contracts/v1/delivery.ts'
import { KeptAnswers } from './http/observing/kept-answers.ts'
import { WEB_FOLDER } from './http/routes/web-folder.ts'
import { readWebFiles } from './http/routes/web-page.ts'
import { NatsListener } from './nats/listener.ts'
import type { LifecycleOutbox } from './nats/lifecycle/lifecycle-outbox.ts'
import type { NativeApi } from './nats/requests/request-handler.ts'
import { systemClock } from './runtime/clock/clock.ts'
import type { Clock } from './runtime/clock/clock.ts'
import type { Config } from './runtime/config/config.ts'
import { isLasting } from './runtime/config/databases/databases.ts'
import { Lifecycle } from './runtime/lifecycle.ts'
import type { Part } from './runtime/lifecycle.ts'
import { partLogger } from './runtime/telemetry/logger.ts'
import type { Logger } from './runtime/telemetry/logger.ts'
import { Metrics } from './runtime/telemetry/metrics.ts'
import { ownUrl } from './runtime/own-address.ts'
import { VERSION } from './runtime/version.ts'
import { openObservatory } from './service/activity/observatory.ts'
import { CallbackTests, TEST_PROTOCOL } from './service/callback-test.ts'
import { RateLimits } from './service/keys/rate-limits.ts'
import { DeliveryLog } from './service/delivery-log.ts'
import { observeInto } from './service/metrics-observer.ts'
import { observeWith } from './service/observers.ts'
import { abandon, beginOpening } from './opening.ts'
import type { Opening } from './opening.ts'
import type { TimerService } from './service/timer-service.ts'
import { measuredStore } from './store/measured-store.ts'
import type { Store } from './store/store.ts'
import { ThreadedTarget } from './threads/delivery/threaded-target.ts'
import { EntryThreads } from './threads/entry/entry-threads.ts'
import { NO_THREADS, threadCounts } from './threads/thread-counts.ts'
import { buildHttpTarget } from './targets/http/from-config.ts'
import { payloadProtocol } from './targets/nats/protocol.ts'

export type RunningServer = {
  readonly url: string
  stop(): Promise<void>
  /** Reads the keys file again, now; null when there is none. */
  readonly reloadKeys: (() => Promise<void>) | null
  /** For a clock that is moved by hand: see Engine.quiet. */
  quiet(): Promise<Millis>
  /** Started so far. */
  readonly deliveries: number
  /** Until when the engine has nothing to do; Infinity for ever. Not in the future while something is under way. */
  readonly freeUntil: Millis
}

export type ServerExtras = {
  /** More of them, on the same port; only `duetime dev` has any. */
  readonly routes?: (app: FastifyInstance) => void
  /** Begun already. It is abandoned if the server does not start. */
  readonly opening?: Opening
}

export async function startServer(
  config: Config,
  clock: Clock = systemClock,
  extras: ServerExtras = {},
): Promise<RunningServer> {
  const opening = extras.opening ?? (await beginOpening(config, clock))
  try {
    return await startOpened({ config, clock, opening, extras })
  } catch (error) {
    await abandon(opening)
    throw error
  }
}

type StartParts = { config: Config; clock: Clock; opening: Opening; extras: ServerExtras }

async function startOpened({ config, clock, opening, extras }: StartParts): Promise<RunningServer> {
  const webFiles = readWebFiles(WEB_FOLDER) // while the database opens
  const { logger, ring, watched } = opening
  const threads = clock === systemClock ? threadCounts(config) : NO_THREADS
  if (clock === systemClock && config.httpThreads !== 'auto' && config.httpThreads > threads.http)
    logger.warn({ platform: process.platform }, 'HTTP_THREADS is ignored: threads cannot share a port here')
  const opened = await opening.store
  const metrics = new Metrics(partLogger(logger, 'metrics'))
  const store = measuredStore(opened, systemClock, (end) => metrics.storeAnswered(end))
  if (!isLasting(config.database)) logger.warn('timers are kept in memory only: they are lost when the service stops')
  const broker = await openBroker(config, clock, logger)
  const links = await openLinks(store, clock, logger)
  const life = await beginLife()

  let url = '' // known when it listens
  const address = () => config.nodeUrl ?? ownUrl(url, config.host)
  const observatory = openObservatory({ store, clock, gauges: () => engine.gauges() })
  const deliveryLog = new DeliveryLog({ logger: partLogger(logger, 'deliveries'), clock })
  const observer = observeWith([observeInto(metrics), observatory.observer, deliveryLog.observer()])
  const outbox = openOutbox({ config, clock, logger, store, broker })
  const protocols = timerProtocols(config)
  const http = buildHttpTarget({ config, clock }, protocols.http)
  const threaded =
    threads.delivery === 0 ? null : new ThreadedTarget({ count: threads.delivery, config, clock, logger, here: http })
  const targets = buildTargets({ config, clock, broker }, protocols, threaded ?? http)
  const engine: Engine = buildEngine({ config, clock, logger, store, targets, observer, links, life, address, outbox })
  const service = buildService({ config, clock, store, engine, links, observer, targets })

  const callbackTests = openCallbackTests({ config, clock, broker })
  const limits = new RateLimits(clock)
  const entry =
    threads.http === 0
      ? null
      : new EntryThreads({ count: threads.http, config, clock, logger, keys: ring, isInCluster: links !== null })
  const app = await buildApp({
    service,
    contracts: CONTRACTS,
    keys: ring,
    limits,
    config,
    clock,
    logger: partLogger(logger, 'http'),
    metrics,
    ready: { store: () => store.ping(), ...(links !== null && { cluster: () => engine.assertInCluster() }) },
    degradable: {
      ...(broker !== null && { nats: () => checkBroker(broker) }),
      ...(outbox !== null && { lifecycle: () => outbox.check() }),
      ...(entry !== null && { httpThreads: () => entry.check() }),
      ...(threaded !== null && { deliveryThreads: () => threaded.check() }),
    },
    cluster: () => engine.cluster(),
    observing: {
      ...observatory,
      callbackTests,
      node: { name: engine.cluster().node, database: store.capabilities.name, startedAt: clock.now() },
    },
    webFiles: await webFiles,
    ...(extras.routes !== undefined && { routes: extras.routes }),
    ...(links !== null && { internal: { secret: links.secret, node: engine } }),
  }).catch(async (error: unknown) => {
    await entry?.stop(0) // its threads would keep the process alive
    throw error
  })

  const enginePart: Part = {
    name: 'engine',
    start: () => engine.start(),
    stop: () => engine.stop(config.shutdownGraceMs),
  }
  const httpPart: Part = {
    name: 'http',
    start: async () => {
      const { host, port } = config
      url = await (entry?.listen({ judged: service.judged, limits, app }) ?? app.listen({ host, port }))
    },
    stop: async () => {
      const graceMs = config.shutdownGraceMs
      await Promise.all([closeWithin(app, { clock, graceMs }), entry?.stop(graceMs)])
    },
  }
  const parts: readonly (Part | null)[] = [
    { name: 'life', start: () => {}, stop: () => life.end() },
    { name: 'store', start: () => {}, stop: () => store.close() },
    watched && { name: 'keys', start: () => watched.start(), stop: () => watched.stop() },
    { name: 'metrics', start: () => watch(metrics, engine, store), stop: () => metrics.stop() },
    broker && { name: 'broker', start: () => broker.start(), stop: () => broker.stop() },
    outbox && outboxPart(outbox, metrics),
    { name: 'delivery log', start: () => {}, stop: () => deliveryLog.stop() },
    { name: 'callback tests', start: () => {}, stop: () => callbackTests.close() },
    threaded && { name: 'delivery threads', start: () => threaded.start(), stop: () => threaded.close() },
    links && { name: 'links', start: () => {}, stop: () => links.close() },
    // A node of a cluster hands its shards over while it still answers, and sends what comes to their new owners.
    ...(links === null ? [enginePart, httpPart] : [httpPart, enginePart]),
    broker && config.natsMessages ? natsDoor({ broker, service, app, config, clock, logger, metrics }) : null,
  ]
  const lifecycle = new Lifecycle(
    parts.filter((part) => part !== null),
    partLogger(logger, 'lifecycle'),
  )
  await lifecycle.start().catch(async (error: unknown) => {
    await entry?.stop(0) // its threads run since before the parts were started
    throw error
  })

  const { database, loopbackOnly, keysNeeded } = config
  const reach = reachOf(config)
  logger.info({ url, reach, loopbackOnly, keysNeeded, database, threads, version: VERSION }, 'listening')
  return {
    url,
    stop: () => lifecycle.stop(),
    reloadKeys: watched === null ? null : () => watched.reload(),
    quiet: () => engine.quiet(),
    get deliveries() {
      return engine.deliveries
    },
    get freeUntil() {
      return engine.freeUntil
    },
  }
}

function reachOf({ keysNeeded, loopbackOnly }: Config): string {
  if (keysNeeded) return 'whoever has a key'
  return loopbackOnly ? 'this machine only, because no API key is configured' : 'whoever reaches the address'
}

type CallbackTestParts = { config: Config; clock: Clock; broker: Broker | null }

/** Over connections of their own: a test takes none from timers. Everything else about them is as for timers. */
function openCallbackTests(parts: CallbackTestParts): CallbackTests {
  const kept = new KeptAnswers(v1Delivery)
  const targets = buildTargets(parts, { http: [kept.protocol], nats: [payloadProtocol(TEST_PROTOCOL)] })
  return new CallbackTests({ targets, clock: parts.clock, answerTo: (firing) => kept.to(firing) })
}

function outboxPart(outbox: LifecycleOutbox, metrics: Metrics): Part {
  const start = () => {
    metrics.watch({
      outboxEvents: () => outbox.backlog.count,
      outboxOldestSeconds: () => outbox.backlog.oldestMs / 1_000,
    })
    outbox.start()
  }
  return { name: 'lifecycle events', start, stop: () => outbox.stop() }
}

type NatsDoorParts = {
  broker: Broker
  service: TimerService
  app: FastifyInstance
  config: Config
  clock: Clock
  logger: Logger
  metrics: Metrics
}

function natsDoor({ broker, service, app, config, clock, logger, metrics }: NatsDoorParts): Part {
  return new NatsListener({
    broker,
    service,
    api: nativeApi(app),
    config,
    clock,
    logger: partLogger(logger, 'nats'),
    metrics: metrics.commands,
  })
}

const LIST_END_BYTES = 1_024 // what stands around the timers of a list

/** Requests over the broker are answered by the very routes that answer them over HTTP, keys and limits included. */
function nativeApi(app: FastifyInstance): NativeApi {
  return async ({ verb, body, headers, answerBytesMax }) => {
    const url = `/api/v1/timers/${verb}`
    if (!app.hasRoute({ method: 'POST', url })) return null
    const more = { 'content-type': 'application/json', [ANSWER_MAX_HEADER]: String(answerBytesMax - LIST_END_BYTES) }
    const answer = await app.inject({ method: 'POST', url, payload: body, headers: { ...headers, ...more } })
    return { status: answer.statusCode, body: answer.body }
  }
}

/** Throws what does not work. */
function checkBroker(broker: Broker): void {
  const faults = brokerFaults(broker)
  if (faults.length > 0) throw new Error(faults.join('; '))
}

function watch(metrics: Metrics, engine: Engine, store: Store): void {
  metrics.watch({
    commitQueueLength: () => engine.gauges().commitQueueLength,
    windowTimers: () => engine.gauges().windowTimers,
    inFlightDeliveries: () => engine.gauges().inFlight,
    readyDeliveries: () => engine.gauges().readyDeliveries,
    waitingToCatchUp: () => engine.gauges().waitingToCatchUp,
    ownedShards: () => engine.gauges().ownedShards,
    unopenedShards: () => engine.gauges().unopenedShards,
    layoutShards: () => engine.gauges().layoutShards,
    waitingShards: () => engine.gauges().waitingShards,
    unsplitShards: () => engine.gauges().unsplitShards,
    forgottenClaims: () => engine.gauges().forgottenClaims,
    clockSkewSeconds: () => engine.gauges().clockSkewMs / 1_000,
  })
  metrics.watchShards(() => engine.shardGauges())
  const { consumedUnits } = store.capabilities
  if (consumedUnits !== undefined) metrics.watchUnits(consumedUnits)
  metrics.watchTimers(async () => (await store.stats()).counts)
}
