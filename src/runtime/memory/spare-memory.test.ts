import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../clock/manual-clock.ts'
import { SpareMemory } from './spare-memory.ts'

const MIB = 1_048_576

/** A thread whose heap has `heapMib`, of which a collection leaves 100. */
function setup({ heapMib = 100, busyShare = 0, freeForMs = Infinity, pauseMaxMs = 5_000 } = {}) {
  const clock = new ManualClock()
  const state = { heapMib, busyShare, freeForMs, collections: 0 }
  const memory = new SpareMemory({
    clock,
    freeUntil: () => clock.now() + state.freeForMs,
    pauseMaxMs,
    collect() {
      state.collections++
      state.heapMib = Math.min(state.heapMib, 100)
    },
    heapBytes: () => state.heapMib * MIB,
    busyShare: () => state.busyShare,
  })
  memory.start()
  return { clock, memory, state }
}

test('what a load has left behind is given back once it has ended', async () => {
  const { clock, state } = setup()
  Object.assign(state, { heapMib: 400, busyShare: 0.9 })
  await clock.advance(100_000)
  assert.equal(state.collections, 0, 'not while there is something to do')
  state.busyShare = 0.01
  await clock.advance(30_000)
  assert.equal(state.collections, 1)
  await clock.advance(1_000_000)
  assert.equal(state.collections, 1, 'nothing has grown since')
})

test('nothing is late for it', async () => {
  const { clock, state } = setup({ freeForMs: 1_100 })
  state.heapMib = 400
  await clock.advance(100_000)
  assert.equal(state.collections, 0, 'if all of it is live, that may take longer')
  state.freeForMs = 2_000
  await clock.advance(10_000)
  assert.equal(state.collections, 1)
})

test('a heap that would stop everything for long is left alone', async () => {
  const { clock, state } = setup()
  state.heapMib = 600
  await clock.advance(60_000)
  assert.equal(state.collections, 0)
})

test('a node does not lose its shards to it', async () => {
  const { clock, state } = setup({ pauseMaxMs: 1_000 })
  state.heapMib = 400
  await clock.advance(60_000)
  assert.equal(state.collections, 0)
  state.heapMib = 300
  await clock.advance(10_000)
  assert.equal(state.collections, 1)
})

test('a short pause is not the end of a load', async () => {
  const { clock, state } = setup()
  for (let look = 0; look < 30; look++) {
    Object.assign(state, { heapMib: 400, busyShare: look % 3 === 0 ? 0.03 : 0 })
    await clock.advance(10_000)
  }
  assert.equal(state.collections, 0)
})

test('what V8 has given back by itself is worth collecting when it has grown again', async () => {
  const { clock, state } = setup({ heapMib: 200 })
  state.heapMib = 50
  await clock.advance(20_000)
  state.heapMib = 150
  await clock.advance(10_000)
  assert.equal(state.collections, 1)
})

test('a load that comes in waves is not stopped in every pause', async () => {
  const { clock, state } = setup()
  for (let wave = 0; wave < 5; wave++) {
    state.heapMib = 400
    await clock.advance(60_000)
  }
  assert.equal(state.collections, 1)
  await clock.advance(60_000)
  assert.equal(state.collections, 2)
})

test('it leaves nothing behind when it is stopped', async () => {
  const { clock, memory } = setup()
  memory.stop()
  await clock.advance(1_000)
  assert.equal(clock.waiting, 0)
})

test('a real collection gives the memory of this process back', async () => {
  const clock = new ManualClock()
  const memory = new SpareMemory({ clock, freeUntil: () => Infinity, pauseMaxMs: Infinity, busyShare: () => 0 })
  memory.start()
  let garbage: number[][] | null = Array.from({ length: 200 }, () => Array.from({ length: 100_000 }, Math.random))
  const grown = process.memoryUsage.rss()
  assert.ok(garbage.length > 0)
  garbage = null
  await clock.advance(30_000)
  memory.stop()
  assert.ok(
    process.memoryUsage.rss() < grown - 80 * MIB,
    `${grown / MIB} MiB and then ${process.memoryUsage.rss() / MIB}`,
  )
})
