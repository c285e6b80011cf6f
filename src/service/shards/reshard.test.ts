import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupsOf, initialLayout, shardIn, shardsIn, shardsOf } from '../../core/cluster/layout.ts'
import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import { Status } from '../../core/timer/timer.ts'
import type { Epoch, Namespace, ShardId, Timer, TimerId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { readLayout } from '../../store/layout/layout-row.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import type { Store } from '../../store/store.ts'
import { SoleOwner } from '../transfer/sole-owner.ts'
import { contentsOf, fill } from '../transfer/transfer.fixture.ts'
import { reshard } from './reshard.ts'
import type { Resize } from './wanted-layout.ts'
import { setRule } from './rules.ts'

const EU = 'eu' as Namespace
const WRITES = new Set(['claim', 'commit', 'move', 'release', 'removeEvents'])

function timersOf(count: number): Timer[] {
  return Array.from({ length: count }, (_, index) => {
    const [namespace, id] = [index % 3 === 0 ? EU : ('default' as Namespace), `order-${index}` as TimerId]
    const status = index % 5 === 0 ? Status.completed : Status.pending
    return sampleTimer({ namespace, id, status, wakeAt: 1_000 * (index % 97) })
  })
}

async function setup(timers: readonly Timer[], shards = 4) {
  const store = new MemoryStore({ shards })
  await fill(store, timers)
  /** As a process of its own, which has died if it throws. */
  const run = async (wanted: Resize | null, through: Store = store) => {
    const owner = await SoleOwner.of({
      store: through,
      clock: new ManualClock(),
      leaseMs: 5_000,
      node: 'x',
      resharding: true,
    })
    const result = await reshard({ store: through, owner, wanted })
    await owner.release()
    return result
  }
  return { store, run }
}

/** Each timer once, as it was, where the layout has it, and nothing anywhere else. */
async function assertInPlace(store: MemoryStore, timers: readonly Timer[]): Promise<void> {
  const layout = await readLayout(store)
  assert.equal(layout.next, null)
  const found = new Map<string, Timer>()
  for (let shard = 0; shard < 64; shard++)
    for (const finished of [false, true])
      for (const timer of await store.scan({ shard: shard as ShardId, finished, after: null, limit: 10_000 })) {
        assert.equal(shardIn(layout, timer), shard)
        found.set(timer.uuid, timer)
      }
  assert.deepEqual(found, new Map(timers.map((timer) => [timer.uuid, timer])))
}

test('all timers are where the new layout has them, finished ones included, and counts are as before', async () => {
  const timers = timersOf(300)
  const { store, run } = await setup(timers)
  const before = await store.stats()
  for (const count of [16, 7, 4, 1]) {
    assert.deepEqual(await run({ namespace: null, count }), { moved: 300, timers: 300, shards: count })
    await assertInPlace(store, timers)
  }
  assert.deepEqual(await store.stats(), before)
  assert.equal((await contentsOf(store)).size, 300)
})

test('a namespace gets shards of its own, more of them, and shares again; others stay where they are', async () => {
  const timers = timersOf(90)
  const { store, run } = await setup(timers)
  for (const count of [2, 5, 0]) {
    assert.equal((await run({ namespace: EU, count })).moved, 30)
    await assertInPlace(store, timers)
    assert.equal((await readLayout(store)).own.get(EU)?.count ?? 0, count)
  }
  assert.deepEqual(groupsOf(await readLayout(store)), groupsOf(initialLayout(4)))
})

test('whichever write is the last one of a process that dies, the next run ends with every timer in its place once', async () => {
  const timers = timersOf(60)
  const event = { uuid: timers[1]!.uuid, namespace: timers[1]!.namespace, type: 'created', id: 'e', at: 1, body: '{}' }
  for (let last = 0; ; last++) {
    const { store, run } = await setup(timers, 3)
    await addEvent(store, event as LifecycleEvent)
    const dying = diesAfter(store, last)
    const done = await run({ namespace: null, count: 7 }, dying.store).then(
      () => true,
      () => false,
    )
    if (!done) {
      const { next, version } = await readLayout(store)
      if (next === null) assert.equal(version, 0)
      else
        await assert.rejects(SoleOwner.of({ store, clock: new ManualClock(), leaseMs: 1, node: 'y' }), /not finished/)
      const result = await run(next === null ? { namespace: null, count: 7 } : null)
      assert.equal(result.timers, 60)
    }
    await assertInPlace(store, timers)
    const events = await Promise.all(
      shardsOf(await readLayout(store)).map((shard) => store.readEvents({ shard, after: 0, limit: 10 })),
    )
    // Twice if it died between adding it there and removing it here.
    assert.ok([1, 2].includes(events.flat().length), 'the event is still there')
    if (done) break
  }
})

test('what was begun is finished before something else', async () => {
  const { store, run } = await setup(timersOf(20))
  await assert.rejects(run({ namespace: null, count: 8 }, diesAfter(store, 10).store))
  assert.notEqual((await readLayout(store)).next, null)
  await assert.rejects(run({ namespace: null, count: 9 }), /Another reshard of this database was begun/)
  await assert.rejects(setRule(store, null, { label: 'x', whenNoneLives: 'wait' }), /finish it first/)
  assert.equal((await run({ namespace: null, count: 8 })).shards, 8)
  await assert.rejects(run(null), /No reshard of this database was begun/)
  await assert.rejects(run({ namespace: null, count: 8 }), /have 8 already/)
})

test('a timer that is missing when they are counted keeps the layout as it was', async () => {
  const { store, run } = await setup(timersOf(20))
  const losing = new Proxy(store, {
    get: (target, property) => {
      const member = Reflect.get(target, property) as unknown
      if (property === 'move') return async () => true
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  await assert.rejects(run({ namespace: null, count: 8 }, losing), /20 timers were there before, and 0 are where/)
  assert.equal((await readLayout(store)).shared.count, 4)
  assert.equal((await run(null)).timers, 20)
})

test('a rule is for shards of its own, and is changed while others look', async () => {
  const { store, run } = await setup(timersOf(9))
  await assert.rejects(setRule(store, EU, { label: 'eu', whenNoneLives: 'wait' }), /no shards of its own/)
  await run({ namespace: EU, count: 2 })
  const { own } = await setRule(store, EU, { label: 'eu', whenNoneLives: 'wait' })
  assert.deepEqual(own.get(EU), { first: 4, count: 2, label: 'eu', whenNoneLives: 'wait' })
  assert.equal(shardsIn(own.get(EU)!).length, 2)
})

async function addEvent(store: Store, event: LifecycleEvent): Promise<void> {
  const shard = shardIn(await readLayout(store), event)
  const rows = new Map((await store.shards()).map((row) => [row.shard, row]))
  const { epoch: expected, owner: from } = rows.get(shard) ?? { epoch: 0 as Epoch, owner: null }
  const epoch = (await store.claim({ shard, expected, from, owner: 'fixture' }))!
  const fence = { shard, epoch, owner: 'fixture' }
  await store.commit([{ ...fence, puts: [], deletes: [], counters: [], events: [event] }])
  await store.release(fence)
}

/** Nothing is written any more after so many writes. */
function diesAfter(store: Store, writes: number): { readonly store: Store } {
  let left = writes
  const dying = new Proxy(store, {
    get: (target, property) => {
      const member = Reflect.get(target, property) as unknown
      if (typeof member !== 'function') return member
      return (argument: unknown) => {
        if (WRITES.has(property as string) && left-- <= 0) return Promise.reject(new Error('killed'))
        return (member as (argument: unknown) => unknown).call(target, argument)
      }
    },
  })
  return { store: dying }
}
