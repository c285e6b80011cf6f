// What a node does while its database is being killed, restarted, frozen or made read-only: no acknowledged timer is lost,
// every error tells the truth about what was written, and work goes on by itself.

import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { AddressInfo, Socket } from 'node:net'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Epoch, ShardId, TimerId } from '../../../core/timer/timer.ts'
import { absent, claimed, getOne, OWNER } from '../../conformance/owned-store.ts'
import { sampleTimer } from '../../conformance/sample-timer.ts'
import { StoreError } from '../../store.ts'
import type { PartResult, Store } from '../../store.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { PostgresServer } from '../postgres-server.fixture.ts'
import { openPostgresStore } from '../postgres-store.ts'
import type { PostgresOptions } from '../postgres-store.ts'
import { partOf } from '../../commit-sheet.ts'

const SHARD = 0 as ShardId
const WRITTEN: PartResult[] = [{ type: 'written' }]

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

type Put = (id: string) => Promise<readonly PartResult[]>
type Node = { readonly store: Store; readonly epoch: Epoch; readonly database: string; readonly put: Put }

async function setup(t: TestContext, options: Partial<PostgresOptions> = {}): Promise<Node> {
  const location = await server.createDatabase()
  const store = await openPostgresStore({ ...location, ...options })
  t.after(() => store.close())
  const epoch = await claimed(store, SHARD)
  return {
    store,
    epoch,
    database: location.database,
    put: (id) => store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [absent(timer(id))])]),
  }
}

const timer = (id: string): ReturnType<typeof sampleTimer> => sampleTimer({ id: id as TimerId })
const isThere = async (store: Store, id: string): Promise<boolean> => (await getOne(store, timer(id), SHARD)) !== null

async function failureOf(call: Promise<unknown>): Promise<StoreError> {
  const error = await call.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  )
  assert(error instanceof StoreError, String(error))
  return error
}

test('a commit whose connection is cut in the middle has an unknown outcome, and the next one works', async (t) => {
  const { store, database, put } = await setup(t)
  const admin = await server.client(database)
  await admin.query('BEGIN; LOCK TABLE timer_counter_log IN EXCLUSIVE MODE')
  const failing = failureOf(put('cut'))
  await server.waitForBlocked(database, 1)
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND wait_event_type = 'Lock'`,
  )
  const error = await failing
  assert.deepEqual([error.outcomeUnknown, error.retryable], [true, true])
  assert.match(
    error.message,
    /cannot write to PostgreSQL at 127\.0\.0\.1:\d+, database test_\d+: an administrator ended/,
  )
  await admin.query('COMMIT')
  await admin.end()
  assert.deepEqual(await put('next'), WRITTEN)
  assert.deepEqual([await isThere(store, 'cut'), await isThere(store, 'next')], [false, true])
})

test('of two commits on one connection, the second is not lost with the first that is undone', async (t) => {
  const { store, database, put } = await setup(t, { statementTimeoutMs: 500 })
  const admin = await server.client(database)
  await admin.query('BEGIN; LOCK TABLE timer_counter_log IN EXCLUSIVE MODE')
  const first = failureOf(put('first'))
  const second = put('second')
  await server.waitForBlocked(database, 1)
  const error = await first
  await admin.query('COMMIT')
  await admin.end()
  assert.match(error.message, /longer than PG_STATEMENT_TIMEOUT/)
  assert.deepEqual(await second, WRITTEN)
  assert.deepEqual([await isThere(store, 'first'), await isThere(store, 'second')], [false, true])
})

test('when the connection of several commits is cut, each of them says so, and the next one has a new connection', async (t) => {
  const { store, database, put } = await setup(t)
  const admin = await server.client(database)
  await admin.query('BEGIN; LOCK TABLE timer_counter_log IN EXCLUSIVE MODE')
  const failing = ['a', 'b', 'c'].map((id) => failureOf(put(id)))
  await server.waitForBlocked(database, 1)
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND wait_event_type = 'Lock'`,
  )
  const errors = await Promise.all(failing)
  assert.deepEqual(
    errors.map(({ outcomeUnknown, retryable }) => [outcomeUnknown, retryable]),
    [
      [true, true],
      [true, true],
      [true, true],
    ],
  )
  await admin.query('COMMIT')
  await admin.end()
  assert.deepEqual(await put('next'), WRITTEN)
  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'next'].map((id) => isThere(store, id))), [
    false,
    false,
    false,
    true,
  ])
})

test('a commit that was sent and not begun when the connection was lost is never done, once its fate was asked', async (t) => {
  const proxy = await Proxy.to(server)
  t.after(() => proxy.close())
  const { store, database, put } = await setup(t, { port: proxy.port, statementTimeoutMs: 60_000 })
  const other = 1 as ShardId
  const epoch = await claimed(store, other)
  const admin = await server.client(database)
  await admin.query('BEGIN; LOCK TABLE timer_counter_log IN EXCLUSIVE MODE')
  const slow = failureOf(put('slow'))
  await server.waitForBlocked(database, 1)
  const behind = failureOf(store.commit([partOf({ shard: other, epoch, owner: OWNER }, [absent(timer('behind'))])]))
  await proxy.sent()
  proxy.thaw() // the server does not know: it is busy with the first one
  assert.deepEqual([(await slow).outcomeUnknown, (await behind).outcomeUnknown], [true, true])
  await store.commit([partOf({ shard: other, epoch, owner: OWNER }, [])])
  assert.equal(await getOne(store, timer('behind'), other), null)
  await admin.query('COMMIT')
  await admin.end()
  const sessions = `SELECT 1 FROM pg_stat_activity WHERE datname = '${database}' AND query LIKE '%timers_commit%' AND state <> 'idle'`
  await eventually('the server has ended what was sent', async () => (await server.sql(sessions)).length === 0)
  assert.equal(await getOne(store, timer('behind'), other), null)
  assert.equal(await isThere(store, 'slow'), false)
})

test('a commit that waits behind a slow one on the same connection has its own time', async (t) => {
  const { store, database, put } = await setup(t, { statementTimeoutMs: 1_500 }) // an answer is given up after 3.5 s
  const admin = await server.client(database)
  await admin.query('BEGIN; LOCK TABLE timer_counter_log IN EXCLUSIVE MODE')
  const refused = ['a', 'b', 'c'].map((id) => failureOf(put(id)))
  const last = put('last')
  const errors = await Promise.all(refused) // after 4.5 s
  await admin.query('COMMIT')
  await admin.end()
  for (const error of errors) assert.match(error.message, /longer than PG_STATEMENT_TIMEOUT/)
  assert.deepEqual(await last, WRITTEN)
  assert.equal(await isThere(store, 'last'), true)
})

test('while backends are killed all the time, what was acknowledged is there and what was refused is not', async (t) => {
  const { store, database, put } = await setup(t)
  const admin = await server.client(database)
  t.after(() => admin.end())
  const outcomes = { acknowledged: [] as string[], unknown: [] as string[], refused: [] as string[] }
  const stopping = new AbortController()
  const killing = (async () => {
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND application_name = 'duetime'`
    // The pause differs each time, so that commits are hit in every stage.
    for (let round = 0; !stopping.signal.aborted; round++)
      await admin.query(`${kill}; SELECT pg_sleep(${(round % 13) / 1_000})`)
  })()
  for (let count = 0; outcomes.unknown.length + outcomes.refused.length < 25 && count < 5_000; count++) {
    const id = `t${count}`
    try {
      assert.deepEqual(await put(id), WRITTEN)
      outcomes.acknowledged.push(id)
    } catch (error) {
      assert(error instanceof StoreError)
      assert.equal(error.retryable, true)
      outcomes[error.outcomeUnknown ? 'unknown' : 'refused'].push(id)
    }
  }
  stopping.abort()
  await killing
  assert.deepEqual(await put('recovered'), WRITTEN)
  for (const id of outcomes.acknowledged) assert(await isThere(store, id), `${id} was acknowledged and is lost`)
  for (const id of outcomes.refused) assert(!(await isThere(store, id)), `${id} was refused and is there`)
  assert(outcomes.unknown.length > 0)
})

test('while the server is down every call says so and has done nothing; after its restart all is as it was', async (t) => {
  const { store, put } = await setup(t)
  await put('before')
  await server.pause()
  try {
    const claim = { shard: SHARD, expected: 1 as Epoch, from: OWNER, owner: 'b' }
    const calls: (() => Promise<unknown>)[] = [
      () => put('down'),
      () => store.ping(),
      () => store.claim(claim),
      () => store.stats(),
    ]
    for (const call of calls) {
      const error = await failureOf(call())
      assert.match(error.message, /cannot connect to PostgreSQL .*(nothing listens there|starting or stopping)/)
      assert.deepEqual([error.outcomeUnknown, error.retryable], [false, true])
    }
  } finally {
    await server.resume()
  }
  await store.ping()
  assert.deepEqual(await put('after'), WRITTEN)
  assert.deepEqual(
    [await isThere(store, 'before'), await isThere(store, 'down'), await isThere(store, 'after')],
    [true, false, true],
  )
  assert.deepEqual(await store.shards(), [{ shard: SHARD, epoch: 1, owner: 'a' }])
})

test('a database that is read-only can be read, is not ready, and is written to again as soon as it can be', async (t) => {
  const { store, database, put } = await setup(t)
  await put('before')
  await server.sql(`ALTER DATABASE ${database} SET default_transaction_read_only = on`)
  await server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`)
  const writes: (() => Promise<unknown>)[] = [() => store.ping(), () => put('refused'), () => store.forgetCounters(1)]
  for (const write of writes) {
    // The first call may still meet a connection that is just being cut.
    let error = await failureOf(write())
    if (error.outcomeUnknown) error = await failureOf(write())
    assert.match(error.message, /it is read-only .*connect to the primary/)
    assert.deepEqual([error.outcomeUnknown, error.retryable], [false, true])
  }
  assert.equal(await isThere(store, 'before'), true)
  await server.sql(`ALTER DATABASE ${database} RESET default_transaction_read_only`)
  await store.ping()
  assert.deepEqual(await put('after'), WRITTEN)
  assert.equal(await isThere(store, 'refused'), false)
})

test('a statement that takes too long is undone, and says which setting it met', async (t) => {
  const { store, database, put } = await setup(t, { statementTimeoutMs: 200 })
  const admin = await server.client(database)
  await admin.query('BEGIN; LOCK TABLE timer_counter_log IN EXCLUSIVE MODE')
  const error = await failureOf(put('slow'))
  assert.match(error.message, /longer than PG_STATEMENT_TIMEOUT/)
  assert.deepEqual([error.outcomeUnknown, error.retryable], [false, true])
  await admin.query('COMMIT')
  await admin.end()
  assert.equal(await isThere(store, 'slow'), false)
  assert.deepEqual(await put('next'), WRITTEN)
})

test('slow work does not hold up reads and beats', async (t) => {
  const { store, database, put } = await setup(t, { poolSize: 5, statementTimeoutMs: 60_000 })
  await put('a')
  const admin = await server.client(database)
  await admin.query('BEGIN; LOCK TABLE timer_counter_log IN ACCESS EXCLUSIVE MODE')
  const slow = [store.stats(), store.stats(), store.stats()]
  await server.waitForBlocked(database, 1)
  assert.equal(await isThere(store, 'a'), true)
  assert.equal((await store.due({ shard: SHARD, after: null, until: sampleTimer().wakeAt, limit: 1 })).length, 1)
  assert.equal((await store.beat({ node: 'a', address: null, leaving: false, beat: 1, now: 0 })).nodes.length, 1)
  await admin.query('ROLLBACK')
  await admin.end()
  assert.equal((await Promise.all(slow)).length, 3)
})

test('a server that no longer answers is given up after a while, with an unknown outcome', async (t) => {
  const proxy = await Proxy.to(server)
  t.after(() => proxy.close())
  const { store, put } = await setup(t, { port: proxy.port, statementTimeoutMs: 500 })
  await put('before')
  proxy.freeze()
  const error = await failureOf(put('lost'))
  assert.deepEqual([error.outcomeUnknown, error.retryable], [true, true])
  proxy.thaw()
  assert.deepEqual(await put('after'), WRITTEN)
  assert.equal(await isThere(store, 'before'), true)
})

/** A network that can stop carrying anything without saying so. */
class Proxy {
  readonly port: number
  readonly #listener: ReturnType<typeof createServer>
  readonly #target: { readonly host: string; readonly port: number }
  readonly #sockets = new Set<Socket>()

  private constructor(listener: ReturnType<typeof createServer>, target: { host: string; port: number }) {
    this.#listener = listener
    this.#target = target
    this.port = (listener.address() as AddressInfo).port
    listener.on('connection', (client: Socket) => this.#carry(client))
  }

  static async to({ host, port }: PostgresServer): Promise<Proxy> {
    const listener = createServer()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    return new Proxy(listener, { host, port })
  }

  #carry(client: Socket): void {
    const upstream = connect(this.#target)
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    }
    client.pipe(upstream).pipe(client)
  }

  /** Resolves when everything that was written here has been handed on to the server. */
  async sent(): Promise<void> {
    await turn()
    await turn()
    while (Array.from(this.#sockets).some((socket) => socket.writableLength > 0 || socket.readableLength > 0))
      await turn()
  }

  freeze(): void {
    for (const socket of this.#sockets) socket.unpipe().pause()
  }

  /** Only new connections get through: what was frozen is gone. */
  thaw(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.thaw()
    await new Promise((resolve) => this.#listener.close(resolve))
  }
}
