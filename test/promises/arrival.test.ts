// What a client sent in time is judged by when it arrived at the service, however long it then waits: for the next owner of
// its shard, for the item before it in a batch, for the store.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from '../../src/core/rules/command.ts'
import { parseSchedule } from '../../src/core/time/schedule.ts'
import { ManualClock } from '../../src/runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { createCommand, LEASE_MS, name, Receiver, TestNode } from './node-fixture.ts'

const at = (ms: number): string => new Date(ms).toISOString()
const IDS = Array.from({ length: 40 }, (_, n) => `t${n}`)

/** Two nodes; what the second one has is without an owner for a lease after it died. */
async function setup() {
  const clock = new ManualClock()
  const store = new MemoryStore({ shards: 16, shared: true })
  const receiver = new Receiver()
  const nodes = new Map<string, TestNode>()
  const join = (own: string) => TestNode.start({ clock, store, receiver, cluster: { name: own, nodes } })
  const [a, b] = [await join('a'), await join('b')]
  await clock.advance(LEASE_MS)
  return { clock, receiver, a, b }
}

test('creates that wait for the next owner of their shard are not refused: they are overdue and fire at once', async () => {
  const { clock, receiver, a, b } = await setup()
  b.crash()
  const arrivedAt = clock.now()
  const creating = Promise.all(IDS.map((id) => a.create(id, at(arrivedAt + 1_000))))
  await clock.advance(2 * LEASE_MS)
  await creating
  assert.deepEqual(receiver.ids().toSorted(), IDS.toSorted())
  assert.ok(
    receiver.arrivals.some(({ at: firedAt }) => firedAt > arrivedAt + 1_000),
    'some had to wait',
  )
})

test('a duration counts from when the request arrived, and so does a cycle', async () => {
  for (const schedule of ['PT2S', 'R/PT10S', 'PT8S']) {
    const { clock, a, b } = await setup()
    b.crash()
    const arrivedAt = clock.now()
    const creating = Promise.all(IDS.map((id) => a.create(id, schedule)))
    await clock.advance(2 * LEASE_MS)
    const lengthMs = Number(/(\d+)S/.exec(schedule)![1]) * 1_000
    for (const timer of await creating)
      assert.equal(timer.dueAt, arrivedAt + lengthMs, `${schedule}, created at ${timer.createdAt - arrivedAt}`)
  }
})

test('so are updates, and those that wait for the change before them in a batch', async () => {
  const { clock, a, b } = await setup()
  await Promise.all(IDS.map((id) => a.create(id, 'PT1H')))
  b.crash()
  const dueAt = clock.now() + 1_000
  const update = (id: string): Command => ({
    type: 'update',
    ...name(id),
    changes: { schedule: parseSchedule(at(dueAt)) },
    ifVersion: null,
    minLeadMs: 0,
  })
  const pause = (id: string): Command => ({ type: 'pause', ...name(id) })
  const batch = a.service.executeMany(IDS.flatMap((id) => [pause(id), update(id), createCommand(id, at(dueAt))]))
  await clock.advance(3 * LEASE_MS)
  assert.deepEqual(
    (await batch).filter(({ status }) => status === 'rejected'),
    [],
  )
})

test('what was in the past when it arrived is refused, and says what the time was', async () => {
  const { clock, a } = await setup()
  const arrivedAt = clock.now()
  await assert.rejects(a.create('a', at(arrivedAt - 1)), { message: new RegExp(`it is ${at(arrivedAt)} here`) })
})
