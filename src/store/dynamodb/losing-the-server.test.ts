// What a node does when requests and answers get lost and the server is killed: no acknowledged timer is lost, nothing is
// counted twice, and every error tells the truth about what was written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { setImmediate as turn, setTimeout } from 'node:timers/promises'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import type { RunningServer } from '../../../scripts/servers/servers.ts'
import type { JsonText, ShardId, TimerId } from '../../core/timer/timer.ts'
import { partOf } from '../commit-sheet.ts'
import { absent, changed, claimed, countsOf, getOne, OWNER } from '../conformance/owned-store.ts'
import { sampleTimer } from '../conformance/sample-timer.ts'
import { StoreError } from '../store.ts'
import type { PartResult, Store } from '../store.ts'
import { emptyTable, LossyWay } from './dynamodb-server.fixture.ts'
import type { Loss } from './dynamodb-server.fixture.ts'
import { openDynamodbStore } from './dynamodb-store.ts'

const SHARD = 0 as ShardId
const WRITTEN: PartResult[] = [{ type: 'written' }]
const EVERY_ATTEMPT: readonly Loss[] = Array.from({ length: 6 }, () => 'cut')
const COMMITS_BEFORE_KILL = 20
const named = (id: string) => sampleTimer({ id: id as TimerId })

async function setup(t: TestContext, server: RunningServer) {
  const { way, location } = await LossyWay.to(t, emptyTable(server))
  const store = await openDynamodbStore(location)
  t.after(() => store.close())
  const epoch = await claimed(store, SHARD)
  const put = (id: string) => store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [absent(named(id))])])
  return { way, store, epoch, put }
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

onServer('dynamodb', (server) => {
  test('a commit whose answer was lost is sent again, is told as written, and counts once', async (t) => {
    const { way, store, put } = await setup(t, server())
    way.lose('TransactWriteItems', 'answer', 'answer')
    assert.deepEqual(await put('a'), WRITTEN)
    assert.deepEqual(await put('b'), WRITTEN)
    assert.deepEqual(await countsOf(store), ['default pending 2'])
  })

  test('a commit that never got an answer is in doubt, and the next one works', async (t) => {
    const { way, store, put } = await setup(t, server())
    way.lose('TransactWriteItems', 'answer', ...EVERY_ATTEMPT)
    const { outcomeUnknown, retryable } = await failureOf(put('a'))
    assert.deepEqual([outcomeUnknown, retryable], [true, true])
    assert.deepEqual(await put('b'), WRITTEN)
    assert.deepEqual([await isThere(store, 'a'), await isThere(store, 'b')], [true, true])
  })

  test('what is throttled is tried again; if that does not help, nothing was written, and the error says so', async (t) => {
    const { way, store, put } = await setup(t, server())
    way.lose('TransactWriteItems', 'throttle', 'throttle', 'throttle')
    assert.deepEqual(await put('a'), WRITTEN)
    way.lose('TransactWriteItems', ...EVERY_ATTEMPT.map(() => 'throttle' as const), 'throttle')
    const { message, retryable, outcomeUnknown } = await failureOf(put('b'))
    assert.match(message, /ProvisionedThroughputExceededException/)
    assert.deepEqual([retryable, outcomeUnknown, await isThere(store, 'b')], [true, false, false])
    assert.deepEqual(await put('c'), WRITTEN)
  })

  test('a commit that was held up on its way is never done after a later one', async (t) => {
    const { way, store, epoch, put } = await setup(t, server())
    way.lose('TransactWriteItems', 'hold', ...EVERY_ATTEMPT)
    assert.equal((await failureOf(put('a'))).outcomeUnknown, true)
    assert.deepEqual(await store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [])]), WRITTEN)
    assert.deepEqual(await way.deliverHeld(), [400])
    assert.equal(await isThere(store, 'a'), false)
    assert.deepEqual(await countsOf(store), [])
  })

  test('a claim whose answer was lost is won, and the next commit has its fence', async (t) => {
    const { way, store, epoch } = await setup(t, server())
    way.lose('TransactWriteItems', 'answer')
    const next = await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b' })
    assert.equal(next, epoch + 1)
    assert.deepEqual(await store.commit([partOf({ shard: SHARD, epoch: next, owner: 'b' }, [])]), WRITTEN)
  })

  test('a part that fails does not take the other parts of its commit with it', async (t) => {
    const { way, store, epoch } = await setup(t, server())
    const other = 1 as ShardId
    const fences = [
      { shard: SHARD, epoch, owner: OWNER },
      { shard: other, epoch: await claimed(store, other), owner: OWNER },
    ]
    // Both shards know their fences from now on, so that the next call of each is its transaction.
    await store.commit(fences.map((fence) => partOf(fence, [])))
    way.lose('TransactWriteItems', ...EVERY_ATTEMPT, 'cut')
    const results = await store.commit(fences.map((fence, n) => partOf(fence, [absent(named(`t${n}`))])))
    for (const [n, result] of results.entries()) {
      if (result.type === 'failed') assert.equal(result.error.outcomeUnknown, true)
      else assert.deepEqual([result.type, await isThere(store, `t${n}`, fences[n]!.shard)], ['written', true])
    }
  })

  test('a payload that needs several items is replaced, kept and deleted as a whole', async (t) => {
    const { store, epoch } = await setup(t, server())
    const fence = { shard: SHARD, epoch, owner: OWNER }
    const large = (n: number) => JSON.stringify(String(n).repeat(900_000)) as JsonText
    const first = { ...named('a'), payload: large(1) }
    const versions = [
      first,
      { ...first, version: 2 },
      { ...first, version: 3, payload: large(2) },
      { ...named('a'), version: 4 },
    ]
    for (const [n, version] of versions.entries()) {
      const put = n === 0 ? absent(version) : changed(version, versions[n - 1]!)
      assert.deepEqual(await store.commit([partOf(fence, [put])]), WRITTEN)
      assert.deepEqual(await getOne(store, version, SHARD), version)
      assert.deepEqual(await store.due({ shard: SHARD, after: null, until: version.wakeAt, limit: 9 }), [version])
    }
  })

  // DynamoDB Local answers a transaction a moment before it has written it: with bare transactions, too, kill -9 loses the last
  // one that was acknowledged in a partition now and then. Puts it never loses. So that one is excused here, and no other.
  test('kill -9 of the server loses nothing but what it had not written, and no part of a commit', async (t) => {
    const store = await openDynamodbStore(emptyTable(server()))
    t.after(() => store.close())
    const shards = [0, 1, 2, 3] as ShardId[]
    const epochs = await Promise.all(shards.map((shard) => claimed(store, shard)))
    const written = shards.map(() => [] as string[])
    const excused = new Set<string>()
    const enough = Promise.withResolvers<void>()
    let signal = enough
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
    for (let kills = 0; kills < 3; kills++) {
      await signal.promise
      signal = Promise.withResolvers<void>()
      await server().kill()
      await turn()
      for (const ids of written) excused.add(ids.at(-1)!)
      await server().restart()
    }
    over.abort()
    await Promise.all(writing)
    const there = await Promise.all(
      shards.map((shard) => store.due({ shard, after: null, until: named('a').wakeAt, limit: 10_000 })),
    )
    const ids = new Set<string>(there.flat().map(({ id }) => id))
    const lost = written.flat().filter((id) => !ids.has(id) && !excused.has(id))
    assert.deepEqual(lost, [])
    assert.deepEqual(await countsOf(store), [`default pending ${ids.size}`])
  })
})
