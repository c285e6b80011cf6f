// One node in a test's hands: the real engine and service on a manual clock, with a receiver that does as it is told
// and a store whose commits can be held up or made to fail. `crash` cuts the node off in the middle of whatever it
// does, as kill -9 would: nothing it does from then on reaches the store or the receiver.

import type { Command, CreateCommand, TimerSpec } from '../../src/core/rules/command.ts'
import { ANONYMOUS } from '../../src/core/access/access.ts'
import type { Principal } from '../../src/core/access/access.ts'
import { failedDelivery } from '../../src/core/timer/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../src/core/timer/delivery.ts'
import { DEFAULT_NAMESPACE, timerIdentity, timerUuid } from '../../src/core/timer/ids.ts'
import { DEFAULT_RETRY } from '../../src/core/rules/retry.ts'
import { parseSchedule } from '../../src/core/time/schedule.ts'
import type { Namespace, Timer, TimerId } from '../../src/core/timer/timer.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { ClusterOptions, EngineOptions } from '../../src/engine/engine.ts'
import type { Neighbours } from '../../src/engine/cluster/handover.ts'
import { notOwner } from '../../src/engine/commit/owned-rows.ts'
import type { Executed } from '../../src/engine/shard-commands.ts'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import type { Clock } from '../../src/runtime/clock/clock.ts'
import { ManualClock } from '../../src/runtime/clock/manual-clock.ts'
import { CommandRouter } from '../../src/service/command-router.ts'
import { TimerService } from '../../src/service/timer-service.ts'
import type { Timers } from '../../src/service/timers.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { StoreError } from '../../src/store/store.ts'
import type { Store } from '../../src/store/store.ts'
import type { TargetAdapter } from '../../src/targets/target.ts'

export type Arrival = { readonly at: number; readonly firing: Firing }
type Answer = (firing: Firing) => DeliveryOutcome | Promise<DeliveryOutcome>

export const OK: DeliveryOutcome = { type: 'delivered', statusCode: 200 }
export const NOT_OK = failedDelivery('HTTP 500', { statusCode: 500 })

export class Receiver {
  readonly arrivals: Arrival[] = []
  answer: Answer = () => OK

  ids(): string[] {
    return this.arrivals.map(({ firing }) => firing.timer.id)
  }
}

export type NodeOptions = Partial<Pick<EngineOptions, 'window' | 'deliveries' | 'commitQueue' | 'pollIntervalMs'>> & {
  readonly clock?: ManualClock
  /** The clock of its machine, where that is another one. */
  readonly machine?: Clock
  readonly store?: Store
  readonly receiver?: Receiver
  /** The nodes of a cluster, by name, this one among them. */
  readonly cluster?: { readonly name: string; readonly nodes: Map<string, TestNode> }
}

export const LEASE_MS = 5_000
// So long that a database which deletes what has expired, by its own clock, deletes nothing: the manual one is behind it.
const RETENTION_MS = 20 * 365 * 24 * 3_600_000
const HUNG = new Promise<never>(() => {})

export class TestNode {
  readonly clock: ManualClock
  readonly store: Store
  readonly receiver: Receiver
  readonly engine: Engine
  readonly service: Timers
  readonly #services: TimerService
  /** While set, commits wait for it before they reach the store. */
  commitGate: Promise<void> | null = null
  commitError: StoreError | null = null
  /** With `commitError`: the commit happens all the same, and only its answer is lost. */
  commitsBeforeFailing = false
  /** The store cannot be reached; everything else works. */
  isCutOff = false
  /** Until then what it says to others about shards that moved is on its way. */
  movedGate: Promise<void> | null = null
  /** The others do not hear how its deliveries end. */
  isUnheard = false
  /** Hosts to which nothing can be delivered. */
  readonly closedHosts = new Set<string>()
  #crashed = false

  private constructor(options: NodeOptions) {
    this.clock = options.clock ?? new ManualClock()
    this.store = options.store ?? new MemoryStore()
    this.receiver = options.receiver ?? new Receiver()
    const store = this.#connection(this.store, options.cluster !== undefined)
    this.engine = new Engine({
      store,
      targets: [this.#target()],
      clock: options.machine ?? this.clock,
      logger: silentLogger(),
      observer: { fired() {}, settled() {}, committed() {} },
      node: options.cluster?.name ?? 'test',
      ...(options.cluster && { cluster: this.#cluster(options.cluster) }),
      retentionMs: () => RETENTION_MS,
      rescheduleMinMs: 1_000,
      window: options.window ?? { timersMax: 20_000, bytesMax: 64 * 2 ** 20, pageSize: 1_000 },
      deliveries: options.deliveries ?? { total: 1_024, perNamespace: 512, perTarget: 256 },
      commitQueue: options.commitQueue ?? { lengthMax: 20_000, batchMax: 1_000 },
      pollIntervalMs: options.pollIntervalMs ?? 3_600_000, // an hour: what is tested here must not need the safety net
    })
    const execute = (address: string, command: Command) => this.#forward(options.cluster?.nodes.get(address), command)
    const peers = { execute, isClosed: false }
    this.#services = new TimerService({
      engine: this.engine,
      executor: new CommandRouter({ engine: this.engine, peers, clock: this.clock, leaseMs: LEASE_MS }),
      store,
      clock: this.clock,
      namespaces: [],
      refuseTarget: () => null,
      observer: { executed() {} },
    })
    this.service = this.as(ANONYMOUS)
  }

  static async start(options: NodeOptions = {}): Promise<TestNode> {
    const node = new TestNode(options)
    await node.engine.start()
    return node
  }

  #cluster({ name: own, nodes }: NonNullable<NodeOptions['cluster']>): ClusterOptions {
    nodes.set(own, this)
    const reach = async (address: string): Promise<Engine> => {
      const node = nodes.get(address)
      if (this.#crashed) return HUNG
      if (node === undefined || node.#crashed) throw new Error('connection refused')
      return node.engine
    }
    const neighbours: Neighbours = {
      notify: (address) => void nodes.get(address)?.engine.lookNow(),
      prepare: async ({ node, address }, shards) => (await reach(address)).prepare({ node, shards }),
      moved: async (address, moved) => {
        await this.movedGate
        ;(await reach(address)).accept(moved)
      },
      report: async (address, report) => {
        if (this.isUnheard) throw new Error('connection refused')
        return (await reach(address)).acceptReport(report)
      },
    }
    return { address: () => own, leaseMs: LEASE_MS, neighbours }
  }

  #forward(peer: TestNode | undefined, command: Command): Promise<Executed> {
    return peer === undefined || peer.#crashed ? Promise.reject(notOwner()) : peer.engine.execute(command)
  }

  crash(): void {
    this.#crashed = true
  }

  /** Another node on what this one left behind. */
  async restart(options: Omit<NodeOptions, 'clock' | 'store' | 'receiver'> = {}): Promise<TestNode> {
    this.crash()
    return TestNode.start({ ...options, clock: this.clock, store: this.store, receiver: this.receiver })
  }

  /** The timers as one principal may use them. */
  as(principal: Principal): Timers {
    return this.#services.as(principal)
  }

  async create(
    id: string,
    schedule: string,
    more: Partial<TimerSpec> & { namespace?: string; host?: string } = {},
  ): Promise<Timer> {
    return (await this.service.execute(createCommand(id, schedule, more))).timer
  }

  async get(id: string): Promise<Timer> {
    return this.service.get(timerIdentity(DEFAULT_NAMESPACE, id as TimerId))
  }

  #connection(store: Store, isClustered: boolean): Store {
    return new Proxy(store, {
      get: (target, key: keyof Store) => {
        const value = target[key] as unknown
        // A node alone need not wait for the lease of the one before it, whatever the database is.
        if (key === 'capabilities' && !isClustered) return { ...target.capabilities, shared: false }
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => this.#ask(key, async () => value.apply(target, args) as unknown)
      },
    })
  }

  async #ask(key: keyof Store, call: () => Promise<unknown>): Promise<unknown> {
    if (key === 'commit') await this.commitGate
    if (this.#crashed) return HUNG
    if (this.isCutOff) throw new StoreError('connection refused')
    if (key === 'commit' && this.commitError !== null && !this.commitsBeforeFailing) throw this.commitError
    const answer = await call()
    if (key === 'commit' && this.commitError !== null) throw this.commitError
    return this.#crashed ? HUNG : answer
  }

  #target(): TargetAdapter {
    return {
      type: 'http',
      destinationOf: (target) => (target.type === 'http' ? new URL(target.url).host : ''),
      isOpen: (destination) => !this.closedHosts.has(destination),
      deliver: async (firing, signal) => {
        if (this.#crashed) return HUNG
        this.receiver.arrivals.push({ at: this.clock.now(), firing })
        const aborted = new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        )
        return Promise.race([this.receiver.answer(firing), aborted])
      },
      close: () => Promise.resolve(),
    }
  }
}

export function createCommand(
  id: string,
  schedule: string,
  {
    namespace = 'default',
    host = 'receiver',
    ...spec
  }: Partial<TimerSpec> & { namespace?: string; host?: string } = {},
): CreateCommand {
  return {
    type: 'create',
    ...name(id, namespace),
    onConflict: 'replace',
    minLeadMs: 0,
    spec: {
      schedule: parseSchedule(schedule),
      catchUp: 'all',
      target: { type: 'http', url: `http://${host}/`, headers: null },
      protocol: 'v1',
      payload: null,
      metadata: null,
      retry: DEFAULT_RETRY,
      timeoutMs: 30_000,
      traceparent: null,
      correlationId: null,
      ...spec,
    },
  }
}

export function name(id: string, namespace = 'default') {
  const key = { namespace: namespace as Namespace, id: id as TimerId }
  return { ...key, uuid: timerUuid(key.namespace, key.id) }
}

/** A promise that a test settles when it wants to. */
export function gate(): { readonly closed: Promise<void>; open(): void } {
  let open = () => {}
  const closed = new Promise<void>((resolve) => (open = resolve))
  return { closed, open }
}
