// The service as clients meet it, for tests: a real HTTP server on a free loopback port over the real engine, with the
// memory store, a clock that the test moves and a receiver that answers as told.

import type { TestContext } from 'node:test'
import type { DeliveryOutcome, Firing } from '../core/timer/delivery.ts'
import { failedDelivery } from '../core/timer/delivery.ts'
import type { HttpTarget } from '../core/targets/http.ts'
import { natsTarget } from '../core/targets/nats.ts'
import type { Target } from '../core/targets/target.ts'
import type { Namespace } from '../core/timer/timer.ts'
import type { Engine, EngineObserver } from '../engine/engine.ts'
import { testEngine } from '../engine/test-engine.fixture.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import { loadConfig } from '../runtime/config/config.ts'
import { silentLogger } from '../runtime/telemetry/logger.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import type { KeyRing } from '../service/keys/key-ring.ts'
import { RateLimits } from '../service/keys/rate-limits.ts'
import { openObservatory } from '../service/activity/observatory.ts'
import { CallbackTests } from '../service/callback-test.ts'
import { TimerService } from '../service/timer-service.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import type { Store } from '../store/store.ts'
import { NoneTarget } from '../targets/none/none-target.ts'
import type { HttpProtocol } from '../targets/http/protocol.ts'
import type { TargetAdapter } from '../targets/target.ts'
import { EntryThreads } from '../threads/entry/entry-threads.ts'
import { openEntry } from '../threads/entry/entry.ts'
import { inProcess } from '../threads/in-process.fixture.ts'
import { buildApp } from './app.ts'
import type { AppConfig } from './app.ts'
import type { Contract } from './contracts/contract.ts'
import { v1Contract } from './contracts/v1/contract.ts'
import { v1Delivery } from './contracts/v1/delivery.ts'
import { KeptAnswers } from './observing/kept-answers.ts'
import type { WebFile } from './routes/web-page.ts'

export type TestServerOptions = {
  readonly contracts?: readonly [Contract, ...Contract[]]
  readonly keys?: KeyRing
  readonly allowAnonymous?: boolean
  readonly corsOrigins?: readonly string[]
  /** Serve the other nodes of a cluster, too: those that know this. */
  readonly host?: string
  readonly clusterSecret?: string
  readonly logger?: Logger
  readonly store?: Store
  readonly namespaces?: readonly string[]
  readonly payloadMaxBytes?: number
  /** Also the limit of each key. */
  readonly listBytesMax?: number
  readonly callbackBaseUrl?: string
  readonly ready?: Readonly<Record<string, () => void | Promise<void>>>
  /** What the receiver says to each delivery. */
  readonly answer?: (firing: Firing) => DeliveryOutcome
  /** Delivers instead of the receiver that answers as told. */
  readonly target?: (clock: Clock) => TargetAdapter
  /** Delivers callback tests instead of the receiver that answers as told. */
  readonly testTarget?: (protocol: HttpProtocol) => TargetAdapter
  readonly webFiles?: readonly WebFile[]
  /** Requests come in by threads of HTTP, as many as this. */
  readonly httpThreads?: number
  /** Called when the outcome of a delivery is stored. */
  readonly onSettled?: () => void
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown>
}

export type TestServer = {
  readonly url: string
  readonly clock: ManualClock
  readonly firings: readonly Firing[]
  readonly service: TimerService
  /** Sends a body as JSON, or as it is when it is text or bytes. */
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>
  readonly request: (path: string, init?: RequestInit) => Promise<Answer>
  /** Stops serving before the test is over; idempotent. */
  readonly close: () => Promise<void>
  /** The node is gone: what is under way is abandoned. */
  readonly stop: () => Promise<void>
}

export async function testServer(t: Pick<TestContext, 'after'>, options: TestServerOptions = {}): Promise<TestServer> {
  const clock = new ManualClock(Date.UTC(2029, 11, 1, 12), { maxWaitMs: Infinity })
  const store = options.store ?? new MemoryStore()
  const receiver = new ScriptedReceiver(options.answer)
  const observatory = openObservatory({ store, clock, gauges: () => engine.gauges() })
  const { onSettled = () => {} } = options
  const observer: EngineObserver = {
    ...observatory.observer,
    settled: (...settled) => {
      observatory.observer.settled(...settled)
      onSettled()
    },
  }
  const targets = [options.target?.(clock) ?? receiver, new NoneTarget()]
  const engine: Engine = testEngine({ store, clock, targets, observer, pollIntervalMs: 5_000 })
  const service = new TimerService({
    engine,
    store,
    clock,
    namespaces: (options.namespaces ?? []) as readonly Namespace[],
    refuseTarget: ({ target }) => (target.type === 'nats' ? natsTarget.unconfigured : null),
    observer: observatory.observer,
    listMemory: {
      listBytesMax: options.listBytesMax ?? 128 * 1_024 * 1_024,
      listBytesPerKeyMax: options.listBytesMax ?? 32 * 1_024 * 1_024,
      payloadMaxBytes: options.payloadMaxBytes ?? 256 * 1_024,
    },
  })
  const kept = new KeptAnswers(v1Delivery)
  const testTargets = [options.testTarget?.(kept.protocol) ?? receiver]
  const contracts = options.contracts ?? [v1Contract]
  const limits = new RateLimits(clock)
  const config: AppConfig = {
    bodyMaxBytes: 512 * 1_024,
    batchBodyMaxBytes: 8 * 1_024 * 1_024,
    payloadMaxBytes: options.payloadMaxBytes ?? 256 * 1_024,
    requestTimeoutMs: 30_000,
    connectionsMax: 1_000,
    allowAnonymous: options.allowAnonymous ?? false,
    corsOrigins: options.corsOrigins ?? [],
    callbackBaseUrl: options.callbackBaseUrl ?? null,
  }
  const app = await buildApp({
    cluster: () => engine.cluster(),
    observing: {
      ...observatory,
      callbackTests: new CallbackTests({ targets: testTargets, clock, answerTo: (firing) => kept.to(firing) }),
      node: { name: 'test', database: store.capabilities.name, startedAt: clock.now() },
    },
    webFiles: options.webFiles ?? null,
    service,
    contracts,
    keys: options.keys ?? null,
    limits,
    config,
    clock,
    logger: options.logger ?? silentLogger(),
    metrics: { contentType: 'text/plain; version=0.0.4', render: async () => 'duetime_up 1\n' },
    ready: options.ready ?? { store: () => store.ping() },
    ...(options.clusterSecret !== undefined && { internal: { secret: options.clusterSecret, node: engine } }),
  })
  await engine.start()
  const host = options.host ?? '127.0.0.1'
  const entry =
    options.httpThreads === undefined
      ? null
      : new EntryThreads({
          count: options.httpThreads,
          config: {
            ...loadConfig({ env: { LOG_LEVEL: options.logger?.level ?? 'silent' } }),
            ...config,
            host,
            port: 0,
            namespaces: (options.namespaces ?? []) as readonly Namespace[],
          },
          clock,
          logger: options.logger ?? silentLogger(),
          keys: options.keys ?? null,
          isInCluster: options.clusterSecret !== undefined,
          startThread: inProcess((data, port) => openEntry(data, port, clock, contracts)),
        })
  const url = await (entry?.listen({ judged: service.judged, limits, app }) ?? app.listen({ host, port: 0 }))
  const close = async () => {
    await Promise.all([app.close(), entry?.stop(0)])
  }
  t.after(async () => {
    await close()
    await engine.stop(0)
  })
  const request = (path: string, init?: RequestInit) => ask(`${url}${path}`, init)
  const post: TestServer['post'] = (path, body, headers = {}) => request(path, jsonPost(body, headers))
  return {
    url,
    clock,
    service,
    firings: receiver.firings,
    request,
    post,
    close,
    stop: () => engine.stop(0),
  }
}

function jsonPost(body: unknown, headers: Record<string, string>): RequestInit {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body)
  return { method: 'POST', body: raw, headers: { 'content-type': 'application/json', ...headers } }
}

async function ask(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  }
}

/** Stands in for the network: remembers what was fired and answers at once. */
class ScriptedReceiver implements TargetAdapter<HttpTarget> {
  readonly type = 'http'
  readonly firings: Firing[] = []
  readonly #answer: (firing: Firing) => DeliveryOutcome

  constructor(answer: (firing: Firing) => DeliveryOutcome = () => ({ type: 'delivered', statusCode: 200 })) {
    this.#answer = answer
  }

  destinationOf(target: Target): string {
    return target.type
  }

  deliver(firing: Firing): Promise<DeliveryOutcome> {
    this.firings.push(firing)
    return Promise.resolve(this.#answer(firing))
  }

  async close(): Promise<void> {}
}

export const REFUSED: DeliveryOutcome = failedDelivery('HTTP 500', { statusCode: 500 })
