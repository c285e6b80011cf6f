import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import type { StoreStats } from '../../store/store.ts'
import { SharedCounts } from './shared-counts.ts'

function setup() {
  const clock = new ManualClock()
  const state = { asked: 0, fails: false }
  const stats = async (): Promise<StoreStats> => {
    state.asked++
    if (state.fails) throw new Error('no database')
    return { counts: [] }
  }
  return { clock, state, counts: new SharedCounts({ stats }, clock) }
}

test('a store that fails leaves what was known, and is asked again', async () => {
  const { clock, state, counts } = setup()
  const { at } = await counts.read()
  state.fails = true
  await clock.advance(2_000)
  assert.equal(counts.latest()!.at, at)
  await assert.rejects(counts.read(), /no database/)
  state.fails = false
  assert.equal((await counts.read()).at, clock.now())
})

test('however many look, the store is asked every two seconds at most', async () => {
  const { clock, state, counts } = setup()
  await Promise.all(Array.from({ length: 10 }, () => counts.read()))
  await clock.advance(1_999)
  for (let n = 0; n < 10; n++) counts.latest()
  assert.equal(state.asked, 1)
  await clock.advance(1)
  for (let n = 0; n < 10; n++) counts.latest()
  await clock.advance(0)
  assert.deepEqual([state.asked, counts.latest()!.at], [2, clock.now()])
})
