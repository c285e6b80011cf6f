// One node in a test's hands: the real engine and service on a manual clock, with a receiver that does as it is told
// and a store whose commits can be held up or made to fail. `crash` cuts the node off in the middle of whatever it
// does, as kill -9 would: nothing it does from then on reaches the store or the receiver.

import type { CreateCommand, TimerSpec } from '../../src/core/command.ts'
import { ANONYMOUS } from '../../src/core/access.ts'
import { failedDelivery } from '../../src/core/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../src/core/delivery.ts'
import { DEFAULT_NAMESPACE, timerUuid } from '../../src/core/ids.ts'
import { DEFAULT_RETRY } from '../../src/core/retry.ts'
import { parseSchedule } from '../../src/core/schedule.ts'
import type { Namespace, Timer, TimerId } from '../../src/core/timer.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { EngineOptions } from '../../src/engine/engine.ts'
import { silentLogger } from '../../src/runtime/logger.ts'
import { ManualClock } from '../../src/runtime/manual-clock.ts'
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

export type NodeOptions = Partial<Pick<EngineOptions, 'window' | 'deliveries' | 'commitQueue'>> & {
  readonly clock?: ManualClock
  readonly store?: Store
  readonly receiver?: Receiver
}

const HUNG = new Promise<never>(() => {})

export class TestNode {
  readonly clock: ManualClock
  readonly store: Store
  readonly receiver: Receiver
  readonly engine: Engine
  readonly service: Timers
  /** While set, commits wait for it before they reach the store. */
  commitGate: Promise<void> | null = null
  commitError: StoreError | null = null
  /** With `commitError`: the commit happens all the same, and only its answer is lost. */
  commitsBeforeFailing = false
  #crashed = false

  private constructor(options: NodeOptions) {
    this.clock = options.clock ?? new ManualClock()
    this.store = options.store ?? new MemoryStore()
    this.receiver = options.receiver ?? new Receiver()
    const store = this.#connection(this.store)
    this.engine = new Engine({
      store,
      targets: [this.#target()],
      clock: this.clock,
      logger: silentLogger(),
      observer: { fired() {}, settled() {}, committed() {} },
      node: 'test',
      address: null,
      leaseMs: 5_000,
      notifyNode: () => {},
      retentionMs: () => 7 * 24 * 3_600_000,
      window: options.window ?? { timersMax: 20_000, bytesMax: 64 * 2 ** 20, pageSize: 1_000 },
      deliveries: options.deliveries ?? { total: 1_024, perNamespace: 512, perTarget: 256 },
      commitQueue: options.commitQueue ?? { lengthMax: 20_000, batchMax: 1_000 },
      pollIntervalMs: 3_600_000, // an hour: what is tested here must not need the safety net
    })
    this.service = new TimerService({
      engine: this.engine,
      store,
      clock: this.clock,
      namespaces: [],
      refuseTarget: () => null,
      observer: { executed() {} },
    }).as(ANONYMOUS)
  }

  static async start(options: NodeOptions = {}): Promise<TestNode> {
    const node = new TestNode(options)
    await node.engine.start()
    return node
  }

  crash(): void {
    this.#crashed = true
  }

  /** Another node on what this one left behind. */
  async restart(options: Omit<NodeOptions, 'clock' | 'store' | 'receiver'> = {}): Promise<TestNode> {
    this.crash()
    return TestNode.start({ ...options, clock: this.clock, store: this.store, receiver: this.receiver })
  }

  async create(id: string, schedule: string, more: Partial<TimerSpec> & { namespace?: string; host?: string } = {}): Promise<Timer> {
    return (await this.service.execute(createCommand(id, schedule, more))).timer
  }

  async get(id: string): Promise<Timer> {
    return this.service.get({ namespace: DEFAULT_NAMESPACE, id: id as TimerId })
  }

  #connection(store: Store): Store {
    const cut = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
      return (...args: Args): Promise<T> => (this.#crashed ? HUNG : call(...args).then((value) => (this.#crashed ? HUNG : value)))
    }
    return {
      capabilities: store.capabilities,
      ping: cut(() => store.ping()),
      close: cut(() => store.close()),
      claim: cut((claim) => store.claim(claim)),
      release: cut((owned) => store.release(owned)),
      shards: cut(() => store.shards()),
      beat: cut((beat) => store.beat(beat)),
      clusterSecret: cut(() => store.clusterSecret()),
      get: cut((key) => store.get(key)),
      getMany: cut((keys) => store.getMany(keys)),
      due: cut((scan) => store.due(scan)),
      list: cut((query) => store.list(query)),
      stats: cut(() => store.stats()),
      prune: cut((options) => store.prune(options)),
      backup: cut((options) => store.backup(options)),
      commit: cut(async (parts) => {
        await this.commitGate
        if (this.#crashed) return HUNG
        if (this.commitError !== null && !this.commitsBeforeFailing) throw this.commitError
        const results = await store.commit(parts)
        if (this.commitError !== null) throw this.commitError
        return results
      }),
    }
  }

  #target(): TargetAdapter {
    return {
      type: 'http',
      laneOf: (target) => (target.type === 'http' ? new URL(target.url).host : ''),
      deliver: async (firing, signal) => {
        if (this.#crashed) return HUNG
        this.receiver.arrivals.push({ at: this.clock.now(), firing })
        const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        return Promise.race([this.receiver.answer(firing), aborted])
      },
      close: () => Promise.resolve(),
    }
  }
}

export function createCommand(
  id: string,
  schedule: string,
  { namespace = 'default', host = 'receiver', ...spec }: Partial<TimerSpec> & { namespace?: string; host?: string } = {},
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
