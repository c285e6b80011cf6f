// What the pace of starts means for timers that are due while outcomes wait.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOf, DELIVERED, specOf } from '../../../core/rules/command.fixture.ts'
import type { DeliveryOutcome } from '../../../core/timer/delivery.ts'
import { timerIdentity } from '../../../core/timer/ids.ts'
import { Overlap } from '../../../core/timer/timer.ts'
import type { Millis, Namespace, TimerId } from '../../../core/timer/timer.ts'
import { sleep } from '../../../runtime/clock/clock.ts'
import { ManualClock } from '../../../runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../../store/memory/memory-store.ts'
import type { TargetAdapter } from '../../../targets/target.ts'
import { testEngine } from '../../test-engine.fixture.ts'

const START = Date.UTC(2026, 10, 16)
const COMMIT_MS = 5

/** A node with the limits of the service and a store whose commits take a while. Those of one namespace wait until they are let go. */
async function setup() {
  const clock = new ManualClock(START, { maxWaitMs: Infinity })
  const store = new MemoryStore()
  const commit = store.commit.bind(store)
  const pace = { commitMs: COMMIT_MS }
  store.commit = async (parts) => {
    await sleep(clock, pace.commitMs)
    return commit(parts)
  }
  const hanging: (() => void)[] = []
  const lateMs: Millis[] = []
  const target: TargetAdapter = {
    type: 'none',
    destinationOf: (_, namespace) => namespace,
    deliver: ({ timer, firedAt }, signal): Promise<DeliveryOutcome> => {
      if (timer.namespace === 'hanging')
        return new Promise((resolve, reject) => {
          hanging.push(() => resolve(DELIVERED))
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      lateMs.push(firedAt - timer.dueAt)
      return Promise.resolve(DELIVERED)
    },
    close: async () => {},
  }
  const deliveries = { total: 1_024, perNamespace: 512, perTarget: 256 }
  const engine = testEngine({ store, clock, targets: [target], deliveries })
  const whileTimePasses = async (work: Promise<unknown>) => {
    const state = { isOver: false }
    void work.finally(() => (state.isOver = true))
    while (!state.isOver) await clock.advance(1)
  }
  await whileTimePasses(engine.start())
  const create = (namespace: string, spec: ReturnType<typeof specOf>, count: number) => {
    const identity = (n: number) => timerIdentity(namespace as Namespace, `${count}-${n}` as TimerId)
    const creates = Array.from({ length: count }, (_, n) => engine.execute({ ...createOf(spec), ...identity(n) }))
    return whileTimePasses(Promise.all(creates))
  }
  const stop = () => whileTimePasses(engine.stop(0))
  return { clock, create, hanging, lateMs, pace, stop }
}

const after = (at: Millis) => specOf(new Date(at).toISOString())

test('firings of one timer that end at once, and are stored one after the other, delay nobody else', async () => {
  const { clock, create, hanging, lateMs, stop } = await setup()
  await create('hanging', specOf('R/PT1S', { overlap: Overlap.allow, timeoutMs: 1_000_000 }), 3)
  await clock.advance(90_000)
  assert.ok(hanging.length > 200, `${hanging.length} are running`)
  for (const end of hanging) end()
  for (let n = 0; n < 20; n++) {
    await create('calm', after(clock.now() + 2 * COMMIT_MS), n + 1)
    await clock.advance(2 * COMMIT_MS)
  }
  assert.ok(lateMs.length >= 200)
  assert.ok(Math.max(...lateMs) <= COMMIT_MS, `${Math.max(...lateMs)} ms late`)
  await stop()
})

test('of those that come due at once while the store pauses, one more starts with every millisecond', async () => {
  const { clock, create, lateMs, pace, stop } = await setup()
  const dueAt = clock.now() + 1_000
  await create('calm', after(dueAt - 2 * COMMIT_MS), 1)
  await create('calm', after(dueAt), 400)
  await clock.advance(dueAt - COMMIT_MS - clock.now())
  pace.commitMs = 1_000
  await clock.advance(500)
  assert.equal(lateMs.length, 401)
  assert.ok(Math.max(...lateMs) <= 400, `${Math.max(...lateMs)} ms late`)
  await stop()
})
