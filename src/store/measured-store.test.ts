import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { storeConformance } from './conformance/conformance.ts'
import { MemoryStore } from './memory/memory-store.ts'
import { measuredStore } from './measured-store.ts'
import type { OperationEnd } from './measured-store.ts'
import { StoreError } from './store.ts'

test('each operation is told with its name, its outcome and its duration', async () => {
  const clock = new ManualClock()
  const store = new MemoryStore()
  const ends: OperationEnd[] = []
  store.ping = async () => {
    await clock.advance(250)
  }
  store.shards = async () => {
    throw new StoreError('the connection was lost')
  }
  const measured = measuredStore(store, clock, (end) => ends.push(end))
  await measured.ping()
  await assert.rejects(measured.shards(), StoreError)
  assert.deepEqual(ends, [
    { operation: 'ping', outcome: 'done', durationMs: 250 },
    { operation: 'shards', outcome: 'failed', durationMs: 0 },
  ])
})

storeConformance('measured', async () => measuredStore(new MemoryStore(), new ManualClock(), () => {}))
