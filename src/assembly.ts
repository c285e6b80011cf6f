// What a server and a program with the library in it have in common, built from the settings: the store, the broker, the
// way to other nodes, the engine with its targets, and the service. Entry points are not among it, and neither is a web server.

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Broker } from './broker/broker.ts'
import { SubjectPatterns } from './core/timer/subject.ts'
import type { Namespace } from './core/timer/timer.ts'
import { Engine } from './engine/engine.ts'
import { targetRefusal } from './engine/delivery/target-finder.ts'
import type { EngineObserver } from './engine/engine.ts'
import type { Outbox } from './engine/commit/outbox.ts'
import { DELIVERIES } from './http/contracts/all-deliveries.ts'
import { PLATFORM_PROTOCOL } from './http/contracts/platform/delivery.ts'
import { NATIVE_PROTOCOL } from './language/callback.ts'
import { LifecycleOutbox } from './nats/lifecycle/lifecycle-outbox.ts'
import { dueTimeReached } from './nats/messages/due-time-reached.ts'
import { ownSubjects, Subjects } from './nats/subjects.ts'
import type { Clock } from './runtime/clock/clock.ts'
import type { Config } from './runtime/config/config.ts'
import { ProcessLife } from './runtime/process-life.ts'
import { partLogger } from './runtime/telemetry/logger.ts'
import type { Logger } from './runtime/telemetry/logger.ts'
import { CommandRouter } from './service/command-router.ts'
import type { PeerLinks } from './service/peers/peer-links.ts'
import type { ServiceObserver } from './service/observers.ts'
import { hasOtherZoneData } from './service/queries/zone-data.ts'
import { TimerService } from './service/timer-service.ts'
import type { Store } from './store/store.ts'
import { buildHttpTarget } from './targets/http/from-config.ts'
import type { HttpProtocol } from './targets/http/protocol.ts'
import type { AddressRules } from './targets/nats/nats-address.ts'
import { NatsTarget } from './targets/nats/nats-target.ts'
import { payloadProtocol } from './targets/nats/protocol.ts'
import type { NatsProtocol } from './targets/nats/protocol.ts'
import { NoneTarget } from './targets/none/none-target.ts'
import type { TargetAdapter } from './targets/target.ts'

/** The client library loads when a broker is configured, and not before. */
export async function openBroker(config: Config, clock: Clock, logger: Logger): Promise<Broker | null> {
  if (config.broker === null) return null
  const { NatsBroker } = await import('./broker/nats/nats-broker.ts')
  return new NatsBroker({ settings: config.broker, clock, logger: partLogger(logger, 'broker') })
}

/** Null where the store is for one node; the code is loaded where there may be others. */
export async function openLinks(store: Store, clock: Clock, logger: Logger): Promise<PeerLinks | null> {
  if (!store.capabilities.shared) return null
  const { PeerLinks: Links } = await import('./service/peers/peer-links.ts')
  return new Links({ secret: await store.clusterSecret(), clock, logger: partLogger(logger, 'peers') })
}

type OutboxParts = { config: Config; clock: Clock; logger: Logger; store: Store; broker: Broker | null }

/** Null unless lifecycle events are asked for. */
export function openOutbox({ config, clock, logger, store, broker }: OutboxParts): LifecycleOutbox | null {
  if (broker === null || config.natsLifecycle.length === 0) return null
  return new LifecycleOutbox({ broker, store, config, clock, logger: partLogger(logger, 'lifecycle events') })
}

/** The ways of delivering, by the targets that have some. */
type Protocols = { readonly http: readonly HttpProtocol[]; readonly nats: readonly NatsProtocol[] }

/** Those of all contracts. Over NATS, every contract but `messages` sends the payload as it is. */
export function timerProtocols(config: Config): Protocols {
  const events = dueTimeReached(new Subjects(config.natsNamespacePrefix), config.natsEventsSubject)
  return { http: DELIVERIES, nats: [payloadProtocol(NATIVE_PROTOCOL), payloadProtocol(PLATFORM_PROTOCOL), events] }
}

type TargetParts = { config: Config; clock: Clock; broker: Broker | null }

/** An adapter for each type of target that the settings allow. `http` takes the place of the one that delivers on this thread. */
export function buildTargets(
  { config, clock, broker }: TargetParts,
  protocols: Protocols,
  http: TargetAdapter = buildHttpTarget({ config, clock }, protocols.http),
): readonly TargetAdapter[] {
  const nats = broker && new NatsTarget({ broker, protocols: protocols.nats, rules: natsRules(config) })
  return [http, ...(nats === null ? [] : [nats]), new NoneTarget()]
}

/** Of this node: its name is new with every run. */
export function beginLife(): Promise<ProcessLife> {
  return ProcessLife.begin(`${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`)
}

export type EngineParts = {
  config: Config
  clock: Clock
  logger: Logger
  store: Store
  targets: readonly TargetAdapter[]
  observer: EngineObserver
  links: PeerLinks | null
  life: ProcessLife
  address: () => string
  /** Null where nobody wants lifecycle events. */
  outbox: Outbox | null
}

export function buildEngine(parts: EngineParts): Engine {
  const { config, clock, logger, store, targets, observer, links, life, address, outbox } = parts
  return new Engine({
    store,
    targets,
    clock,
    logger: partLogger(logger, 'engine'),
    observer,
    node: life.name,
    ...(links !== null && {
      cluster: {
        address,
        leaseMs: config.leaseMs,
        labels: config.nodeLabels,
        neighbours: links,
        hasEnded: (node) => life.hasEnded(node),
      },
    }),
    retentionMs: (namespace: Namespace) => config.retentionByNamespace.get(namespace) ?? config.retentionMs,
    window: { timersMax: config.windowTimersMax, bytesMax: config.windowBytesMax, pageSize: config.batchSize },
    deliveries: {
      total: config.deliveriesMax,
      perNamespace: config.deliveriesPerNamespaceMax,
      perTarget: config.deliveriesPerTargetMax,
    },
    ...(config.catchUpRate > 0 && { catchUpPerSecond: config.catchUpRate }),
    rescheduleMinMs: config.rescheduleMinMs,
    commitQueue: { lengthMax: config.commitQueueMax, batchMax: config.commitBatchMax },
    pollIntervalMs: config.pollingIntervalMs,
    hasOtherZoneData: () => hasOtherZoneData(store),
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
  targets: readonly TargetAdapter[]
}

/** Where there are other nodes it finds the owner of a timer among them. */
export function buildService({ config, links, targets, ...parts }: ServiceParts): TimerService {
  const { engine, clock } = parts
  const executor = links === null ? engine : new CommandRouter({ engine, peers: links, clock, leaseMs: config.leaseMs })
  return new TimerService({
    ...parts,
    executor,
    namespaces: config.namespaces,
    refuseTarget: targetRefusal(targets),
    listMemory: config,
  })
}

/** Where callbacks may publish. */
function natsRules(config: Config): AddressRules {
  const { natsNamespacePrefix: namespacePrefix, natsCallbackAllow: allowed } = config
  return {
    namespacePrefix,
    own: ownSubjects(config),
    allowed: allowed.length === 0 ? null : new SubjectPatterns(allowed),
  }
}
