// What every store must do about ownership and its fences. Part of the suite in conformance.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Epoch, ShardId } from '../../../core/timer/timer.ts'
import { partOf } from '../../commit-sheet.ts'
import { absent, claimed, getOne, OWNER, SHARD, UNOWNED } from '../owned-store.ts'
import type { Setup } from '../owned-store.ts'
import { sampleTimer } from '../sample-timer.ts'

export function storeOwnership(name: string, setup: Setup): void {
  test(`${name}: a shard that was never claimed refuses commits`, async (t) => {
    const { store } = await setup(t)
    const part = partOf({ shard: 7 as ShardId, epoch: UNOWNED, owner: OWNER }, [absent(sampleTimer())])
    assert.deepEqual(await store.commit([part]), [{ type: 'fenced' }])
    assert.equal(await getOne(store, sampleTimer(), part.shard), null)
  })

  test(`${name}: an owner whose shard was claimed by another cannot commit any more`, async (t) => {
    const owned = await setup(t)
    const next = await owned.store.claim({ shard: SHARD, expected: owned.epoch, from: OWNER, owner: 'b' })
    assert.equal(next, owned.epoch + 1)
    assert.deepEqual(await owned.store.commit([partOf(owned.fence, [absent(sampleTimer())])]), [{ type: 'fenced' }])
    assert.equal(await owned.get(sampleTimer()), null)
    assert.deepEqual(await owned.store.stats(), { counts: [] })
  })

  test(`${name}: of two claims of the same epoch only one wins`, async (t) => {
    const { store, epoch } = await setup(t)
    const claim = { shard: SHARD, expected: epoch, from: OWNER }
    const won = await Promise.all([store.claim({ ...claim, owner: 'a' }), store.claim({ ...claim, owner: 'b' })])
    assert.deepEqual(won.map(String).toSorted(), [String(epoch + 1), 'null'])
    const winner = won[0] === null ? 'b' : 'a'
    assert.deepEqual(await store.shards(), [{ shard: SHARD, epoch: epoch + 1, owner: winner }])
  })

  test(`${name}: of many claims at the same time each shard has one that wins`, async (t) => {
    const { store } = await setup(t)
    const shards = Array.from({ length: 12 }, (_, n) => (n + 1) as ShardId)
    const claim = async (owner: string, shard: ShardId) => {
      return { shard, owner, epoch: await store.claim({ shard, expected: UNOWNED, from: null, owner }) }
    }
    // The first one has no rival: a store may gather the others behind it.
    const claims = [
      claim('a', 20 as ShardId),
      ...['a', 'b', 'c'].flatMap((owner) => shards.map((shard) => claim(owner, shard))),
    ]
    const won = (await Promise.all(claims)).filter(({ epoch }) => epoch !== null)
    const rows = (await store.shards()).filter(({ shard }) => shard !== SHARD)
    assert.deepEqual(
      won.toSorted((a, b) => a.shard - b.shard),
      rows,
    )
    const parts = won.map(({ shard, owner, epoch }) => partOf({ shard, owner, epoch: epoch! }, []))
    assert.ok((await store.commit(parts)).every(({ type }) => type === 'written'))
  })

  test(`${name}: a claim that expects another epoch or owner than the current one changes nothing`, async (t) => {
    const { store, epoch } = await setup(t)
    const before = await store.shards()
    for (const expected of [UNOWNED, (epoch + 1) as Epoch]) {
      assert.equal(await store.claim({ shard: SHARD, expected, from: OWNER, owner: 'b' }), null)
    }
    for (const from of [null, 'c'])
      assert.equal(await store.claim({ shard: SHARD, expected: epoch, from, owner: 'b' }), null)
    assert.equal(await store.claim({ shard: 9 as ShardId, expected: 3 as Epoch, from: null, owner: 'b' }), null)
    assert.deepEqual(await store.shards(), before)
  })

  test(`${name}: a stale owner cannot release`, async (t) => {
    const { store, epoch } = await setup(t)
    await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b' })
    const before = await store.shards()
    await store.release({ shard: SHARD, epoch, owner: OWNER })
    await store.release({ shard: SHARD, epoch: (epoch + 1) as Epoch, owner: OWNER })
    assert.deepEqual(await store.shards(), before)
  })

  test(`${name}: of two owners by the same epoch only the one that the store names can commit`, async (t) => {
    const owned = await setup(t)
    const part = partOf(owned.fence, [absent(sampleTimer())])
    assert.deepEqual(await owned.store.commit([{ ...part, owner: 'b' }]), [{ type: 'fenced' }])
    assert.equal(await owned.get(sampleTimer()), null)
    assert.deepEqual(await owned.store.commit([part]), [{ type: 'written' }])
  })

  test(`${name}: a claim can ask for an epoch above one that the store does not know of`, async (t) => {
    const { store, epoch } = await setup(t)
    const above = (epoch + 6) as Epoch
    assert.equal(await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b', above }), epoch + 7)
    assert.equal(
      await store.claim({ shard: SHARD, expected: (epoch + 7) as Epoch, from: 'b', owner: 'b', above }),
      epoch + 8,
    )
    assert.equal(
      await store.claim({ shard: 9 as ShardId, expected: UNOWNED, from: null, owner: 'b', above }),
      epoch + 7,
    )
  })

  test(`${name}: a shard is not taken from a node that has beaten since it was seen`, async (t) => {
    const { store, epoch } = await setup(t)
    // Nobody beats in a store for one node.
    if (!store.capabilities.shared) return
    const claim = { shard: SHARD, expected: epoch, from: OWNER, owner: 'b' }
    assert.equal(await store.claim({ ...claim, ifBeat: 1 }), null)
    const beat = { node: OWNER, address: null, leaving: false, now: 1 }
    await store.beat({ ...beat, beat: 1 })
    await store.beat({ ...beat, beat: 2 })
    assert.equal(await store.claim({ ...claim, ifBeat: null }), null)
    assert.equal(await store.claim({ ...claim, ifBeat: 1 }), null)
    assert.equal(await store.claim({ ...claim, ifBeat: 2 }), epoch + 1)
  })

  test(`${name}: a shard whose owner never beat is taken on the condition that it still has not`, async (t) => {
    const { store, epoch } = await setup(t)
    assert.equal(await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b', ifBeat: null }), epoch + 1)
  })

  test(`${name}: a released shard has no owner and keeps its epoch`, async (t) => {
    const { store, epoch } = await setup(t)
    await store.release({ shard: SHARD, epoch, owner: OWNER })
    assert.deepEqual(await store.shards(), [{ shard: SHARD, epoch, owner: null }])
    assert.deepEqual(await store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [])]), [{ type: 'fenced' }])
    assert.equal(await store.claim({ shard: SHARD, expected: epoch, from: null, owner: 'b' }), epoch + 1)
  })

  test(`${name}: shards are listed by number`, async (t) => {
    const { store } = await setup(t)
    for (const shard of [10, 2] as ShardId[]) await claimed(store, shard)
    assert.deepEqual(
      (await store.shards()).map(({ shard }) => shard),
      [0, 2, 10],
    )
  })

  test(`${name}: a node that beats sees itself alive, and who owns what`, async (t) => {
    const { store } = await setup(t)
    const { nodes, shards } = await store.beat({
      node: 'n',
      address: 'http://127.0.0.1:1',
      leaving: false,
      labels: ['eu', 'ssd'],
      beat: 5,
      now: 1,
    })
    const self = nodes.find(({ node }) => node === 'n')!
    assert.deepEqual(
      { ...self, clockSkewMs: 0 },
      { node: 'n', address: 'http://127.0.0.1:1', leaving: false, labels: ['eu', 'ssd'], beat: 5, clockSkewMs: 0 },
    )
    assert.deepEqual(shards, await store.shards())
  })
}
