import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { partOf } from '../commit-sheet.ts'
import { MemoryStore } from '../memory/memory-store.ts'
import { StoreError } from '../store.ts'
import { faultyStore } from './faulty-store.ts'
import type { Fault } from './faulty-store.ts'
import { absent, claimed, getOne, OWNER, SHARD } from './owned-store.ts'
import { sampleTimer } from './sample-timer.ts'

async function setup(fault: Fault) {
  const clock = new ManualClock()
  const memory = new MemoryStore()
  const epoch = await claimed(memory, SHARD)
  const store = faultyStore(memory, ({ name }) => (name === 'commit' ? fault : null), clock)
  const committing = store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [absent(sampleTimer())])])
  const isStored = async () => (await getOne(store, sampleTimer(), SHARD)) !== null
  return { clock, committing, isStored, store }
}

test('what is refused was not done, and the caller knows', async () => {
  const { committing, isStored } = await setup({ type: 'refused' })
  await assert.rejects(committing, (error: unknown) => error instanceof StoreError && !error.outcomeUnknown)
  assert.equal(await isStored(), false)
})

test('what is lost was done, will be done or never is, and the caller does not know which', async () => {
  for (const [doneAfterMs, atOnce, later] of [
    [null, false, false],
    [0, true, true],
    [50, false, true],
  ] as const) {
    const { clock, committing, isStored } = await setup({ type: 'lost', doneAfterMs })
    await assert.rejects(committing, { outcomeUnknown: true })
    assert.equal(await isStored(), atOnce)
    await clock.advance(100)
    assert.equal(await isStored(), later)
  }
})

test('a slow call is done when it arrives, and answered when its answer does', async () => {
  const { clock, committing, isStored, store } = await setup({ type: 'slow', beforeMs: 10, afterMs: 10 })
  let isAnswered = false
  void committing.then(() => (isAnswered = true))
  assert.deepEqual([await isStored(), isAnswered], [false, false])
  await clock.advance(10)
  assert.deepEqual([await isStored(), isAnswered], [true, false])
  await clock.advance(10)
  assert.equal(isAnswered, true)
  assert.equal(store.capabilities.name, 'memory')
  await store.close()
})
