// What every store must do with commits: conditions on versions, all or nothing, fences. Part of the suite in conformance.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER, Status } from '../../../core/timer/timer.ts'
import type { Epoch, JsonText, ShardId, Timer, TimerId } from '../../../core/timer/timer.ts'
import { eventOf } from './events.ts'
import { deletingPart, partOf } from '../../commit-sheet.ts'
import { absent, changed, claimed, countsOf, getOne, missedOf, OWNER, SHARD } from '../owned-store.ts'
import type { Setup } from '../owned-store.ts'
import { namedTimers, SAMPLE_NOW, sampleTimer } from '../sample-timer.ts'

const LATER = SAMPLE_NOW + 5_000

export function storeCommits(name: string, setup: Setup): void {
  test(`${name}: a put that expects nothing to be there misses and answers with the row that is`, async (t) => {
    const owned = await setup(t)
    const first = sampleTimer({ payload: '1' as JsonText })
    await owned.add(first)
    const missed = await owned.put(absent(sampleTimer({ payload: '2' as JsonText })))
    assert.deepEqual([...missed], [[first.uuid, first]])
    assert.deepEqual(await owned.get(first), first)
  })

  test(`${name}: a put that expects another version misses and answers with the row that is there`, async (t) => {
    const owned = await setup(t)
    const first = sampleTimer({ version: 3 })
    await owned.add(first)
    for (const version of [2, 4]) {
      const missed = await owned.put(changed({ ...first, version: version + 1 }, { ...first, version }))
      assert.deepEqual([...missed], [[first.uuid, first]])
    }
    assert.deepEqual(await owned.get(first), first)
  })

  test(`${name}: a put that expects a version of a timer that is not there misses with null`, async (t) => {
    const owned = await setup(t)
    const missed = await owned.put(changed(sampleTimer({ version: 2 }), sampleTimer()))
    assert.deepEqual([...missed], [[sampleTimer().uuid, null]])
    assert.equal(await owned.get(sampleTimer()), null)
  })

  test(`${name}: a part with a row in its way is not written at all, and every row in the way is named`, async (t) => {
    const owned = await setup(t)
    const [a, b, c, d] = namedTimers('a', 'b', 'c', 'd') as [Timer, Timer, Timer, Timer]
    const other = 1 as ShardId
    const epoch = await claimed(owned.store, other)
    await owned.add(b)
    const counter = { namespace: a.namespace, slotAt: 600_000, name: 'n', amount: 1 }
    const part = partOf(owned.fence, [
      absent(a),
      { ...absent(b), events: [eventOf(b, 'no')] },
      changed({ ...c, version: 2 }, c),
    ])
    const [missed, beside] = await owned.store.commit([
      { ...part, counters: [...part.counters, counter] },
      partOf({ shard: other, epoch, owner: OWNER }, [absent(d)]),
    ])
    assert.deepEqual(
      new Set(missedOf(missed)),
      new Set([
        [b.uuid, b],
        [c.uuid, null],
      ]),
    )
    assert.deepEqual(beside, { type: 'written' })
    assert.deepEqual([await owned.get(a), await owned.get(c), await getOne(owned.store, d, other)], [null, null, d])
    assert.deepEqual(await countsOf(owned.store), ['default pending 2'])
    assert.deepEqual(
      (await owned.store.tallies({ since: 1 })).sums.filter(({ name: of }) => of === 'n'),
      [],
    )
    assert.deepEqual(await owned.store.readEvents({ shard: SHARD, after: 0, limit: 9 }), [])
  })

  test(`${name}: a delete needs the row at its version, and misses with its part otherwise`, async (t) => {
    const owned = await setup(t)
    const [a, b] = namedTimers('a', 'b') as [Timer, Timer]
    const done = { ...a, status: Status.completed, wakeAt: LATER }
    await owned.add(done)
    const [row] = await owned.store.expired({ shards: [SHARD], before: LATER + 1, limit: 9 })
    const again = { ...a, version: 2 }
    await owned.put(changed(again, done))
    const part = { ...deletingPart(owned.fence, [row!]), puts: [absent(b)] }
    assert.deepEqual([...missedOf((await owned.store.commit([part]))[0])], [[a.uuid, again]])
    assert.deepEqual([await owned.get(a), await owned.get(b)], [again, null])
    assert.deepEqual(await owned.store.expired({ shards: [SHARD], before: NEVER, limit: 9 }), [])
  })

  test(`${name}: commits that are under way at the same time are applied in the order of the calls`, async (t) => {
    const owned = await setup(t)
    const versions = Array.from({ length: 20 }, (_, index) => sampleTimer({ version: index + 1 }))
    const puts = versions.map((timer, index) => (index === 0 ? absent(timer) : changed(timer, versions[index - 1]!)))
    const misses = await Promise.all(puts.map((put) => owned.put(put)))
    assert.deepEqual(
      misses.map(({ size }) => size),
      versions.map(() => 0),
    )
    assert.equal((await owned.get(versions[0]!))?.version, 20)
    assert.deepEqual(await countsOf(owned.store), ['default pending 1'])
  })

  test(`${name}: a fenced part does not keep the others from being written`, async (t) => {
    const owned = await setup(t)
    const other = 1 as ShardId
    const epoch = await claimed(owned.store, other)
    const [a, b, c] = namedTimers('a', 'b', 'c') as [Timer, Timer, Timer]
    const results = await owned.store.commit([
      partOf(owned.fence, [absent(a)]),
      partOf({ shard: other, epoch: (epoch + 1) as Epoch, owner: OWNER }, [absent(b)]),
      partOf({ shard: other, epoch, owner: OWNER }, [absent(c)]),
    ])
    assert.deepEqual(
      results.map(({ type }) => type),
      ['written', 'fenced', 'written'],
    )
    assert.equal(await getOne(owned.store, b, other), null)
    assert.deepEqual(await owned.store.due({ shard: other, after: null, until: NEVER, limit: 10 }), [c])
    assert.deepEqual(await owned.dueIds(), ['a'])
  })

  test(`${name}: the owner of one shard cannot change a timer of another`, async (t) => {
    const owned = await setup(t)
    const other = 1 as ShardId
    const epoch = await claimed(owned.store, other)
    const timer = sampleTimer()
    await owned.add(timer)
    // A store that looks for a timer in its own shard alone finds none in the other one.
    const put = changed({ ...timer, version: 2 }, timer)
    const [result] = await owned.store.commit([partOf({ shard: other, epoch, owner: OWNER }, [put])])
    assert.deepEqual([...missedOf(result).keys()], [timer.uuid])
    assert.deepEqual(await owned.get(timer), timer)
  })

  test(`${name}: a timer whose uuid another one has misses, whatever it expects, and nothing of its part is written`, async (t) => {
    const owned = await setup(t)
    const stored = sampleTimer({ id: 'stored' as TimerId })
    await owned.add(stored)
    const collides = sampleTimer({ id: 'other' as TimerId, uuid: stored.uuid })
    for (const put of [absent(collides), changed({ ...collides, version: 2 }, stored)]) {
      const missed = await owned.put(absent(sampleTimer({ id: 'beside' as TimerId })), put)
      assert.deepEqual([...missed], [[stored.uuid, stored]])
    }
    assert.deepEqual(await owned.listIds(), ['stored'])
    assert.equal(await owned.get(collides), null)
    assert.deepEqual(await countsOf(owned.store), ['default pending 1'])
  })

  test(`${name}: a commit of nothing, and a part without puts, are fine`, async (t) => {
    const owned = await setup(t)
    assert.deepEqual(await owned.store.commit([]), [])
    assert.equal((await owned.put()).size, 0)
    await owned.store.ping()
  })
}
