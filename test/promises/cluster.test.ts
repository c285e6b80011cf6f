// The promises in a cluster: several nodes on one store and one manual clock. What real processes, sockets and a real
// database add to this is in ../cluster.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DuetimeError } from '../../src/core/errors.ts'
import { ManualClock } from '../../src/runtime/manual-clock.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { LEASE_MS, OK, Receiver, TestNode, name } from './node-fixture.ts'

const SHARDS = 16
const BEAT_MS = LEASE_MS / 5

async function setup(...names: string[]) {
  const clock = new ManualClock()
  const store = new MemoryStore({ shards: SHARDS, shared: true })
  const receiver = new Receiver()
  const nodes = new Map<string, TestNode>()
  const join = (own: string) => TestNode.start({ clock, store, receiver, cluster: { name: own, nodes } })
  for (const each of names) await join(each)
  await clock.advance(3 * BEAT_MS)
  const [a, b, c] = names.map((each) => nodes.get(each)!)
  return { clock, receiver, join, a: a!, b: b!, c: c! }
}

const ids = Array.from({ length: 200 }, (_, index) => `t${index}`)
const createAll = (node: TestNode, schedule: (index: number) => string) => Promise.all(ids.map((id, index) => node.create(id, schedule(index))))
const onTheDot = (receiver: Receiver) => receiver.arrivals.every(({ at, firing }) => at === firing.timer.dueAt)
const sorted = (texts: readonly string[]) => texts.toSorted()

test('a timer created at one node fires on the dot at whichever owns it, once', async () => {
  const { clock, receiver, a } = await setup('a', 'b', 'c')
  await createAll(a, (index) => `PT${1 + (index % 5)}.${String(index % 1_000).padStart(3, '0')}S`)
  await clock.advance(10_000)
  assert.deepEqual(sorted(receiver.ids()), sorted(ids))
  assert.ok(onTheDot(receiver))
})

test('when a node dies, its timers fire a lease and a beat or two later at the latest, each once', async () => {
  const { clock, receiver, a, b, c } = await setup('a', 'b', 'c')
  await createAll(a, () => 'PT2S')
  b.crash()
  await clock.advance(LEASE_MS + 2 * BEAT_MS)
  assert.deepEqual(sorted(receiver.ids()), sorted(ids))
  assert.equal(a.engine.gauges().ownedShards + c.engine.gauges().ownedShards, SHARDS)
})

test('a node that has lost the store starts no delivery after its lease, and what it does reach is refused', async () => {
  const { clock, receiver, a, b } = await setup('a', 'b')
  await createAll(a, () => 'PT6S')
  b.isCutOff = true
  await clock.advance(LEASE_MS + 3 * BEAT_MS)
  assert.deepEqual(sorted(receiver.ids()), sorted(ids))
  const refused = b.engine.execute({ type: 'cancel', ...name('t0'), ifVersion: null })
  await assert.rejects(refused, (error) => error instanceof DuetimeError && error.code === 'NOT_OWNER')
  b.isCutOff = false
  await clock.advance(5 * BEAT_MS)
  assert.deepEqual(sorted(receiver.ids()), sorted(ids))
  assert.ok(Math.abs(a.engine.gauges().ownedShards - b.engine.gauges().ownedShards) <= 1)
})

test('an outcome that a node could not store before it lost the shard does not overwrite what the next owner did', async () => {
  const { clock, receiver, a, b } = await setup('a', 'b')
  await createAll(a, () => 'PT1S')
  let isFirst = true
  receiver.answer = () => {
    if (isFirst) b.isCutOff = true
    isFirst = false
    return OK
  }
  await clock.advance(LEASE_MS + 3 * BEAT_MS)
  b.isCutOff = false
  await clock.advance(5 * BEAT_MS)
  const done = await Promise.all(ids.map((id) => a.get(id)))
  assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['completed']))
  const repeated = receiver.arrivals.length - ids.length
  assert.ok(repeated <= ids.length / 2 + 5, `${repeated} delivered twice: only what was in flight at b may be`)
})

test('joining and leaving nodes delay nobody by more than a quarter of a second, and nothing is delivered twice', async () => {
  const { clock, receiver, join, a, b } = await setup('a', 'b')
  await createAll(a, (index) => `PT${1 + index / 20}S`)
  await clock.advance(3_000)
  const c = await join('c')
  await clock.advance(3_000)
  const leaving = b.engine.stop(10_000)
  await clock.advance(1_000)
  await leaving
  await clock.advance(10_000)
  assert.deepEqual(sorted(receiver.ids()), sorted(ids))
  const latest = Math.max(...receiver.arrivals.map(({ at, firing }) => at - firing.timer.dueAt))
  assert.ok(latest <= 250, `${latest} ms late`)
  assert.equal(a.engine.gauges().ownedShards + c.engine.gauges().ownedShards, SHARDS)
})

test('a cancel acknowledged by any node is final, also when its shard moves right then', async () => {
  const { clock, receiver, join, a, b } = await setup('a', 'b')
  await createAll(a, () => 'PT8S')
  const joining = join('c')
  const canceled = ids.filter((_, index) => index % 3 === 0)
  const answers = Promise.all(canceled.map((id) => b.service.execute({ type: 'cancel', ...name(id), ifVersion: null })))
  await clock.advance(5_000)
  await joining
  await answers
  await clock.advance(10_000)
  const rest = ids.filter((id) => !canceled.includes(id))
  assert.deepEqual(sorted(receiver.ids()), sorted(rest))
})

test('while nobody owns a shard a request waits, and is answered 503 when that lasts', async () => {
  const { clock, a, b } = await setup('a', 'b')
  b.isCutOff = true
  await clock.advance(LEASE_MS * 0.9)
  a.isCutOff = true
  const answers = Promise.allSettled(ids.map((id) => a.create(id, 'PT5S')))
  await clock.advance(30_000)
  for (const answer of await answers) {
    assert.equal(answer.status, 'rejected')
    assert.equal((answer.reason as DuetimeError).code, 'UNAVAILABLE')
  }
})
