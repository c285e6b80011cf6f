// Timers that are moved or cancelled leave tombstones ahead of the first one, too, where no mark helps. Here Cassandra refuses a
// read at five hundred of them, and not at a hundred thousand, so that a test can make more.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import { NEVER, Status } from '../../core/timer/timer.ts'
import type { Epoch, ShardId, Timer, TimerId } from '../../core/timer/timer.ts'
import { deletingPart, partOf } from '../commit-sheet.ts'
import type { Change } from '../commit-sheet.ts'
import { absent, changed, claimed, listAll, OWNER } from '../conformance/owned-store.ts'
import { sampleTimer } from '../conformance/sample-timer.ts'
import { eventOf } from '../conformance/suite/events.ts'
import type { CommitPart, Store, StoredRow } from '../store.ts'
import { emptyKeyspace } from './cassandra-server.fixture.ts'
import { openCassandraStore } from './cassandra-store.ts'

const SHARD = 0 as ShardId
const REFUSED_ABOVE = 500
const REMOVED = 2_000
const PER_PART = 100
const NOW = Date.UTC(2030, 0, 1)

before(() => {
  process.env['CASSANDRA_YAML'] = `tombstone_failure_threshold: ${REFUSED_ABOVE}`
})
after(() => delete process.env['CASSANDRA_YAML'])

const finished = (timer: Timer): Timer => ({ ...timer, version: timer.version + 1, status: Status.completed })
const named = (id: string, wakeAt: number): Timer => sampleTimer({ id: id as TimerId, wakeAt })
const idsOf = (timers: readonly Timer[]): string => timers.map(({ id }) => id).join(' ')

class Owned {
  readonly store: Store
  readonly fence: { readonly shard: ShardId; readonly epoch: Epoch; readonly owner: string }

  private constructor(store: Store, epoch: Epoch) {
    this.store = store
    this.fence = { shard: SHARD, epoch, owner: OWNER }
  }

  static async open(t: TestContext, location: Parameters<typeof openCassandraStore>[0]): Promise<Owned> {
    const store = await openCassandraStore({ ...location, shards: 1 })
    t.after(() => store.close())
    return new Owned(store, await claimed(store, SHARD))
  }

  async commit(part: CommitPart): Promise<void> {
    assert.deepEqual(await this.store.commit([part]), [{ type: 'written' }])
  }

  async put(...changes: readonly Change[]): Promise<void> {
    for (let n = 0; n < changes.length; n += PER_PART)
      await this.commit(partOf(this.fence, changes.slice(n, n + PER_PART)))
  }

  /** They were there, are finished, and were deleted: their places in both orders are tombstones. */
  async putAndRemove(timers: readonly Timer[]): Promise<void> {
    await this.put(...timers.map(absent))
    await this.put(...timers.map((timer) => changed(finished(timer), timer)))
    const rows = timers.map((timer): StoredRow => ({ ...finished(timer), shard: SHARD, kind: 'once' }))
    for (let n = 0; n < rows.length; n += PER_PART)
      await this.commit(deletingPart(this.fence, rows.slice(n, n + PER_PART)))
  }

  async due(limit: number, until = NEVER - 1): Promise<string> {
    return idsOf(await this.store.due({ shard: SHARD, after: null, until, limit }))
  }
}

onServer('cassandra', (server) => {
  test('timers behind more removed ones than Cassandra reads over are found in order', async (t) => {
    const owned = await Owned.open(t, await emptyKeyspace(server()))
    const { store } = owned
    const live = [named('front', NOW), named('middle', NOW + 40_000), named('back', NOW + 86_400_000)]
    const old = [named('old front', NOW), named('old back', NOW + 86_400_000)].map(finished)
    await owned.put(...[...live, ...old].map(absent))
    // Some have a time of their own, and the others all have the same one.
    const removed = Array.from({ length: REMOVED }, (_, n) => named(`t${n}`, NOW + Math.min(1_000 + 10 * n, 10_000)))
    await owned.putAndRemove(removed)

    assert.equal(await owned.due(1), 'front')
    for (const limit of [2, 3, 100, 1_000]) {
      const expected = ['front', 'middle', 'back'].slice(0, limit).join(' ')
      assert.equal(await owned.due(limit), expected)
      assert.equal(await owned.due(limit, NOW + 50_000), 'front middle')
    }
    const [front, middle] = live
    assert.equal(idsOf(await store.due({ shard: SHARD, after: front!, until: NOW + 30_000, limit: 10 })), '')
    assert.equal(idsOf(await store.due({ shard: SHARD, after: removed[700]!, until: NEVER - 1, limit: 1 })), 'middle')
    assert.equal(idsOf(await store.due({ shard: SHARD, after: middle!, until: NEVER - 1, limit: 10 })), 'back')
    const expired = await store.expired({ shards: [SHARD], before: NEVER, limit: 10 })
    assert.deepEqual(
      expired.map(({ uuid }) => uuid),
      old.map(({ uuid }) => uuid),
    )
    const listed = await listAll(store, {}, 2)
    assert.equal(
      listed
        .map(({ id }) => id)
        .toSorted()
        .join(),
      'back,front,middle,old back,old front',
    )
  })

  test('a shard whose first timer goes before many removed ones can be written to and claimed', async (t) => {
    const owned = await Owned.open(t, await emptyKeyspace(server()))
    const { store } = owned
    const [front, back] = [named('front', NOW), named('back', NOW + 86_400_000)]
    await owned.put(absent(front), absent(back))
    await owned.putAndRemove(Array.from({ length: REMOVED }, (_, n) => named(`t${n}`, NOW + 1_000 + n)))
    await owned.put(changed(finished(front), front))
    await owned.commit(deletingPart(owned.fence, [{ ...finished(front), shard: SHARD, kind: 'once' }]))

    assert.deepEqual(await store.dueShards({ shards: [SHARD], until: NOW + 86_400_000 }), [SHARD])
    assert.deepEqual(await store.dueShards({ shards: [SHARD], until: NOW + 80_000_000 }), [])
    // Conditions on nothing but the fence.
    await owned.commit({ ...partOf(owned.fence, []), events: [eventOf(front, 'done')] })
    await store.release(owned.fence)
    const epoch = await store.claim({ shard: SHARD, expected: owned.fence.epoch, from: null, owner: 'b' })
    assert.equal(epoch, 2)
    assert.equal(idsOf(await store.due({ shard: SHARD, after: null, until: NEVER - 1, limit: 10 })), 'back')
    // The new owner looks for the first one.
    const part = partOf({ shard: SHARD, epoch, owner: 'b' }, [absent(named('last', NOW + 90_000_000))])
    assert.deepEqual(await store.commit([part]), [{ type: 'written' }])
    assert.equal(idsOf(await store.due({ shard: SHARD, after: null, until: NEVER - 1, limit: 10 })), 'back last')
  })

  test('many events that were published without a commit beside them do not hide the next ones', async (t) => {
    const owned = await Owned.open(t, await emptyKeyspace(server()))
    const { store } = owned
    const timer = named('told', NOW)
    const told = Array.from({ length: PER_PART }, (_, n) => eventOf(timer, `${n}`))
    const some = { ...partOf(owned.fence, []), events: told }
    for (let n = 0; n < REMOVED; n += PER_PART) await owned.commit(some)
    await owned.commit({ ...some, events: [eventOf(timer, 'last')] })
    for (let left = REMOVED; left > 0; left -= 500) {
      const events = await store.readEvents({ shard: SHARD, after: 0, limit: 500 })
      assert.equal(events.length, 500)
      await store.removeEvents({ shard: SHARD, numbers: events.map(({ number }) => number) })
    }
    const [event] = await store.readEvents({ shard: SHARD, after: 0, limit: 10 })
    assert.match(event!.body, /"last"/)
    assert.equal((await store.countEvents([SHARD])).count, 1)
  })
})
