import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { MemoryBroker } from '../../broker/memory/memory-broker.ts'
import { headerOf } from '../../broker/broker.ts'
import type { Command } from '../../core/rules/command.ts'
import { createOf, KEY, NOW, specOf } from '../../core/rules/command.fixture.ts'
import { timerUuid } from '../../core/timer/ids.ts'
import type { JsonText, ShardId, TimerId } from '../../core/timer/timer.ts'
import { testEngine } from '../../engine/test-engine.fixture.ts'
import { loadConfig } from '../../runtime/config/config.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { partOf } from '../../store/commit-sheet.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { StoreError } from '../../store/store.ts'
import type { CommitPart, ShardRow, Store } from '../../store/store.ts'
import { NoneTarget } from '../../targets/none/none-target.ts'
import { LifecycleOutbox } from './lifecycle-outbox.ts'

const SHARD = 0 as ShardId

/** The real engine on a store and a broker in memory. `down`: commits fail; `unknown`: they are made, and nobody hears of it. */
async function setup(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const clock = new ManualClock(NOW, { maxWaitMs: Infinity })
  const broker = new MemoryBroker(clock)
  const memory = new MemoryStore()
  const faults = { commits: 'none' as 'none' | 'down' | 'unknown' }
  const store: Store = new Proxy<Store>(memory, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property)
      if (property === 'commit') return commit
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const commit = async (parts: readonly CommitPart[]) => {
    const { commits } = faults
    if (commits === 'down') throw new StoreError('the disk is gone')
    const results = await memory.commit(parts)
    faults.commits = 'none'
    if (commits === 'unknown') throw new StoreError('the answer was lost', { outcomeUnknown: true })
    return results
  }
  const lines: string[] = []
  const logger = pino(
    { level: 'info' },
    { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) },
  )
  const config = loadConfig({
    env: { NATS_URL: 'nats://127.0.0.1:1', NATS_LIFECYCLE: 'on', NATS_LIFECYCLE_BACKLOG_MAX: '1000', ...env },
  })
  const outbox = new LifecycleOutbox({ broker, store, config, clock, logger })
  const engine = testEngine({ store, outbox, clock, targets: [new NoneTarget()] })
  await broker.start()
  outbox.start()
  await engine.start()
  t.after(async () => {
    await engine.stop(0)
    await outbox.stop()
  })
  const execute = async (command: Command) => {
    const done = engine.execute(command)
    done.catch(() => {})
    await clock.advance(0)
    return done
  }
  const told = () => broker.stored('duetime.events.shop.created') // that is, the stream that has them all
  const types = () =>
    told()
      .map(({ subject }) => subject.split('.').at(-1))
      .join(' ')
  return { clock, broker, memory, faults, outbox, engine, execute, told, types, lines }
}

test('a change that was refused, or could not be stored, has no event', async (t) => {
  const { execute, types, faults, memory, clock } = await setup(t)
  await assert.rejects(execute({ type: 'cancel', ...KEY, ifVersion: null }), { code: 'TIMER_NOT_FOUND' })
  faults.commits = 'down'
  await assert.rejects(execute(createOf(specOf('PT1M'))), { code: 'UNAVAILABLE' })
  faults.commits = 'none'
  await clock.advance(60_000)
  assert.deepEqual([types(), await memory.countEvents([SHARD])], ['', { count: 0, oldestAt: null }])
})

test('a change of which nobody knew whether it was stored is told if it was', async (t) => {
  const { execute, types, faults, clock } = await setup(t)
  faults.commits = 'unknown'
  await assert.rejects(execute(createOf(specOf('PT1M'))), { code: 'UNAVAILABLE' })
  await clock.advance(1_000)
  assert.equal(types(), 'created')
})

test('while nothing happens the store is asked twice a minute, once for all shards, and what nobody told of is found', async (t) => {
  const { clock, memory, types } = await setup(t)
  await clock.advance(30_000)
  const asked: string[] = []
  for (const name of ['countEvents', 'readEvents'] as const) {
    const call = memory[name].bind(memory) as (argument: never) => never
    memory[name] = (argument: never) => {
      asked.push(name)
      return call(argument)
    }
  }
  await clock.advance(60_000)
  assert.deepEqual(asked, ['countEvents', 'countEvents'])
  const timer = sampleTimer(KEY)
  const event = {
    id: 'e1',
    type: 'created',
    namespace: KEY.namespace,
    uuid: KEY.uuid,
    at: NOW,
    body: '{}' as JsonText,
  } as const
  const [{ epoch, owner }] = (await memory.shards()) as [ShardRow]
  await memory.commit([
    partOf({ shard: SHARD, epoch, owner: owner! }, [{ before: null, after: timer, events: [event] }]),
  ])
  await clock.advance(30_000)
  assert.equal(types(), 'created')
})

test('what happens is told when it has happened, with ids of its own, and nothing stays in the store', async (t) => {
  const { execute, told, types, memory, clock } = await setup(t)
  await execute(createOf(specOf('PT1M')))
  assert.equal(types(), 'created')
  await execute({ type: 'pause', ...KEY })
  await execute({ type: 'resume', ...KEY })
  await clock.advance(60_000)
  assert.equal(types(), 'created updated updated fired completed')
  assert.equal(new Set(told().map((message) => headerOf(message, 'Nats-Msg-Id'))).size, 5)
  assert.equal((await memory.countEvents([SHARD])).count, 0)
})

test('while the broker is away events wait, say so, and clients are refused past the limit while timers still fire', async (t) => {
  const { clock, broker, execute, outbox, types, lines, engine } = await setup(t)
  const other = (n: number) => ({
    ...KEY,
    id: `other-${n}` as TimerId,
    uuid: timerUuid(KEY.namespace, `other-${n}` as TimerId),
  })
  broker.disconnect('unplugged')
  await execute(createOf(specOf('PT1M')))
  const created = Array.from({ length: 999 }, (_, n) => engine.execute(createOf(specOf('PT1H'), other(n))))
  await clock.advance(0)
  await Promise.all(created)
  await clock.advance(10_000)
  assert.equal(outbox.backlog.count, 1_000)
  const refusal = { code: 'UNAVAILABLE', message: /NATS_LIFECYCLE_BACKLOG_MAX.*nothing was stored/ }
  await assert.rejects(execute(createOf(specOf('PT1H'), other(1_000))), refusal)
  assert.throws(() => outbox.check(), /^Error: 1000 events wait, the oldest for \d+ s: no connection to the broker$/)
  assert.equal(lines.filter((line) => line === 'lifecycle events do not get through; trying on').length, 1)
  await clock.advance(60_000)
  assert.equal(outbox.backlog.count, 1_002)

  broker.connect()
  await clock.advance(6_000)
  assert.ok(types().endsWith('fired completed'))
  outbox.check()
  assert.deepEqual([outbox.backlog, lines.at(-1)], [{ count: 0, oldestMs: 0 }, 'lifecycle events get through again'])
  await execute(createOf(specOf('PT1H'), other(1_000)))
})

test('a stop does not wait for a broker that is away: what is left stays in the store', async (t) => {
  const { clock, broker, execute, engine, types, memory } = await setup(t)
  await execute(createOf(specOf('PT1M')))
  broker.disconnect('unplugged')
  await execute({ type: 'pause', ...KEY })
  const stopped = engine.stop(0)
  await clock.advance(2_000)
  await stopped
  assert.deepEqual([types(), (await memory.countEvents([SHARD])).count], ['created', 1])
})
