// The composition root: the only file that knows every concrete class. It builds the parts from the settings and
// starts and stops them in order: store, broker, engine, doors.

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { FastifyInstance } from 'fastify'
import type { Broker } from './broker/broker.ts'
import type { Namespace, Target } from './core/timer.ts'
import { Engine } from './engine/engine.ts'
import { CONTRACTS, DELIVERIES } from './http/all-contracts.ts'
import { buildApp } from './http/app.ts'
import { closeWithin } from './http/closing.ts'
import { PLATFORM_PROTOCOL } from './http/contracts/platform/delivery.ts'
import { NATIVE_PROTOCOL } from './http/native/callback.ts'
import { NatsDoor } from './nats/door.ts'
import { dueTimeReached } from './nats/messages/due-time-reached.ts'
import type { NativeApi } from './nats/requests/request-handler.ts'
import { systemClock } from './runtime/clock.ts'
import type { Clock } from './runtime/clock.ts'
import type { Config } from './runtime/config.ts'
import { Lifecycle } from './runtime/lifecycle.ts'
import type { Part } from './runtime/lifecycle.ts'
import { createLogger, partLogger } from './runtime/logger.ts'
import type { Logger } from './runtime/logger.ts'
import { Metrics } from './runtime/metrics.ts'
import { ownUrl } from './runtime/own-address.ts'
import { VERSION } from './runtime/version.ts'
import { observeInto } from './service/metrics-observer.ts'
import { openKeys } from './service/keys/open-keys.ts'
import { CommandRouter } from './service/command-router.ts'
import { PeerLinks } from './service/peer-links.ts'
import { TimerService } from './service/timer-service.ts'
import type { Store } from './store/store.ts'
import { createEgressPolicy } from './targets/http/egress.ts'
import type { EgressPolicy } from './targets/http/egress.ts'
import { HttpTarget } from './targets/http/http-target.ts'
import { natsTargetFault } from './targets/nats/nats-address.ts'
import { NatsTarget } from './targets/nats/nats-target.ts'
import { payloadProtocol } from './targets/nats/protocol.ts'
import { NoneTarget } from './targets/none/none-target.ts'

/** Over NATS, every contract but `messages` sends the payload as it is. */
const NATS_PROTOCOLS = [payloadProtocol(NATIVE_PROTOCOL), payloadProtocol(PLATFORM_PROTOCOL), dueTimeReached]

export type RunningServer = {
  readonly url: string
  stop(): Promise<void>
  /** Reads the keys file again, now; null when there is none. */
  readonly reloadKeys: (() => Promise<void>) | null
}

export async function startServer(config: Config, clock: Clock = systemClock): Promise<RunningServer> {
  const logger = createLogger(config)
  // First, since it is the quickest to fail.
  const keys = await openKeys(config, { clock, logger: partLogger(logger, 'keys') })
  const store = await openStore(config, logger)
  const broker = await openBroker(config, clock, logger)
  const metrics = new Metrics(partLogger(logger, 'metrics'))
  const egress = egressFor(config)
  const links = store.capabilities.shared ? new PeerLinks({ secret: await store.clusterSecret(), clock }) : null
  let url = ''
  const engine = buildEngine({ config, clock, logger, store, broker, metrics, egress, links, address: () => config.nodeUrl ?? ownUrl(url, config.host) })
  const service = new TimerService({
    engine,
    ...(links !== null && { executor: new CommandRouter({ engine, peers: links, clock }) }),
    store,
    clock,
    namespaces: config.namespaces,
    refuseTarget: (target, namespace) => refuseTarget({ target, namespace, egress, config }),
    observer: observeInto(metrics),
  })
  const app = await buildApp({
    service,
    contracts: CONTRACTS,
    keys: keys.ring,
    config,
    clock,
    logger: partLogger(logger, 'http'),
    metrics,
    ready: { store: () => store.ping(), ...(links !== null && { cluster: () => engine.assertInCluster() }) },
    cluster: () => engine.cluster(),
    ...(broker !== null && { degradable: { nats: () => checkBroker(broker) } }),
    ...(links !== null && { internal: { secret: links.secret, executor: engine, look: () => engine.lookNow() } }),
  }).catch(async (error: unknown) => {
    // Its threads would keep the process alive, with nobody to talk to.
    await store.close()
    throw error
  })

  const enginePart: Part = { name: 'engine', start: () => engine.start(), stop: () => engine.stop(config.shutdownGraceMs) }
  const httpPart: Part = {
    name: 'http',
    start: async () => {
      url = await app.listen({ host: config.host, port: config.port })
    },
    stop: () => closeWithin(app, { clock, graceMs: config.shutdownGraceMs }),
  }
  const lifecycle = new Lifecycle(
    [
      { name: 'store', start: () => {}, stop: () => store.close() },
      ...(keys.watched === null ? [] : [{ name: 'keys', start: () => keys.watched!.start(), stop: () => keys.watched!.stop() }]),
      { name: 'metrics', start: () => watch(metrics, engine, store), stop: () => metrics.stop() },
      ...(broker === null ? [] : [brokerPart(broker)]),
      // A node of a cluster hands its shards over while it still answers, and sends what comes to their new owners.
      ...(links === null ? [enginePart, httpPart] : [linksPart(links), httpPart, enginePart]),
      ...(broker === null || !config.natsMessages ? [] : [natsDoor({ broker, service, app, config, clock, logger })]),
    ],
    partLogger(logger, 'lifecycle'),
  )
  await lifecycle.start()
  const { database, loopbackOnly, keysNeeded } = config
  logger.info({ url, reach: reachOf(config), loopbackOnly, keysNeeded, database, version: VERSION }, 'listening')
  return { url, stop: () => lifecycle.stop(), reloadKeys: keys.watched === null ? null : () => keys.watched!.reload() }
}

function reachOf({ keysNeeded, loopbackOnly }: Config): string {
  if (keysNeeded) return 'whoever has a key'
  return loopbackOnly ? 'this machine only, because no API key is configured' : 'whoever reaches the address'
}

const BEAT_SHARE = 0.4 // of the lease: a connection that hangs is given up while there is time for another beat

/** Drivers load when their kind of database is asked for, and not before. */
export async function openStore(config: Config, logger: Logger): Promise<Store> {
  switch (config.database.type) {
    case 'sqlite': {
      const { openSqliteStore } = await import('./store/sqlite/sqlite-store.ts')
      return openSqliteStore({ path: config.database.path })
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./store/postgres/postgres-store.ts')
      const { database, pgPoolSize: poolSize, pgStatementTimeoutMs: statementTimeoutMs, shards } = config
      const beatWithinMs = config.leaseMs * BEAT_SHARE
      const options = { poolSize, statementTimeoutMs, beatWithinMs, ...(shards === null ? {} : { shards }), logger: partLogger(logger, 'store') }
      return openPostgresStore({ ...database, ...options })
    }
    case 'memory': {
      const { MemoryStore } = await import('./store/memory/memory-store.ts')
      logger.warn('timers are kept in memory only: they are lost when the service stops')
      return new MemoryStore()
    }
  }
}

/** The client library loads when a broker is configured, and not before. */
async function openBroker(config: Config, clock: Clock, logger: Logger): Promise<Broker | null> {
  if (config.broker === null) return null
  const { NatsBroker } = await import('./broker/nats/nats-broker.ts')
  return new NatsBroker({ settings: config.broker, clock, logger: partLogger(logger, 'broker') })
}

function linksPart(links: PeerLinks): Part {
  return { name: 'links', start: () => {}, stop: () => links.close() }
}

function brokerPart(broker: Broker): Part {
  return { name: 'broker', start: () => broker.start(), stop: () => broker.stop() }
}

type NatsDoorParts = { broker: Broker; service: TimerService; app: FastifyInstance; config: Config; clock: Clock; logger: Logger }

function natsDoor({ broker, service, app, config, clock, logger }: NatsDoorParts): Part {
  return new NatsDoor({ broker, service, api: nativeApi(app), config, clock, logger: partLogger(logger, 'nats') })
}

/** Requests over the broker are answered by the very routes that answer them over HTTP, keys and limits included. */
function nativeApi(app: FastifyInstance): NativeApi {
  return async ({ verb, body, headers }) => {
    const url = `/api/v1/timers/${verb}`
    if (!app.hasRoute({ method: 'POST', url })) return null
    const answer = await app.inject({ method: 'POST', url, payload: body, headers: { ...headers, 'content-type': 'application/json' } })
    return { status: answer.statusCode, body: answer.body }
  }
}

/** Throws what does not work. */
function checkBroker(broker: Broker): void {
  const { state } = broker
  const faults = state.type === 'disconnected' ? [`disconnected: ${state.reason}`] : broker.faults()
  if (faults.length > 0) throw new Error(faults.join('; '))
}

type EngineParts = {
  config: Config
  clock: Clock
  logger: Logger
  store: Store
  broker: Broker | null
  metrics: Metrics
  egress: EgressPolicy
  links: PeerLinks | null
  address: () => string
}

function buildEngine({ config, clock, logger, store, broker, metrics, egress, links, address }: EngineParts): Engine {
  const http = new HttpTarget({
    protocols: DELIVERIES,
    egress,
    clock,
    signingSecrets: config.webhookSecrets,
    userAgent: `duetime/${VERSION}`,
    connectionsPerHost: config.deliveriesPerTargetMax,
  })
  const nats = broker === null ? [] : [new NatsTarget({ broker, protocols: NATS_PROTOCOLS })]
  return new Engine({
    store,
    targets: [http, ...nats, new NoneTarget()],
    clock,
    logger: partLogger(logger, 'engine'),
    observer: observeInto(metrics),
    node: `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
    ...(links !== null && { cluster: { address, leaseMs: config.leaseMs, notify: (to: string) => links.notify(to) } }),
    retentionMs: (namespace: Namespace) => config.retentionByNamespace.get(namespace) ?? config.retentionMs,
    window: { timersMax: config.windowTimersMax, bytesMax: config.windowBytesMax, pageSize: config.batchSize },
    deliveries: {
      total: config.deliveriesMax,
      perNamespace: config.deliveriesPerNamespaceMax,
      perTarget: config.deliveriesPerTargetMax,
    },
    commitQueue: { lengthMax: config.commitQueueMax, batchMax: config.commitBatchMax },
    pollIntervalMs: config.pollingIntervalMs,
  })
}

function egressFor(config: Config): EgressPolicy {
  return createEgressPolicy({
    allow: config.callbackAllow,
    deny: config.callbackDeny,
    loopbackAllowed: config.loopbackOnly,
    privateAllowed: config.loopbackOnly,
  })
}

type TargetQuestion = { target: Target; namespace: Namespace; egress: EgressPolicy; config: Config }

function refuseTarget({ target, namespace, egress, config }: TargetQuestion): string | null {
  switch (target.type) {
    case 'http':
      return egress.checkUrl(target.url)
    case 'nats':
      if (config.broker === null) return 'NATS is not configured (NATS_URL), so a callback of type nats could never be delivered'
      return natsTargetFault(target, namespace, { namespacePrefix: config.natsNamespacePrefix })
    case 'none':
      return null
  }
}

function watch(metrics: Metrics, engine: Engine, store: Store): void {
  metrics.watch({
    commitQueueLength: () => engine.gauges().commitQueueLength,
    windowTimers: () => engine.gauges().windowTimers,
    inFlightDeliveries: () => engine.gauges().inFlight,
    readyDeliveries: () => engine.gauges().readyDeliveries,
    ownedShards: () => engine.gauges().ownedShards,
  })
  metrics.watchTimers(async () => (await store.stats()).counts)
}
