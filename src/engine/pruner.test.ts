import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SLOTS_KEPT_MS } from '../core/statistics/tallies.ts'
import { Status } from '../core/timer/timer.ts'
import type { Epoch, ShardId, TimerId } from '../core/timer/timer.ts'
import { silentLogger } from '../runtime/telemetry/logger.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { partOf } from '../store/commit-sheet.ts'
import { sampleTimer } from '../store/conformance/sample-timer.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { Pruner } from './pruner.ts'

const FENCE = { shard: 0 as ShardId, epoch: 1 as Epoch, owner: 'a' }

async function setup(store: MemoryStore) {
  const clock = new ManualClock(SLOTS_KEPT_MS * 2)
  await store.claim({ shard: FENCE.shard, expected: 0 as Epoch, from: null, owner: FENCE.owner })
  const pruner = new Pruner({ store, clock, logger: silentLogger(), owned: () => [FENCE] })
  return { clock, pruner }
}

test('counters that one call leaves are forgotten by the next, without waiting for another slot of time', async () => {
  class ManyCounters extends MemoryStore {
    left = 5_000
    override async forgetCounters(): Promise<boolean> {
      this.left -= Math.min(this.left, 1_000)
      return this.left > 0
    }
  }
  const store = new ManyCounters()
  const { clock, pruner } = await setup(store)
  pruner.start()
  await clock.advance(60_000)
  assert.equal(store.left, 0)
  await pruner.stop()
})

test('finished timers are removed when their retention is over, more than one batch of them in a row', async () => {
  const store = new MemoryStore()
  const { clock, pruner } = await setup(store)
  const finished = Array.from({ length: 1_200 }, (_, n) => {
    return sampleTimer({ id: `t${n}` as TimerId, status: Status.completed, dueAt: 1, wakeAt: clock.now() + 1 })
  })
  await store.commit([
    partOf(
      FENCE,
      finished.map((after) => ({ before: null, after })),
    ),
  ])
  pruner.start()
  await clock.advance(60_000)
  assert.deepEqual(await store.stats(), { counts: [] })
  await pruner.stop()
})
