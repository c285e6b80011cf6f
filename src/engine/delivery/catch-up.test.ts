// After an outage: missed iterations begin at a bounded rate, and nothing that is on time waits for them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOf, specOf } from '../../core/rules/command.fixture.ts'
import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import { timerIdentity } from '../../core/timer/ids.ts'
import type { Namespace, TimerId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import type { TargetAdapter } from '../../targets/target.ts'
import { testEngine } from '../test-engine.fixture.ts'

const START = Date.UTC(2026, 10, 16)
const MINUTE = 60_000
const PER_SECOND = 20
const [STORM, CALM] = ['storm', 'calm'] as Namespace[] as [Namespace, Namespace]

async function nodeAt(store: MemoryStore, at: number) {
  const clock = new ManualClock(at, { maxWaitMs: Infinity })
  const firings: Firing[] = []
  const target: TargetAdapter = {
    type: 'none',
    destinationOf: () => 'host',
    deliver: async (firing): Promise<DeliveryOutcome> => {
      firings.push(firing)
      return { type: 'delivered', statusCode: 200 }
    },
    close: async () => {},
  }
  const engine = testEngine({ store, clock, targets: [target], catchUpPerSecond: PER_SECOND })
  await engine.start()
  const create = (namespace: Namespace, id: string, schedule: string) =>
    engine.execute({ ...createOf(specOf(schedule)), ...timerIdentity(namespace, id as TimerId) })
  const missed = () => firings.filter(({ firedAt, timer }) => firedAt - timer.dueAt >= MINUTE).length
  return { engine, clock, firings, create, missed }
}

test('a storm of missed iterations is drained at the rate of its namespace, over restarts, and delays nobody', async () => {
  const store = new MemoryStore()
  const before = await nodeAt(store, START)
  for (let index = 0; index < 30; index++) await before.create(STORM, `s-${index}`, 'R/PT1M')
  await before.engine.stop(0)

  // Ten minutes later each has ten iterations to make: nine that were missed, and one that is on time.
  const second = await nodeAt(store, START + 10 * MINUTE)
  await second.create(STORM, 'on-time', 'PT2S')
  await second.create(CALM, 'other', 'PT2S')
  for (let half = 0; half < 4; half++) {
    await second.clock.advance(500)
    const allowed = (PER_SECOND * (half + 1)) / 2 + PER_SECOND / 10 + 1
    assert.ok(second.missed() <= allowed, `${second.missed()} of ${allowed} after ${half + 1} half seconds`)
    assert.ok(second.missed() >= allowed - PER_SECOND / 2, `${second.missed()} are too few`)
  }
  assert.ok(second.engine.gauges().waitingToCatchUp > 0)
  const late = second.firings.filter(({ timer }) => timer.anchorAt === null).map(({ firedAt, timer }) => firedAt - timer.dueAt) // oxfmt-ignore
  assert.deepEqual(late, [0, 0], 'what is on time is delivered on the dot')
  await second.engine.stop(0)

  const third = await nodeAt(store, START + 10 * MINUTE + 3_000)
  await third.clock.advance(1_000)
  assert.ok(third.missed() <= PER_SECOND * 1.1 + 1)
  for (let seconds = 0; seconds < 30; seconds++) await third.clock.advance(1_000)
  assert.equal(third.engine.gauges().waitingToCatchUp, 0)
  const iterations = [...second.firings, ...third.firings].filter(({ timer }) => timer.id === 's-7')
  assert.deepEqual(
    iterations.map(({ timer }) => timer.iteration),
    Array.from({ length: 10 }, (_, index) => index + 1),
  )
  await third.engine.stop(0)
})
