import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { changeLayout, readLayout } from '../../store/layout/layout-row.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { reshardOnline } from './reshard-online.ts'

async function setup() {
  const store = new MemoryStore({ shards: 2, shared: true })
  const before = await readLayout(store)
  const seen = Promise.withResolvers<void>()
  const clock = new ManualClock()
  const wanted = { namespace: null, count: 4 }
  const resharded = reshardOnline({ store, clock, wanted, onProgress: () => seen.resolve() })
  resharded.catch(() => {})
  await seen.promise
  return { store, clock, before, resharded }
}

test('whoever looks on hears that the shards have been split', async () => {
  const { store, clock, resharded } = await setup()
  const layout = await readLayout(store)
  assert.equal(layout.next!.phase, 'announced')
  await changeLayout(store, layout, { ...layout.next!, next: null })
  await clock.advance(500)
  assert.equal(await resharded, 4)
})

test('whoever looks on hears that the database has forgotten the reshard', async () => {
  const { store, clock, before, resharded } = await setup()
  await changeLayout(store, await readLayout(store), before)
  await clock.advance(500)
  await assert.rejects(resharded, /has forgotten the reshard/)
})
