// What a node does when requests and answers get lost and the server is killed: no acknowledged timer is lost, nothing is
// counted twice, and every error tells the truth about what was written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import type { RunningServer } from '../../../scripts/servers/servers.ts'
import type { JsonText, ShardId, TimerId } from '../../core/timer/timer.ts'
import { partOf } from '../commit-sheet.ts'
import { absent, changed, claimed, countsOf, getOne, OWNER } from '../conformance/owned-store.ts'
import { sampleTimer } from '../conformance/sample-timer.ts'
import { StoreError } from '../store.ts'
import type { PartResult, Store } from '../store.ts'
import { emptyKeyspace, LossyWay } from './cassandra-server.fixture.ts'
import { openCassandraStore } from './cassandra-store.ts'

const SHARD = 0 as ShardId
const WRITTEN: PartResult[] = [{ type: 'written' }]
const COMMITS_BEFORE_KILL = 20
const KILLS = 2
const named = (id: string) => sampleTimer({ id: id as TimerId })

async function setup(t: TestContext, server: RunningServer) {
  const { way, location } = await LossyWay.to(t, await emptyKeyspace(server))
  const store = await openCassandraStore(location)
  t.after(() => store.close())
  const epoch = await claimed(store, SHARD)
  const fence = { shard: SHARD, epoch, owner: OWNER }
  const put = (id: string) => store.commit([partOf(fence, [absent(named(id))])])
  return { way, store, fence, put }
}

const isThere = async (store: Store, id: string, shard = SHARD) => (await getOne(store, named(id), shard)) !== null

async function failureOf(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  )
  assert(error instanceof StoreError, String(error))
  return error
}

onServer('cassandra', (server) => {
  test('a commit whose answer was lost is sent again, is told as written, and counts once', async (t) => {
    const { way, store, put } = await setup(t, server())
    way.lose('answer', 'answer')
    assert.deepEqual(await put('a'), WRITTEN)
    assert.deepEqual(await put('b'), WRITTEN)
    assert.deepEqual(await countsOf(store), ['default pending 2'])
  })

  test('a commit that never got an answer is in doubt, and the next one works', async (t) => {
    const { way, store, put } = await setup(t, server())
    way.lose('answer')
    way.isCut = true
    for (const id of ['a', 'b']) {
      const { outcomeUnknown, retryable } = await failureOf(put(id))
      assert.deepEqual([outcomeUnknown, retryable], [true, true])
    }
    way.isCut = false
    assert.deepEqual(await put('c'), WRITTEN)
    assert.deepEqual(
      [await isThere(store, 'a'), await isThere(store, 'b'), await isThere(store, 'c')],
      [true, false, true],
    )
    assert.deepEqual(await countsOf(store), ['default pending 2'])
  })

  test('a commit that was held up on its way is never done after a later one', async (t) => {
    const { way, store, fence, put } = await setup(t, server())
    assert.deepEqual(await put('first'), WRITTEN)
    way.lose('hold')
    way.isCut = true
    assert.equal((await failureOf(put('a'))).outcomeUnknown, true)
    way.isCut = false
    assert.deepEqual(await store.commit([partOf(fence, [])]), WRITTEN)
    await way.deliverHeld()
    assert.equal(await isThere(store, 'a'), false)
    assert.deepEqual(await countsOf(store), ['default pending 1'])
  })

  test('a commit that was held up is done before a later one, and what it counted is not forgotten', async (t) => {
    const { way, store, put } = await setup(t, server())
    assert.deepEqual(await put('first'), WRITTEN)
    way.lose('hold')
    way.isCut = true
    await failureOf(put('a'))
    way.isCut = false
    await way.deliverHeld()
    assert.deepEqual(await put('b'), WRITTEN)
    assert.equal(await isThere(store, 'a'), true)
    assert.deepEqual(await countsOf(store), ['default pending 3'])
  })

  test('a claim whose answer was lost is won, and the next commit has its fence', async (t) => {
    const { way, store, fence } = await setup(t, server())
    way.lose('answer', 'answer')
    const next = await store.claim({ shard: SHARD, expected: fence.epoch, from: OWNER, owner: 'b' })
    assert.equal(next, fence.epoch + 1)
    assert.deepEqual(await store.commit([partOf({ shard: SHARD, epoch: next, owner: 'b' }, [])]), WRITTEN)
  })

  test('a claim that was only half done is made again by whoever is named', async (t) => {
    const { way, store, fence } = await setup(t, server())
    // The first of its two writes arrives, the second does not.
    way.lose('answer')
    way.isCut = true
    const claiming = store.claim({ shard: SHARD, expected: fence.epoch, from: OWNER, owner: 'b' })
    assert.equal((await failureOf(claiming)).outcomeUnknown, true)
    way.isCut = false
    const [row] = await store.shards()
    assert.equal(row!.owner, 'b')
    const again = { shard: SHARD, expected: row!.epoch, from: row!.owner, owner: 'b' }
    const epoch = await store.claim(again)
    assert.equal(epoch, row!.epoch + 1)
    assert.deepEqual(await store.commit([partOf(fence, [])]), [{ type: 'fenced' }])
    assert.deepEqual(await store.commit([partOf({ shard: SHARD, epoch, owner: 'b' }, [])]), WRITTEN)
  })

  test('a part that fails does not take the other parts of its commit with it', async (t) => {
    const { way, store, fence } = await setup(t, server())
    const other = 1 as ShardId
    const fences = [fence, { shard: other, epoch: await claimed(store, other), owner: OWNER }]
    way.lose('cut', 'answer')
    const results = await store.commit(fences.map((one, n) => partOf(one, [absent(named(`t${n}`))])))
    for (const [n, result] of results.entries()) {
      if (result.type === 'failed') assert.equal(result.error.outcomeUnknown, true)
      else assert.deepEqual([result.type, await isThere(store, `t${n}`, fences[n]!.shard)], ['written', true])
    }
  })

  test('a part as large as they may be is written, and so is a large payload', async (t) => {
    const { store, fence } = await setup(t, server())
    const { items, bytes } = store.capabilities.partMax!
    const payload = JSON.stringify('x'.repeat(Math.floor(bytes / items))) as JsonText
    const many = Array.from({ length: items - 20 }, (_, n) => ({ ...named(`t${n}`), payload }))
    assert.deepEqual(await store.commit([partOf(fence, many.map(absent))]), WRITTEN)
    const large = (n: number) => JSON.stringify(String(n).repeat(900_000)) as JsonText
    const versions = [1, 2, 3].map((version) => ({ ...named('large'), version, payload: large(Math.min(version, 2)) }))
    for (const [n, version] of versions.entries()) {
      const put = n === 0 ? absent(version) : changed(version, versions[n - 1]!)
      assert.deepEqual(await store.commit([partOf(fence, [put])]), WRITTEN)
      assert.deepEqual(await getOne(store, version, SHARD), version)
    }
  })

  test('kill -9 of the server loses nothing that was acknowledged, and no part of a commit', async (t) => {
    const store = await openCassandraStore(await emptyKeyspace(server()))
    t.after(() => store.close())
    const shards = [0, 1, 2, 3] as ShardId[]
    const epochs = await Promise.all(shards.map((shard) => claimed(store, shard)))
    const written = shards.map(() => [] as string[])
    let signal = Promise.withResolvers<void>()
    const over = new AbortController()
    t.after(() => over.abort()) // also after a failure, else the writers would go on for ever
    const write = async (shard: ShardId): Promise<void> => {
      for (let n = 0; !over.signal.aborted; n++) {
        const id = `${shard}-${n}`
        const part = partOf({ shard, epoch: epochs[shard]!, owner: OWNER }, [absent(named(id))])
        // One that fails at once must leave time for the server to be started again.
        const [result] = await store.commit([part]).catch(() => setTimeout(20, []))
        if (result?.type === 'written') written[shard]!.push(id)
        if (written[shard]!.length % COMMITS_BEFORE_KILL === 0) signal.resolve()
      }
    }
    const writing = shards.map(write)
    for (let kills = 0; kills < KILLS; kills++) {
      await signal.promise
      signal = Promise.withResolvers<void>()
      await server().kill()
      await server().restart()
    }
    over.abort()
    await Promise.all(writing)
    const there = await Promise.all(
      shards.map((shard) => store.due({ shard, after: null, until: named('a').wakeAt, limit: 10_000 })),
    )
    const ids = new Set<string>(there.flat().map(({ id }) => id))
    assert.deepEqual(
      written.flat().filter((id) => !ids.has(id)),
      [],
    )
    assert.ok(written.every((some) => some.length > 0))
    assert.deepEqual(await countsOf(store), [`default pending ${ids.size}`])
  })
})
