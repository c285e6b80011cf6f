import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeConformance } from '../conformance/conformance.ts'
import { storeUniqueTimers } from '../conformance/suite/unique-timers.ts'
import { MemoryStore } from './memory-store.ts'

storeConformance('memory', async () => new MemoryStore())
storeUniqueTimers('memory', async () => new MemoryStore({ partitioned: false }))

test('a store in memory says that it cannot be backed up', async () => {
  const store = new MemoryStore()
  assert.equal(store.capabilities.backup, false)
  await assert.rejects(store.backup(), { name: 'StoreError', retryable: false })
})
