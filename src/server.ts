// The composition root: the only file that knows every concrete class. It builds the parts from the settings and
// starts and stops them in order: store, engine, doors.

import { hostname } from 'node:os'
import type { Namespace, Target } from './core/timer.ts'
import { Engine } from './engine/engine.ts'
import { buildApp } from './http/app.ts'
import { v1Contract } from './http/contracts/v1/contract.ts'
import { v1Delivery } from './http/contracts/v1/delivery.ts'
import { systemClock } from './runtime/clock.ts'
import type { Clock } from './runtime/clock.ts'
import type { Config } from './runtime/config.ts'
import { Lifecycle } from './runtime/lifecycle.ts'
import { createLogger, partLogger } from './runtime/logger.ts'
import type { Logger } from './runtime/logger.ts'
import { Metrics } from './runtime/metrics.ts'
import { VERSION } from './runtime/version.ts'
import { observeInto } from './service/metrics-observer.ts'
import { TimerService } from './service/timer-service.ts'
import type { Store } from './store/store.ts'
import { createEgressPolicy } from './targets/http/egress.ts'
import type { EgressPolicy } from './targets/http/egress.ts'
import { HttpTarget } from './targets/http/http-target.ts'
import { NoneTarget } from './targets/none/none-target.ts'

export type RunningServer = { readonly url: string; stop(): Promise<void> }

export async function startServer(config: Config, clock: Clock = systemClock): Promise<RunningServer> {
  const logger = createLogger(config)
  const store = await openStore(config, logger)
  const metrics = new Metrics(partLogger(logger, 'metrics'))
  const egress = egressFor(config)
  const engine = buildEngine({ config, clock, logger, store, metrics, egress })
  const service = new TimerService({
    engine,
    store,
    clock,
    namespaces: config.namespaces,
    refuseTarget: (target) => refuseTarget(target, egress),
    observer: observeInto(metrics),
  })
  const app = await buildApp({
    service,
    contracts: [v1Contract],
    config,
    clock,
    logger: partLogger(logger, 'http'),
    metrics,
    ready: { store: () => store.ping() },
  })

  let url = ''
  const lifecycle = new Lifecycle(
    [
      { name: 'store', start: () => {}, stop: () => store.close() },
      { name: 'metrics', start: () => watch(metrics, engine, service), stop: () => metrics.stop() },
      { name: 'engine', start: () => engine.start(), stop: () => engine.stop(config.shutdownGraceMs) },
      {
        name: 'http',
        start: async () => {
          url = await app.listen({ host: config.host, port: config.port })
        },
        stop: () => app.close(),
      },
    ],
    partLogger(logger, 'lifecycle'),
  )
  await lifecycle.start()
  const { database, loopbackOnly } = config
  const reach = loopbackOnly ? 'this machine only, because no API key is configured' : 'whoever reaches the address'
  logger.info({ url, reach, loopbackOnly, database, version: VERSION }, 'listening')
  return { url, stop: () => lifecycle.stop() }
}

/** Drivers load when their kind of database is asked for, and not before. */
async function openStore(config: Config, logger: Logger): Promise<Store> {
  switch (config.database.type) {
    case 'sqlite': {
      const { openSqliteStore } = await import('./store/sqlite/sqlite-store.ts')
      return openSqliteStore({ path: config.database.path })
    }
    case 'memory': {
      const { MemoryStore } = await import('./store/memory/memory-store.ts')
      logger.warn('timers are kept in memory only: they are lost when the service stops')
      return new MemoryStore()
    }
  }
}

type EngineParts = { config: Config; clock: Clock; logger: Logger; store: Store; metrics: Metrics; egress: EgressPolicy }

function buildEngine({ config, clock, logger, store, metrics, egress }: EngineParts): Engine {
  const http = new HttpTarget({
    protocols: [v1Delivery],
    egress,
    clock,
    signingSecrets: config.webhookSecrets,
    userAgent: `duetime/${VERSION}`,
    connectionsPerHost: config.deliveriesPerTargetMax,
  })
  return new Engine({
    store,
    targets: [http, new NoneTarget()],
    clock,
    logger: partLogger(logger, 'engine'),
    observer: observeInto(metrics),
    node: `${hostname()}:${process.pid}`,
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

function refuseTarget(target: Target, egress: EgressPolicy): string | null {
  switch (target.type) {
    case 'http':
      return egress.checkUrl(target.url)
    case 'nats':
      return 'this service has no NATS connection configured, so a callback of type nats could never be delivered'
    case 'none':
      return null
  }
}

function watch(metrics: Metrics, engine: Engine, service: TimerService): void {
  metrics.watch({
    commitQueueLength: () => engine.gauges().commitQueueLength,
    windowTimers: () => engine.gauges().windowTimers,
    inFlightDeliveries: () => engine.gauges().inFlight,
    readyDeliveries: () => engine.gauges().readyDeliveries,
    ownedShards: () => engine.gauges().ownedShards,
  })
  metrics.watchTimers(async () => (await service.stats()).counts)
}
