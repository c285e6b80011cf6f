// Calendars when nodes die, lose the store, or hear of a change late: what they exclude is not delivered, and nothing is lost or
// delivered twice. Several nodes on one store and one manual clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_NAMESPACE } from '../../src/core/timer/ids.ts'
import { parseSchedule } from '../../src/core/time/schedule.ts'
import { ManualClock } from '../../src/runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import type { Store } from '../../src/store/store.ts'
import { gate, LEASE_MS, Receiver, TestNode } from './node-fixture.ts'

const NOON = Date.parse('2027-01-04T12:00:00Z')
const MINUTE = 60_000
const BEAT_MS = LEASE_MS / 5
const IDS = Array.from({ length: 20 }, (_, index) => `t${index}`)

async function setup(...names: string[]) {
  const clock = new ManualClock(NOON)
  const store = new MemoryStore({ shards: 16, shared: true })
  const receiver = new Receiver()
  const nodes = new Map<string, TestNode>()
  for (const own of names) await TestNode.start({ clock, store, receiver, cluster: { name: own, nodes } })
  await clock.advance(3 * BEAT_MS)
  const put = (node: TestNode, ...exclude: string[]) =>
    node.service.calendars.put(DEFAULT_NAMESPACE, { name: 'c', timeZone: 'UTC', exclude, allow: [] })
  const createAll = (node: TestNode, schedule: string, onExcluded: 'skip' | 'move') =>
    Promise.all(IDS.map((id) => create(node, id, schedule, onExcluded)))
  /** When each timer was delivered, as minutes after noon. */
  const minutes = () => {
    const byId = Map.groupBy(receiver.arrivals, ({ firing }) => firing.timer.id as string)
    return IDS.map((id) => (byId.get(id) ?? []).map(({ at }) => Math.floor((at - NOON) / MINUTE)).join())
  }
  return { clock, receiver, nodes, put, createAll, minutes }
}

function create(node: TestNode, id: string, schedule: string, onExcluded: 'skip' | 'move') {
  return node.create(id, schedule, { schedule: parseSchedule(schedule, null, { calendar: { name: 'c', onExcluded } }) })
}

const all = (text: string): string[] => IDS.map(() => text)

test('a change at one node counts for the timers of all within a second, however they came to wait', async () => {
  const { clock, nodes, put, createAll, minutes } = await setup('a', 'b', 'c')
  const [a, b, c] = [...nodes.values()] as [TestNode, TestNode, TestNode]
  await put(a, '12:30-12:31')
  await createAll(b, '*/10 * * * *', 'skip')
  await clock.advance(5 * MINUTE) // every node knows the calendar by now
  await put(c, '12:10-12:20', '12:40-12:50')
  await clock.advance(60 * MINUTE)
  // They waited for 12:10, which is excluded by now; 12:30 is not any more.
  assert.deepEqual(minutes(), all('20,30,50,60'))
})

test('a node that dies while it passes firings over leaves them to the next one, which does the same', async () => {
  for (const onExcluded of ['skip', 'move'] as const) {
    const { clock, nodes, put, createAll, minutes } = await setup('a', 'b')
    const [a, b] = [...nodes.values()] as [TestNode, TestNode]
    await put(a, '2000-01-01')
    await createAll(a, onExcluded === 'skip' ? '*/15 * * * *' : 'PT15M', onExcluded)
    await put(a, '12:15-12:30')
    const commits = gate()
    b.commitGate = commits.closed
    await clock.advance(15 * MINUTE)
    b.crash()
    commits.open()
    await clock.advance(31 * MINUTE)
    assert.deepEqual(minutes(), all(onExcluded === 'skip' ? '30,45' : '30'), onExcluded)
  }
})

test('a node whose store is away when a firing is due delivers nothing that is excluded, and loses nothing', async () => {
  const clock = new ManualClock(NOON + 1)
  const node = await TestNode.start({ clock })
  const exclude = ['12:10-12:20']
  await node.service.calendars.put(DEFAULT_NAMESPACE, { name: 'c', timeZone: 'UTC', exclude, allow: [] })
  const again = await node.restart() // knows no calendar yet
  await create(again, 'a', '*/5 * * * *', 'skip')
  const third = await again.restart()
  await clock.advance(4 * MINUTE)
  third.isCutOff = true
  await clock.advance(2 * MINUTE)
  assert.deepEqual(third.receiver.ids(), []) // 12:05 waits: nobody can say whether it is excluded
  third.isCutOff = false
  await clock.advance(24 * MINUTE)
  const times = third.receiver.arrivals.map(({ firing }) => (firing.timer.nominalAt - NOON) / MINUTE)
  assert.deepEqual(times, [5, 20, 25, 30])
})

test('a shard that moves takes its calendar with it', async () => {
  const { clock, nodes, put, createAll, minutes, receiver } = await setup('a')
  const [a] = [...nodes.values()] as [TestNode]
  await put(a, '12:20-12:30')
  await createAll(a, '*/10 * * * *', 'move')
  await clock.advance(8 * MINUTE)
  const { store } = a
  await TestNode.start({ clock, store, receiver, cluster: { name: 'b', nodes } })
  await clock.advance(30 * MINUTE)
  assert.ok(nodes.get('b')!.engine.gauges().ownedShards > 0)
  assert.deepEqual(minutes(), all('10,30')) // what moves from 12:20 and 12:30 itself are one firing
})

test('a timer that is replaced while its firing waits for the calendar does not fire by its old version', async () => {
  const clock = new ManualClock(NOON)
  let reads: Promise<void> | null = null
  const store = new Proxy(new MemoryStore(), {
    get: (target, key: keyof Store) => {
      const value = target[key] as unknown
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        if (key === 'getMany') await reads
        return value.apply(target, args) as unknown
      }
    },
  })
  const node = await TestNode.start({ clock, store })
  await node.service.calendars.put(DEFAULT_NAMESPACE, { name: 'c', timeZone: 'UTC', exclude: ['--02-29'], allow: [] })
  await create(node, 'a', 'PT5M', 'move')
  const slow = gate()
  reads = slow.closed
  await clock.advance(6 * MINUTE)
  await node.create('a', 'PT1H')
  slow.open()
  await clock.advance(MINUTE)
  assert.deepEqual(node.receiver.ids(), [])
  await clock.advance(60 * MINUTE)
  assert.deepEqual(
    node.receiver.arrivals.map(({ at }) => (at - NOON) / MINUTE),
    [66],
  )
})
