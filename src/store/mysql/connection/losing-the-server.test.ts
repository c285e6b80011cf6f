// What a node does when its connections are cut, answers get lost and the server is killed: no acknowledged timer is lost,
// nothing is counted twice, and every error tells the truth about what was written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { SeverableLink } from '../../../../test/support/cluster/severable-link.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import type { RunningServer } from '../../../../scripts/servers/servers.ts'
import type { Epoch, ShardId, TimerId } from '../../../core/timer/timer.ts'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import { partOf } from '../../commit-sheet.ts'
import { absent, claimed, countsOf, getOne, OWNER } from '../../conformance/owned-store.ts'
import { sampleTimer } from '../../conformance/sample-timer.ts'
import { StoreError } from '../../store.ts'
import type { PartResult, Store } from '../../store.ts'
import { emptyDatabase, onEveryMysql } from '../mysql-server.fixture.ts'
import { openMysqlStore } from '../mysql-store.ts'
import { BEGIN, Connections } from './connections.ts'
import { connect } from './driver.ts'

const SHARD = 0 as ShardId
const WRITTEN: PartResult[] = [{ type: 'written' }]
const COMMITS_BEFORE_KILL = 20
const named = (id: string) => sampleTimer({ id: id as TimerId })

async function setup(t: TestContext, server: RunningServer) {
  const location = emptyDatabase(server)
  const link = await SeverableLink.to(location.port)
  t.after(() => link.stop())
  const store = await openMysqlStore({ ...location, port: link.port, statementTimeoutMs: 1_000 })
  t.after(() => store.close())
  const epoch = await claimed(store, SHARD)
  return { location, link, store, epoch, put: (id: string) => put(store, epoch, id) }
}

function put(store: Store, epoch: Epoch, id: string): Promise<readonly PartResult[]> {
  return store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [absent(named(id))])])
}

const isThere = async (store: Store, id: string) => (await getOne(store, named(id), SHARD)) !== null

async function failureOf(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  )
  assert(error instanceof StoreError, String(error))
  return error
}

/** Holds the row of the shard, so that commits lie at the server. */
async function holdShard(t: TestContext, location: ServerLocation) {
  const connection = await connect(location, 5_000)
  t.after(() => connection.end())
  await connection.query('START TRANSACTION; SELECT shard_id FROM timers WHERE row_type = 1 FOR UPDATE')
  return { release: () => connection.query('ROLLBACK'), connection }
}

onEveryMysql((_name, server) => {
  test('a commit that finds no server changed nothing, and says so', async (t) => {
    const { link, put: write, store } = await setup(t, server())
    link.cut()
    await failureOf(store.ping())
    assert.equal((await failureOf(write('a'))).outcomeUnknown, false)
    await link.restore()
    assert.deepEqual(await write('a'), WRITTEN)
  })

  test('a commit whose connection is cut is in doubt, and never done after a later one', async (t) => {
    const { location, link, store, put: write } = await setup(t, server())
    assert.deepEqual(await write('before'), WRITTEN)
    const { release, connection } = await holdShard(t, location)
    const lost = failureOf(write('a'))
    const waiting = `SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%FOR UPDATE%' AND id <> CONNECTION_ID()`
    await eventually('the commit waits at the server', async () => {
      const [rows] = await connection.query({ sql: waiting, rowsAsArray: true })
      return Number((rows as unknown as number[][])[0]![0]) > 0
    })
    link.cut()
    const { outcomeUnknown, retryable } = await lost
    assert.deepEqual([outcomeUnknown, retryable], [true, true])
    await link.restore()
    // It waits until the session before it is gone; then what that one was to do is decided.
    const next = write('b')
    await release()
    assert.deepEqual(await next, WRITTEN)
    const wasDone = await isThere(store, 'a')
    assert.deepEqual(await write('c'), WRITTEN)
    assert.equal(await isThere(store, 'a'), wasDone)
    assert.deepEqual(await countsOf(store), [`default pending ${wasDone ? 4 : 3}`])
  })

  test('a node that falls silent in the midst of a transaction does not keep others from its shards', async (t) => {
    const { location, store, epoch } = await setup(t, server())
    const silent = await connect(location, 5_000)
    await silent.query([...BEGIN, 'SELECT shard_id FROM timers WHERE row_type = 1 FOR UPDATE'].join('; '))
    const claim = { shard: SHARD, expected: epoch, from: OWNER, owner: 'another' }
    assert.ok((await failureOf(store.claim(claim))).retryable, 'the lock is held')
    await eventually('the server gives it up', async () => (await store.claim(claim).catch(() => null)) !== null)
  })

  test('a session is given up for its silence in a transaction alone, whether that ends well or not', async (t) => {
    const { location } = await setup(t, server())
    const lane = new Connections({ location, max: 1, statementTimeoutMs: 1_000, idleMs: 0 })
    t.after(() => lane.end())
    const patience = async () =>
      (await lane.read({ text: 'SELECT @@wait_timeout, @@GLOBAL.wait_timeout', values: [] }))[0]!
    const [[inTransaction]] = (await lane.transaction(['SELECT @@wait_timeout']))[0]!.rows as [[number]]
    const [idle, usual] = await patience()
    assert.deepEqual([inTransaction < 60, idle], [true, usual])
    await failureOf(lane.transaction(['SELECT nothing FROM nowhere']))
    await lane.snapshot((run) => run({ text: 'SELECT 1', values: [] }))
    assert.deepEqual(await patience(), [usual, usual])
  })

  test('reads go on after their connections were cut, and time out on one that is silent', async (t) => {
    const { link, store, put: write } = await setup(t, server())
    assert.deepEqual(await write('a'), WRITTEN)
    assert.equal(await isThere(store, 'a'), true)
    link.cut()
    await link.restore()
    assert.equal(await isThere(store, 'a'), true)
    link.silence()
    const { retryable, outcomeUnknown } = await failureOf(isThere(store, 'a'))
    assert.deepEqual([retryable, outcomeUnknown], [true, false])
    await link.restore()
    assert.equal(await isThere(store, 'a'), true)
  })

  test('kill -9 of the server under load loses nothing that was acknowledged, and no part of a commit', async (t) => {
    const store = await openMysqlStore(emptyDatabase(server()))
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
        const [result] = await store.commit([part]).catch(() => [])
        if (result?.type === 'written') written.push(id)
        if (result?.type === 'written' && written.length % COMMITS_BEFORE_KILL === 0) signal.resolve()
      }
    }
    const writing = shards.map(write)
    for (let kills = 0; kills < 3; kills++) {
      await signal.promise
      await server().kill()
      await server().restart()
      signal = Promise.withResolvers<void>()
    }
    await signal.promise
    over.abort()
    await Promise.all(writing)
    const there = await Promise.all(
      shards.map((shard) => store.due({ shard, after: null, until: named('a').wakeAt, limit: 100_000 })),
    )
    const ids = new Set<string>(there.flat().map(({ id }) => id))
    assert.deepEqual(
      written.filter((id) => !ids.has(id)),
      [],
    )
    assert.deepEqual(await countsOf(store), [`default pending ${ids.size}`])
  })
})
