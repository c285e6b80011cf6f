// What a server and a program with the library in it have in common, built from the settings: the store, the broker, the
// way to other nodes, the engine with its targets, and the service. Doors are not among it, and neither is a web server.

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Broker } from './broker/broker.ts'
import { SubjectPatterns } from './core/timer/subject.ts'
import type { Namespace, Target } from './core/timer/timer.ts'
import { Engine } from './engine/engine.ts'
import type { EngineObserver } from './engine/engine.ts'
import type { Outbox } from './engine/outbox.ts'
import { DELIVERIES } from './http/contracts/all-contracts.ts'
import { PLATFORM_PROTOCOL } from './http/contracts/platform/delivery.ts'
import { NATIVE_PROTOCOL } from './http/native/callback.ts'
import { LifecycleOutbox } from './nats/lifecycle/lifecycle-outbox.ts'
import { dueTimeReached, MESSAGES_PROTOCOL } from './nats/messages/due-time-reached.ts'
import { ownSubjects, Subjects } from './nats/subjects.ts'
import type { Clock } from './runtime/clock/clock.ts'
import type { Config } from './runtime/config/config.ts'
import { partLogger } from './runtime/telemetry/logger.ts'
import type { Logger } from './runtime/telemetry/logger.ts'
import { VERSION } from './runtime/version.ts'
import { CommandRouter } from './service/command-router.ts'
import { PeerLinks } from './service/peers/peer-links.ts'
import type { Callback, ServiceObserver } from './service/timer-operations.ts'
import { TimerService } from './service/timer-service.ts'
import type { Store } from './store/store.ts'
import { createEgressPolicy } from './targets/http/egress/egress.ts'
import type { EgressPolicy } from './targets/http/egress/egress.ts'
import { HttpTarget } from './targets/http/http-target.ts'
import { natsTargetFault } from './targets/nats/nats-address.ts'
import type { AddressRules } from './targets/nats/nats-address.ts'
import { NatsTarget } from './targets/nats/nats-target.ts'
import { payloadProtocol } from './targets/nats/protocol.ts'
import { NoneTarget } from './targets/none/none-target.ts'
import type { TargetAdapter } from './targets/target.ts'

/** Over NATS, every contract but `messages` sends the payload as it is. */
const PAYLOAD_PROTOCOLS = [payloadProtocol(NATIVE_PROTOCOL), payloadProtocol(PLATFORM_PROTOCOL)]

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
      const options = { poolSize, statementTimeoutMs, beatWithinMs, logger: partLogger(logger, 'store') }
      return openPostgresStore({ ...database, ...options, ...(shards !== null && { shards }) })
    }
    case 'memory': {
      const { MemoryStore } = await import('./store/memory/memory-store.ts')
      return new MemoryStore()
    }
  }
}

/** The client library loads when a broker is configured, and not before. */
export async function openBroker(config: Config, clock: Clock, logger: Logger): Promise<Broker | null> {
  if (config.broker === null) return null
  const { NatsBroker } = await import('./broker/nats/nats-broker.ts')
  return new NatsBroker({ settings: config.broker, clock, logger: partLogger(logger, 'broker') })
}

/** Null where the store is for one node. */
export async function openLinks(store: Store, clock: Clock, logger: Logger): Promise<PeerLinks | null> {
  return store.capabilities.shared
    ? new PeerLinks({ secret: await store.clusterSecret(), clock, logger: partLogger(logger, 'peers') })
    : null
}

type OutboxParts = { config: Config; clock: Clock; logger: Logger; store: Store; broker: Broker | null }

/** Null unless lifecycle events are asked for. */
export function openOutbox({ config, clock, logger, store, broker }: OutboxParts): LifecycleOutbox | null {
  if (broker === null || config.natsLifecycle.length === 0) return null
  return new LifecycleOutbox({ broker, store, config, clock, logger: partLogger(logger, 'lifecycle events') })
}

export type EngineParts = {
  config: Config
  clock: Clock
  logger: Logger
  store: Store
  broker: Broker | null
  observer: EngineObserver
  egress: EgressPolicy
  links: PeerLinks | null
  address: () => string
  /** Beside those that the settings say. */
  targets?: readonly TargetAdapter[]
  /** Null where nobody wants lifecycle events. */
  outbox?: Outbox | null
}

export function buildEngine(parts: EngineParts): Engine {
  const { config, clock, logger, store, broker, observer, egress, links, address, targets = [], outbox = null } = parts
  const http = new HttpTarget({
    protocols: DELIVERIES,
    egress,
    clock,
    signingSecrets: config.webhookSecrets,
    userAgent: `duetime/${VERSION}`,
    // The engine bounds what is under way to a host, for each tenant; whoever waited for a connection would wait for other tenants, too.
    connectionsPerHost: config.deliveriesMax,
  })
  const events = dueTimeReached(new Subjects(config.natsNamespacePrefix), config.natsEventsSubject)
  const nats =
    broker === null
      ? []
      : [new NatsTarget({ broker, protocols: [...PAYLOAD_PROTOCOLS, events], rules: natsRules(config) })]
  return new Engine({
    store,
    targets: [http, ...nats, new NoneTarget(), ...targets],
    clock,
    logger: partLogger(logger, 'engine'),
    observer,
    node: `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
    ...(links !== null && { cluster: { address, leaseMs: config.leaseMs, neighbours: links } }),
    retentionMs: (namespace: Namespace) => config.retentionByNamespace.get(namespace) ?? config.retentionMs,
    window: { timersMax: config.windowTimersMax, bytesMax: config.windowBytesMax, pageSize: config.batchSize },
    deliveries: {
      total: config.deliveriesMax,
      perNamespace: config.deliveriesPerNamespaceMax,
      perTarget: config.deliveriesPerTargetMax,
    },
    rescheduleMinMs: config.rescheduleMinMs,
    commitQueue: { lengthMax: config.commitQueueMax, batchMax: config.commitBatchMax },
    pollIntervalMs: config.pollingIntervalMs,
    ...(outbox !== null && { outbox }),
  })
}

export type ServiceParts = {
  config: Config
  clock: Clock
  store: Store
  engine: Engine
  links: PeerLinks | null
  observer: ServiceObserver
  refuseTarget: (callback: Callback, namespace: Namespace) => string | null
}

/** Where there are other nodes it finds the owner of a timer among them. */
export function buildService({ config, links, ...parts }: ServiceParts): TimerService {
  const { engine, clock } = parts
  const executor = links === null ? engine : new CommandRouter({ engine, peers: links, clock, leaseMs: config.leaseMs })
  return new TimerService({ ...parts, executor, namespaces: config.namespaces })
}

export function egressFor(config: Config): EgressPolicy {
  return createEgressPolicy({
    allow: config.callbackAllow,
    deny: config.callbackDeny,
    loopbackAllowed: config.loopbackOnly,
    privateAllowed: config.loopbackOnly,
  })
}

/** Where callbacks may publish. */
export function natsRules(config: Config): AddressRules {
  const { natsNamespacePrefix: namespacePrefix, natsCallbackAllow: allowed } = config
  return {
    namespacePrefix,
    own: ownSubjects(config),
    allowed: allowed.length === 0 ? null : new SubjectPatterns(allowed),
  }
}

/** Why timers of a namespace may not have a callback, by these settings; null when they may. */
export function targetRefusal(
  config: Config,
  egress: EgressPolicy,
): (callback: Callback, namespace: Namespace) => string | null {
  const rules = natsRules(config)
  return ({ target, protocol }, namespace) => {
    // Only commands make such timers, and their events go to the one subject that there is for them.
    if (protocol === MESSAGES_PROTOCOL) return null
    return refuseTarget({ target, namespace, egress, config, rules })
  }
}

type TargetQuestion = {
  target: Target
  namespace: Namespace
  egress: EgressPolicy
  config: Config
  rules: AddressRules
}

function refuseTarget({ target, namespace, egress, config, rules }: TargetQuestion): string | null {
  switch (target.type) {
    case 'http':
      return egress.checkUrl(target.url)
    case 'nats':
      if (config.broker === null)
        return 'NATS is not configured (NATS_URL), so a callback of type nats could never be delivered'
      return natsTargetFault(target, namespace, rules)
    case 'none':
      return null
    case 'function':
      return 'a callback of type function can only be made by the program that has the function'
  }
}
