import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ANONYMOUS } from '../core/access/access.ts'
import { DEFAULT_NAMESPACE, timerIdentity } from '../core/timer/ids.ts'
import type { Epoch, ShardId, TimerId } from '../core/timer/timer.ts'
import { testEngine } from '../engine/test-engine.fixture.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { NoneTarget } from '../targets/none/none-target.ts'
import { TimerService } from './timer-service.ts'

const SHARDS = 16

/** A node beside another one that has died with these shards, and whose lease is not over. */
async function setup(t: TestContext, lost: readonly number[]) {
  const clock = new ManualClock()
  const store = new MemoryStore({ shards: SHARDS, shared: true })
  await store.beat({ node: 'dead', address: 'http://127.0.0.1:9', leaving: false, beat: 1, now: clock.now() })
  for (const shard of lost)
    await store.claim({ shard: shard as ShardId, expected: 0 as Epoch, from: null, owner: 'dead' })
  const gone = (): Promise<never> => Promise.reject(new Error('connection refused'))
  const neighbours = { notify() {}, prepare: gone, moved: gone, report: gone }
  const cluster = { address: () => 'http://127.0.0.1:9', leaseMs: 5_000, neighbours }
  const engine = testEngine({ store, clock, targets: [new NoneTarget()], node: 'alive', cluster })
  await engine.start()
  t.after(() => engine.stop(0))
  const service = new TimerService({
    engine,
    store,
    clock,
    namespaces: [],
    refuseTarget: () => null,
    observer: { executed() {} },
  })
  return { engine, timers: service.as(ANONYMOUS) }
}

const ids = Array.from({ length: 200 }, (_, index) => index)

test('a timer without an id gets one of a shard that this node owns', async (t) => {
  const { engine, timers } = await setup(t, [0, 1])
  const given = ids.map((index) => timerIdentity(DEFAULT_NAMESPACE, `${index}` as TimerId))
  assert.ok(given.some((one) => engine.owns(one)) && given.some((one) => !engine.owns(one)), 'there are two nodes')
  const own = ids.map(() => timers.newIdentity(DEFAULT_NAMESPACE)).filter((one) => engine.owns(one))
  assert.ok(own.length >= ids.length * 0.9, `${own.length} of ${ids.length}: one in ten thousand is not found in time`)
})

test('ids are different, and sorted by time', async (t) => {
  const { timers } = await setup(t, [0])
  const made = ids.map(() => timers.newIdentity(DEFAULT_NAMESPACE).id)
  assert.equal(new Set(made).size, made.length)
  assert.deepEqual(
    made.map((id) => id.slice(0, 13)),
    made.map((id) => id.slice(0, 13)).toSorted(),
  )
})

test('a node that owns nothing makes ids, too', async (t) => {
  const { engine, timers } = await setup(
    t,
    Array.from({ length: SHARDS }, (_, shard) => shard),
  )
  const { id, uuid } = timers.newIdentity(DEFAULT_NAMESPACE)
  assert.deepEqual(timerIdentity(DEFAULT_NAMESPACE, id).uuid, uuid)
  assert.equal(engine.owns({ namespace: DEFAULT_NAMESPACE, uuid }), false)
})
