import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { SoleOwner } from './sole-owner.ts'

const LEASE_MS = 5_000

function setup({ shared = true } = {}) {
  const clock = new ManualClock()
  const store = new MemoryStore({ shards: 4, shared })
  let beats = 0
  const beat = (node: string, leaving = false) =>
    store.beat({ node, address: `http://${node}`, leaving, beat: ++beats, now: clock.now() })
  const claim = (shard: number, owner: string) =>
    store.claim({ shard: shard as ShardId, expected: 0 as Epoch, from: null, owner })
  const take = () => SoleOwner.of({ store, clock, leaseMs: LEASE_MS, node: 'import' })
  /** As the other nodes see it. */
  const seen = async () => (await beat('watcher', true)).nodes.find(({ node }) => node === 'import')
  const owners = async () => (await store.shards()).map(({ owner }) => owner)
  return { clock, store, beat, claim, take, seen, owners }
}

test('a living node is not disturbed: it is named, and never saw another one that wants shards', async () => {
  const { clock, beat, claim, take, seen, owners } = setup()
  await beat('a')
  await claim(0, 'a')
  const refused = assert.rejects(take(), /node a at http:\/\/a serves this database: stop every node first/)
  for (let second = 0; second < 3; second++) {
    await clock.advance(1_000)
    assert.equal((await seen())!.leaving, true)
    await beat('a')
  }
  await clock.advance(1_000)
  await refused
  assert.deepEqual(await owners(), ['a'])
})

test('a node that died is given the lease, and then its shards are taken', async () => {
  const { clock, beat, claim, take, owners } = setup()
  await beat('dead')
  await claim(0, 'dead')
  const taking = take()
  await clock.advance(LEASE_MS - 1)
  assert.deepEqual(await owners(), ['dead'])
  await clock.advance(1)
  const owner = await taking
  assert.equal(owner.fenceOf(0 as ShardId).epoch, 2)
  assert.deepEqual(await owners(), ['import', 'import', 'import', 'import'])
  await owner.release()
})

test('a node that is leaving is waited for until it has handed over, and no longer', async () => {
  const { clock, store, beat, claim, take } = setup()
  await beat('a', true)
  const epoch = (await claim(0, 'a'))!
  const taking = take()
  await clock.advance(1_000)
  await beat('a', true)
  await store.release({ shard: 0 as ShardId, epoch, owner: 'a' })
  await clock.advance(1_000)
  await (await taking).release()
})

test('a node that claims at the same moment wins, and what was taken is given back', async () => {
  const { store, take, owners } = setup()
  const claim = store.claim.bind(store)
  store.claim = async (asked) => {
    if (asked.shard === 2) await claim({ ...asked, owner: 'a' })
    return claim(asked)
  }
  await assert.rejects(take(), /a node has just begun to serve/)
  assert.deepEqual(await owners(), [null, null, 'a'])
})

test('while it owns everything it beats as a living node, and when it is done it leaves and frees all', async () => {
  const { clock, take, seen, owners } = setup()
  const owner = await take()
  const { beat: first } = (await seen())!
  await clock.advance(20 * LEASE_MS)
  const { beat: last, leaving, address } = (await seen())!
  assert.ok(last - first >= 99)
  assert.deepEqual([leaving, address], [false, null])
  await owner.release()
  assert.equal((await seen())!.leaving, true)
  assert.deepEqual(await owners(), [null, null, null, null])
  assert.equal(clock.waiting, 0)
})

test('where a store is for one node, its shards are simply claimed', async () => {
  const { claim, take, owners } = setup({ shared: false })
  await claim(0, 'the service, which was killed')
  const owner = await take()
  assert.equal(owner.fenceOf(0 as ShardId).epoch, 2)
  await owner.release()
  assert.deepEqual(await owners(), [null, null, null, null])
})

test('the next owner finds what the last one left, unless somebody owned a shard in between', async () => {
  const { store, take } = setup({ shared: false })
  const first = await take()
  const firstLeft = first.stillness().left
  await first.release()
  const second = await take()
  const { found, left } = second.stillness()
  assert.equal(found, firstLeft)
  await second.release()
  const [{ epoch }] = (await store.shards()) as [Awaited<ReturnType<typeof store.shards>>[number]]
  await store.claim({ shard: 0 as ShardId, expected: epoch, from: null, owner: 'node' })
  const third = await take()
  assert.notEqual(third.stillness().found, left)
})
