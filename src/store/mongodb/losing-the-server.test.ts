// What becomes of commits when requests and answers get lost, a node dies between the log and the rows, two nodes write the same
// entry, and the server is killed: no acknowledged timer is lost, nothing is counted twice, and every error tells the truth.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import type { RunningServer } from '../../../scripts/servers/servers.ts'
import { Status } from '../../core/timer/timer.ts'
import type { Epoch, ShardId, Timer, TimerId } from '../../core/timer/timer.ts'
import { deletingPart, partOf } from '../commit-sheet.ts'
import { absent, changed, claimed, countsOf, getOne, OWNER } from '../conformance/owned-store.ts'
import { sampleTimer } from '../conformance/sample-timer.ts'
import { eventOf } from '../conformance/suite/events.ts'
import { StoreError } from '../store.ts'
import type { PartResult, Store } from '../store.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { Documents } from './documents.ts'
import { emptyDatabase, LossyWay } from './mongodb-server.fixture.ts'
import type { Loss } from './mongodb-server.fixture.ts'
import { openMongodbStore } from './mongodb-store.ts'

const SHARD = 0 as ShardId
const WRITTEN: PartResult[] = [{ type: 'written' }]
const EVERY_ATTEMPT: readonly Loss[] = Array.from({ length: 7 }, () => 'cut')
const COMMITS_BEFORE_KILL = 20
const named = (id: string, rest: Partial<Timer> = {}) => sampleTimer({ id: id as TimerId, ...rest })
const fenceOf = (epoch: Epoch, owner = OWNER) => ({ shard: SHARD, epoch, owner })
const told = (id: string) => ({ ...absent(named(id)), events: [eventOf(named(id), id)] })

/** One node behind a way that loses messages, and another beside it. */
async function setup(t: TestContext, server: RunningServer) {
  const direct = emptyDatabase(server)
  const { way, location } = await LossyWay.to(server, direct)
  const store = await openMongodbStore(location)
  const other = await openMongodbStore(direct)
  for (const one of [store, other]) t.after(() => one.close())
  const epoch = await claimed(store, SHARD)
  const put = (id: string) => store.commit([partOf(fenceOf(epoch), [told(id)])])
  const takeOver = () => other.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b' })
  return { way, store, other, epoch, put, takeOver }
}

const isThere = async (store: Store, id: string) => (await getOne(store, named(id), SHARD)) !== null
const eventsOf = async (store: Store) =>
  (await store.readEvents({ shard: SHARD, after: 0, limit: 99 })).map(({ body }) => JSON.parse(body).word as string)

async function failureOf(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  )
  assert(error instanceof StoreError, String(error))
  return error
}

onServer('ferretdb', (server) => {
  test('a commit whose answers were lost is told as written, and counts once', async (t) => {
    const { way, store, put } = await setup(t, server())
    way.lose('log', 'answer', 'answer')
    way.lose('rows', 'answer', 'cut', 'answer')
    assert.deepEqual(await put('a'), WRITTEN)
    assert.deepEqual(await put('b'), WRITTEN)
    assert.deepEqual(await countsOf(store), ['default pending 2'])
    assert.deepEqual(await eventsOf(store), ['a', 'b'])
  })

  test('a commit whose entry never got an answer is in doubt, and comes true before the next one', async (t) => {
    const { way, store, put } = await setup(t, server())
    way.lose('log', 'answer', ...EVERY_ATTEMPT.slice(1))
    const { outcomeUnknown, retryable } = await failureOf(put('a'))
    assert.deepEqual([outcomeUnknown, retryable], [true, true])
    assert.deepEqual(await put('b'), WRITTEN)
    assert.deepEqual([await isThere(store, 'a'), await isThere(store, 'b')], [true, true])
    assert.deepEqual(await eventsOf(store), ['a', 'b'])
  })

  test('an entry that was held up on its way is never written after a later one', async (t) => {
    const { way, store, other, epoch, put, takeOver } = await setup(t, server())
    way.lose('log', 'hold', ...EVERY_ATTEMPT.slice(1))
    assert.equal((await failureOf(put('a'))).outcomeUnknown, true)
    assert.deepEqual(await store.commit([partOf(fenceOf(epoch), [])]), WRITTEN)
    await way.deliverHeld()
    await takeOver()
    assert.equal(await isThere(other, 'a'), false)
    assert.deepEqual(await countsOf(other), [])
  })

  test('an entry that was held up is not written after another node has claimed the shard', async (t) => {
    const { way, other, put, takeOver } = await setup(t, server())
    way.lose('log', 'hold', ...EVERY_ATTEMPT.slice(1))
    await failureOf(put('a'))
    const epoch = (await takeOver())!
    await way.deliverHeld()
    assert.deepEqual(await other.commit([partOf(fenceOf(epoch, 'b'), [])]), WRITTEN)
    assert.equal(await isThere(other, 'a'), false)
    assert.deepEqual(await put('c'), [{ type: 'fenced' }])
  })

  test('what a node wrote into the log before it died, its next owner finishes before it reads', async (t) => {
    const { way, other, put, takeOver } = await setup(t, server())
    way.lose('rows', ...EVERY_ATTEMPT)
    assert.equal((await failureOf(put('a'))).outcomeUnknown, true)
    assert.equal(await isThere(other, 'a'), false)
    assert.notEqual(await takeOver(), null)
    assert.deepEqual(await other.due({ shard: SHARD, after: null, until: named('a').wakeAt, limit: 9 }), [named('a')])
    assert.deepEqual([await countsOf(other), await eventsOf(other)], [['default pending 1'], ['a']])
  })

  test('an entry whose conditions were not met is void for the next owner, too', async (t) => {
    const { way, other, epoch, store, put, takeOver } = await setup(t, server())
    await put('a')
    const outdated = changed({ ...named('a'), version: 9 }, { ...named('a'), version: 8 })
    assert.equal((await store.commit([partOf(fenceOf(epoch), [outdated, absent(named('b'))])]))[0]!.type, 'missed')
    way.lose('log', 'answer', ...EVERY_ATTEMPT.slice(1))
    await failureOf(store.commit([partOf(fenceOf(epoch), [outdated, absent(named('c'))])]))
    await takeOver()
    assert.deepEqual(await getOne(other, named('a'), SHARD), named('a'))
    assert.deepEqual([await isThere(other, 'b'), await isThere(other, 'c')], [false, false])
    assert.deepEqual(await countsOf(other), ['default pending 1'])
  })

  test('a node that is late with what its entry writes changes nothing that others have changed or deleted since', async (t) => {
    const { way, other, put, takeOver } = await setup(t, server())
    way.lose('rows', 'hold', ...EVERY_ATTEMPT.slice(1))
    await failureOf(put('a'))
    const fence = fenceOf((await takeOver())!, 'b')
    const done = named('a', { version: 2, status: Status.completed })
    assert.deepEqual(await other.commit([partOf(fence, [changed(done, named('a'))])]), WRITTEN)
    const rows = await other.expired({ shards: [SHARD], before: done.wakeAt + 1, limit: 9 })
    assert.deepEqual(await other.commit([deletingPart(fence, rows)]), WRITTEN)
    const events = await other.readEvents({ shard: SHARD, after: 0, limit: 9 })
    await other.removeEvents({ shard: SHARD, numbers: events.map(({ number }) => number) })
    await way.deliverHeld()
    assert.equal(await isThere(other, 'a'), false)
    assert.deepEqual([await countsOf(other), await eventsOf(other)], [[], []])
    assert.deepEqual(await other.commit([partOf(fence, [absent(named('a'))])]), WRITTEN)
    assert.equal(await isThere(other, 'a'), true)
  })

  test('a claim whose answer was lost is won, and the next commit has its fence', async (t) => {
    const { way, store, epoch } = await setup(t, server())
    way.lose('claim', 'answer')
    const next = await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b' })
    assert.equal(next, epoch + 1)
    assert.deepEqual(await store.commit([partOf(fenceOf(next, 'b'), [])]), WRITTEN)
  })

  test('a claim that was held up while the owner has beaten is refused', async (t) => {
    const { way, store, other, epoch } = await setup(t, server())
    const beat = { node: OWNER, address: null, leaving: false, now: 1 }
    await other.beat({ ...beat, beat: 1 })
    way.lose('claim', 'hold', ...EVERY_ATTEMPT.slice(1))
    await failureOf(store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b', ifBeat: 1 }))
    const { shards } = await other.beat({ ...beat, beat: 2 })
    await way.deliverHeld()
    assert.deepEqual(shards, [{ shard: SHARD, epoch, owner: OWNER }])
    assert.deepEqual(await other.shards(), shards)
  })

  test('a claim and a beat at the same moment: one of them sees the other', async (t) => {
    const { store, other, epoch } = await setup(t, server())
    let expected = epoch
    for (let round = 1; round <= 30; round++) {
      const beat = { node: OWNER, address: null, leaving: false, now: 1 }
      await store.beat({ ...beat, beat: 2 * round })
      const claim = { shard: SHARD, expected, from: OWNER, owner: 'b', ifBeat: 2 * round }
      const [{ shards }, won] = await Promise.all([store.beat({ ...beat, beat: 2 * round + 1 }), other.claim(claim)])
      if (won === null) continue
      assert.deepEqual(shards, [{ shard: SHARD, epoch: won, owner: 'b' }])
      expected = (await store.claim({ shard: SHARD, expected: won, from: 'b', owner: OWNER }))!
    }
  })

  test('a request that can not be written to its end is given up with its connection', async (t) => {
    const { way, location } = await LossyWay.to(server(), emptyDatabase(server()))
    const documents = await Documents.connect(location, systemClock)
    t.after(() => documents.client.close())
    let inUse = 0
    documents.client.on('connectionCheckedOut', () => inUse++)
    documents.client.on('connectionCheckedIn', () => inUse--)
    const write = (_id: string, word: string) => documents.update([{ q: { _id }, u: { $set: { word } }, upsert: true }])
    await write('a', 'short')
    way.stopReading()
    const { outcomeUnknown } = await failureOf(write('b', 'long'.repeat(4_000_000))) // more than sockets hold on their way
    assert.equal(outcomeUnknown, true)
    await write('c', 'short')
    assert.equal(inUse, 0)
  })

  test('kill -9 of the server under load loses nothing that was acknowledged', { timeout: 240_000 }, async (t) => {
    const store = await openMongodbStore(emptyDatabase(server()))
    t.after(() => store.close())
    const shards = [0, 1, 2, 3] as ShardId[]
    const epochs = await Promise.all(shards.map((shard) => claimed(store, shard)))
    const written: string[] = []
    let signal = Promise.withResolvers<void>()
    const over = new AbortController()
    t.after(() => over.abort()) // also after a failure, else the writers would go on for ever
    const write = async (shard: ShardId): Promise<void> => {
      for (let n = 0; !over.signal.aborted; n++) {
        const id = `${shard}-${n}`
        const part = partOf({ shard, epoch: epochs[shard]!, owner: OWNER }, [absent(named(id))])
        // One that fails at once must leave time for the server to be started again.
        const [result] = await store.commit([part]).catch(() => setTimeout(20, []))
        if (result?.type === 'written') written.push(id)
        if (written.length % COMMITS_BEFORE_KILL === 0) signal.resolve()
      }
    }
    const writing = shards.map(write)
    for (let kills = 0; kills < 3; kills++) {
      await signal.promise
      signal = Promise.withResolvers<void>()
      await server().kill()
      await server().restart()
    }
    over.abort()
    await Promise.all(writing)
    // What is in doubt comes true with the next commit, or never.
    await store.commit(shards.map((shard) => partOf({ shard, epoch: epochs[shard]!, owner: OWNER }, [])))
    const there = await Promise.all(
      shards.map((shard) => store.due({ shard, after: null, until: named('a').wakeAt, limit: 10_000 })),
    )
    const ids = new Set<string>(there.flat().map(({ id }) => id))
    assert.deepEqual(
      written.filter((id) => !ids.has(id)),
      [],
    )
    assert.deepEqual(await countsOf(store), [`default pending ${ids.size}`])
  })
})
