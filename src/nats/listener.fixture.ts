// The NATS listener over the real engine, with stores and brokers in memory and a clock that the test moves.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { buildTargets, timerProtocols } from '../assembly.ts'
import type { Message } from '../broker/broker.ts'
import { MemoryBroker } from '../broker/memory/memory-broker.ts'
import { unrestricted } from '../core/access/access.ts'
import { timerIdentity } from '../core/timer/ids.ts'
import type { Namespace, Timer, TimerId } from '../core/timer/timer.ts'
import { targetRefusal } from '../engine/delivery/target-finder.ts'
import { testEngine } from '../engine/test-engine.fixture.ts'
import { loadConfig } from '../runtime/config/config.ts'
import { silentLogger } from '../runtime/telemetry/logger.ts'
import { Metrics } from '../runtime/telemetry/metrics.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { TimerService } from '../service/timer-service.ts'
import type { Timers } from '../service/timers.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { StoreError } from '../store/store.ts'
import type { Store } from '../store/store.ts'
import { NatsListener } from './listener.ts'
import { CommandHandler } from './messages/command-handler.ts'
import { DeadLetters } from './messages/dead-letters.ts'
import { Subjects } from './subjects.ts'

export const NOW = Date.UTC(2026, 4, 1, 12)
export const at = (ms: number): string => new Date(ms).toISOString()

export type DoorSetup = {
  readonly clock: ManualClock
  readonly broker: MemoryBroker
  readonly store: FailingStore
  readonly timers: Timers
  readonly listener: NatsListener
  readonly send: (message: unknown, subject?: string) => Promise<void>
  /** A command; `undefined` leaves a field out. */
  readonly schedule: (
    changes?: Readonly<Record<string, unknown>>,
    payload?: Readonly<Record<string, unknown>>,
  ) => object
  readonly timer: (id: string, namespace?: string) => Promise<Timer>
  /** Carries a message out as if the stream had it at this place, however often. */
  readonly handle: (message: unknown, sequence: number) => Promise<void>
  readonly events: (subject?: string) => readonly object[]
  readonly deadLetters: () => readonly Message[]
  /** With its labels, as a scrape shows it. */
  readonly metric: (name: string) => Promise<number | undefined>
}

export async function setupListener(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<DoorSetup> {
  const clock = new ManualClock(NOW, { maxWaitMs: Infinity })
  const broker = new MemoryBroker(clock)
  const store = new FailingStore(new MemoryStore())
  const config = loadConfig({ env })
  const targets = buildTargets({ config, clock, broker }, timerProtocols(config))
  const engine = testEngine({ store: store.asStore, clock, targets })
  const service = new TimerService({
    engine,
    store: store.asStore,
    clock,
    namespaces: config.namespaces,
    refuseTarget: targetRefusal(targets),
    observer: { executed: () => {} },
  })
  const timers = service.as(unrestricted('test'))
  const api = async () => ({ status: 200, body: '{}' })
  const metrics = new Metrics(silentLogger())
  const listener = new NatsListener({
    broker,
    service,
    api,
    config,
    clock,
    logger: silentLogger(),
    metrics: metrics.commands,
  })
  await broker.start()
  await engine.start()
  listener.start()
  t.after(async () => {
    await listener.stop()
    await engine.stop(0)
    metrics.stop()
  })
  const handler = new CommandHandler({
    timers,
    deadLetters: new DeadLetters({ broker, subject: config.natsDeadLettersSubject, logger: silentLogger() }),
    subjects: new Subjects(config.natsNamespacePrefix),
    eventsSubject: config.natsEventsSubject,
    clock,
    logger: silentLogger(),
    observer: metrics.commands,
    signal: new AbortController().signal,
  })
  let sent = 0
  return {
    clock,
    broker,
    store,
    timers,
    listener,
    send: async (message, subject = 'timer.commands') => {
      const data = message instanceof Uint8Array || typeof message === 'string' ? message : JSON.stringify(message)
      await broker.publish(
        { subject, headers: [['X-Sender', 'test']], data, id: null, confirmedBy: 'stream' },
        { timeoutMs: 1_000 },
      )
      await clock.advance(0)
    },
    schedule: (changes = {}, payload = {}) => ({
      id: `01920000-0000-7000-8000-${String(++sent).padStart(12, '0')}`,
      type: 'ScheduleTimer',
      tenantId: 'acme',
      timestampMs: NOW,
      ...changes,
      payload: {
        tenantId: changes['tenantId'] ?? 'acme',
        serviceCallId: 'call-1',
        dueAt: at(NOW + 60_000),
        ...payload,
      },
    }),
    handle: (message, sequence) => {
      const place = { stream: 'memory', sequence }
      const data = Buffer.from(JSON.stringify(message))
      const settled = { isSettled: false, ack: () => {}, nak: () => assert.fail('put back') }
      return handler.handle([
        {
          subject: 'timer.commands',
          headers: [],
          data,
          origin: `memory:${sequence}`,
          place,
          deliveries: 1,
          ...settled,
        },
      ])
    },
    timer: (id, namespace = 'acme') => timers.get(timerIdentity(namespace as Namespace, id as TimerId)),
    events: (subject = 'timer.events') =>
      broker.stored(subject).map(({ data }) => JSON.parse(Buffer.from(data).toString()) as object),
    deadLetters: () => broker.stored('timer.dlq'),
    metric: async (name) => {
      const line = (await metrics.render()).split('\n').find((one) => one.startsWith(`${name} `))
      return line === undefined ? undefined : Number(line.slice(name.length + 1))
    },
  }
}

/** A store whose commits fail while it is told so. */
export class FailingStore {
  isDown = false
  defect: Error | null = null
  readonly asStore: Store

  constructor(store: MemoryStore) {
    this.asStore = new Proxy(store, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (property === 'commit' && this.isDown) return Promise.reject(new StoreError('the disk is gone'))
          if (property === 'commit' && this.defect !== null) return Promise.reject(this.defect)
          return (value as (...all: unknown[]) => unknown).apply(target, args)
        }
      },
    })
  }
}
