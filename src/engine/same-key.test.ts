// Two ids with one key, which somebody can find who tries for long enough.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOf, KEY, NOW, specOf } from '../core/rules/command.fixture.ts'
import { timerIdentity } from '../core/timer/ids.ts'
import type { TimerId } from '../core/timer/timer.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { NoneTarget } from '../targets/none/none-target.ts'
import { testEngine } from './test-engine.fixture.ts'

const SAME_KEY = { ...KEY, id: 'searched-for' as TimerId }

async function setup() {
  const clock = new ManualClock(NOW, { maxWaitMs: Infinity })
  const engine = testEngine({ store: new MemoryStore(), clock, targets: [new NoneTarget()] })
  await engine.start()
  const create = (key: typeof KEY) => engine.execute({ ...createOf(specOf('PT1H')), ...key })
  return { clock, engine, create }
}

for (const isInMemory of [true, false]) {
  test(`a timer with the key of another one ${isInMemory ? 'in memory' : 'that has ended'} is refused, alone`, async () => {
    const { clock, engine, create } = await setup()
    await create(KEY)
    if (!isInMemory) await clock.advance(2 * 3_600_000)
    const others = Array.from({ length: 20 }, (_, n) => timerIdentity(KEY.namespace, `other-${n}` as TimerId))
    const [refused, ...created] = await Promise.allSettled([SAME_KEY, ...others].map(create))
    assert.equal(refused!.status, 'rejected')
    assert.match((refused as PromiseRejectedResult).reason.message, /^the id 'searched-for' has the same hash/)
    assert.deepEqual(
      created.map(({ status }) => status),
      others.map(() => 'fulfilled'),
    )
    await engine.stop(0)
  })
}

test('what is done to a timer is not done to another one of the same key', async () => {
  const { engine, create } = await setup()
  await create(KEY)
  const cancel = { type: 'cancel', ifVersion: null } as const
  await assert.rejects(engine.execute({ ...cancel, ...SAME_KEY }), { code: 'TIMER_NOT_FOUND' })
  assert.equal((await engine.execute({ ...cancel, ...KEY })).timer.status, 'canceled')
  await engine.stop(0)
})
