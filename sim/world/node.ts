// One process of a simulation: the real engine, service and cluster code on simulated surroundings. This is the only file
// of the simulator that knows how a node is put together.

import { ANONYMOUS } from '../../src/core/access/access.ts'
import type { NamespacePattern, Principal } from '../../src/core/access/access.ts'
import { DuetimeError, unavailable } from '../../src/core/errors.ts'
import type { ErrorCode, ErrorDetails } from '../../src/core/errors.ts'
import type { Command } from '../../src/core/rules/command.ts'
import { LifecycleEventType } from '../../src/core/events/lifecycle-event.ts'
import type { Namespace } from '../../src/core/timer/timer.ts'
import type { MovedShard, Neighbours } from '../../src/engine/cluster/handover.ts'
import type { DeliveryReport } from '../../src/engine/delivery/remote-delivery.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { ClusterOptions, Preparation } from '../../src/engine/engine.ts'
import { notOwner } from '../../src/engine/commit/owned-rows.ts'
import type { Executed } from '../../src/engine/shard-commands.ts'
import { LifecycleOutbox } from '../../src/nats/lifecycle/lifecycle-outbox.ts'
import type { Clock } from '../../src/runtime/clock/clock.ts'
import type { Logger } from '../../src/runtime/telemetry/logger.ts'
import { CommandRouter } from '../../src/service/command-router.ts'
import { TimerService } from '../../src/service/timer-service.ts'
import type { Timers } from '../../src/service/timers.ts'
import type { Store } from '../../src/store/store.ts'
import type { TargetAdapter } from '../../src/targets/target.ts'
import type { Settings } from '../plan/plan.ts'
import type { SimulatedBroker } from './broker.ts'
import type { Incarnation } from './incarnation.ts'
import { PeerError } from './network.ts'
import type { Listener, Message, Network } from './network.ts'

export const LEASE_MS = 5_000
export const GRACE_MS = 4_000
const CATCH_UP_PER_SECOND = 20 // less than a storm has, and enough for all to catch up before the end
const RETENTION_MS = 3_600_000
const PREPARED_WITHIN_MS = 2_000
const ANSWERED_WITHIN_MS = 10_000

export type NodeParts = {
  readonly settings: Settings
  readonly incarnation: Incarnation
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly target: TargetAdapter
  readonly network: Network
  /** Null where nobody wants lifecycle events. */
  readonly broker: SimulatedBroker | null
}

type WireResult =
  | { readonly executed: Executed }
  | { readonly refused: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails } }

export class SimulatedNode implements Listener {
  readonly incarnation: Incarnation
  readonly engine: Engine
  readonly clock: Clock
  readonly #network: Network
  readonly #services: TimerService
  readonly #outbox: LifecycleOutbox | null
  #isReady = false
  #isLeaving = false

  constructor(parts: NodeParts) {
    const { settings, store, clock, logger, incarnation } = parts
    this.incarnation = incarnation
    this.clock = clock
    this.#network = parts.network
    this.#outbox = parts.broker === null ? null : outboxOf(parts.broker, parts)
    this.engine = new Engine({
      store,
      targets: [parts.target],
      clock,
      logger,
      observer: { fired() {}, settled() {}, committed() {} },
      node: incarnation.name,
      ...(settings.shared && { cluster: this.#cluster() }),
      retentionMs: (namespace) => retentionOf(namespace, settings),
      rescheduleMinMs: 200,
      window: settings.window,
      deliveries: settings.deliveries,
      ...(settings.shards % 2 === 0 && { catchUpPerSecond: CATCH_UP_PER_SECOND }),
      commitQueue: settings.commitQueue,
      pollIntervalMs: 3_600_000, // nothing may depend on the safety net
      ...(this.#outbox !== null && { outbox: this.#outbox }),
    })
    const peers = { execute: (address: string, command: Command) => this.#forward(address, command), isClosed: false }
    const router = new CommandRouter({ engine: this.engine, peers, clock, leaseMs: LEASE_MS })
    this.#services = new TimerService({
      engine: this.engine,
      ...(settings.shared && { executor: router }),
      store,
      clock,
      namespaces: [],
      refuseTarget: () => null,
      observer: { executed() {} },
    })
    this.#network.listen(this)
  }

  /** It takes requests of clients. */
  get isOpen(): boolean {
    return this.#isReady && !this.#isLeaving && this.incarnation.isAlive
  }

  async start(): Promise<void> {
    this.#outbox?.start()
    await this.engine.start()
    this.#isReady = true
  }

  /** Resolves when the process would end. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    await this.engine.stop(GRACE_MS)
    await this.#outbox?.stop()
  }

  timersFor(namespace: string): Timers {
    return this.#services.as(principalOf(namespace))
  }

  async answer({ type, body }: Message): Promise<unknown> {
    switch (type) {
      case 'look':
        void this.engine.lookNow().catch(() => {})
        return null
      case 'prepare':
        return this.engine.prepare(body as Preparation)
      case 'moved':
        return this.engine.accept(body as readonly MovedShard[])
      case 'report':
        return this.engine.acceptReport(body as DeliveryReport)
      default:
        return this.#execute(body as Command)
    }
  }

  async #execute(command: Command): Promise<WireResult> {
    try {
      return { executed: await this.engine.execute(command) }
    } catch (error) {
      if (!(error instanceof DuetimeError)) throw error
      return { refused: { code: error.code, message: error.message, details: error.details } }
    }
  }

  #cluster(): ClusterOptions {
    const { incarnation } = this
    const ask = (address: string, type: string, body: unknown, timeoutMs = ANSWERED_WITHIN_MS): Promise<unknown> =>
      this.#network.ask(incarnation, address, { type, body }, { timeoutMs, once: false })
    const neighbours: Neighbours = {
      notify: (address) => void ask(address, 'look', null).catch(() => {}),
      prepare: async ({ node, address }, shards) =>
        void (await ask(address, 'prepare', { node, shards }, PREPARED_WITHIN_MS)),
      moved: async (address, moved) => void (await ask(address, 'moved', moved)),
      report: async (address, report) => (await ask(address, 'report', report)) as boolean,
    }
    const hasEnded = async (node: string) => this.#network.hasEnded(node, incarnation)
    return { address: () => incarnation.address, leaseMs: LEASE_MS, neighbours, hasEnded }
  }

  /** As service/peers does: what surely was not done may be tried again. */
  async #forward(address: string, command: Command): Promise<Executed> {
    let result: WireResult
    try {
      const message = { type: 'execute', body: command }
      const options = { timeoutMs: ANSWERED_WITHIN_MS, once: true }
      result = (await this.#network.ask(this.incarnation, address, message, options)) as WireResult
    } catch (error) {
      if (!(error instanceof PeerError)) throw error
      if (!error.maybeDone) throw notOwner(error)
      throw unavailable('no answer: the change may have been stored or not; look before you repeat it', 1_000, error)
    }
    if ('executed' in result) return result.executed
    const { code, message, details } = result.refused
    throw new DuetimeError(code, message, details)
  }
}

export function retentionOf(namespace: string, { shortRetentionMs }: Settings): number {
  return namespace === 'short' ? shortRetentionMs : RETENTION_MS
}

/** `calm` and all that begin with `flood` are tenants with keys of their own. */
function principalOf(namespace: string): Principal {
  const tenant = ['calm', 'flood'].find((name) => namespace.startsWith(name))
  if (tenant === undefined) return ANONYMOUS
  return {
    name: tenant,
    permissions: new Set(['timer'] as const),
    namespaces: [`${tenant}*` as NamespacePattern],
    rateLimit: null,
  }
}

function outboxOf(broker: SimulatedBroker, { store, clock, logger }: NodeParts): LifecycleOutbox {
  return new LifecycleOutbox({
    broker,
    store,
    clock,
    logger,
    config: {
      natsLifecycle: Object.values(LifecycleEventType),
      natsLifecycleSubject: 'events.{namespace}.{event}',
      natsLifecycleStream: 'EVENTS',
      natsLifecycleConfirm: 'stream',
      natsLifecycleBacklogMax: 10_000,
      natsDuplicateWindowMs: 120_000,
      natsNamespacePrefix: null,
    },
  })
}

export function asNamespace(text: string): Namespace {
  return text as Namespace
}
