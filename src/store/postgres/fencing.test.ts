// A commit and a claim at the same moment, on real connections: the commit is before the claim, or it is refused.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import type pg from 'pg'
import { NEVER } from '../../core/timer/timer.ts'
import type { Epoch, Namespace, ShardId, Timer, TimerId } from '../../core/timer/timer.ts'
import { absent, changed, claimed, countsOf, OWNER } from '../conformance/owned-store.ts'
import { sampleTimer } from '../conformance/sample-timer.ts'
import type { CommitPart, Put, ShardClaim, Store } from '../store.ts'
import { PostgresServer } from './postgres-server.fixture.ts'
import { openPostgresStore } from './postgres-store.ts'
import { deletingPart, partOf } from '../commit-sheet.ts'
import { COUNTS } from '../counters.ts'

const SHARD = 0 as ShardId
const EVERYTHING = { shard: SHARD, after: null, until: NEVER, limit: 100_000 }

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

type Cluster = {
  readonly a: Store
  readonly b: Store
  readonly admin: pg.Client
  readonly database: string
  readonly epoch: Epoch
}

/** Two nodes on one database, of which `a` owns the shard, and somebody with psql. */
async function setup(t: TestContext): Promise<Cluster> {
  const location = await server.createDatabase()
  const [a, b, admin] = await Promise.all([
    openPostgresStore(location),
    openPostgresStore(location),
    server.client(location.database),
  ])
  t.after(() => Promise.all([a.close(), b.close(), admin.end()]))
  return { a, b, admin, database: location.database, epoch: await claimed(a, SHARD) }
}

test('a claim that is under way when a commit comes is waited for, and the commit is refused', async (t) => {
  const { a, admin, database, epoch } = await setup(t)
  await admin.query('BEGIN')
  await admin.query(
    `UPDATE timers SET shard_epoch = shard_epoch + 1, shard_owner = 'b' WHERE shard_id = 0 AND row_type = 1`,
  )
  const committing = a.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [absent(sampleTimer())])])
  await server.waitForBlocked(database, 1)
  await admin.query('COMMIT')
  assert.deepEqual(await committing, [{ type: 'fenced' }])
  assert.deepEqual(await a.due(EVERYTHING), [])
  assert.deepEqual(await countsOf(a), [])
})

test('a claim that is given up lets the commit that waited for it through', async (t) => {
  const { a, admin, database, epoch } = await setup(t)
  await admin.query('BEGIN')
  await admin.query('UPDATE timers SET shard_epoch = shard_epoch + 1 WHERE shard_id = 0 AND row_type = 1')
  const committing = a.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [absent(sampleTimer())])])
  await server.waitForBlocked(database, 1)
  await admin.query('ROLLBACK')
  assert.deepEqual(await committing, [{ type: 'written' }])
})

test('a claim in the middle of a commit waits for it, and its owner then sees all of the commit', async (t) => {
  const { a, b, admin, database, epoch } = await setup(t)
  const timers = Array.from({ length: 20 }, (_, i) => sampleTimer({ id: `t${i}` as TimerId }))
  // Counters come last in a commit: by then the shard is fenced and the timers are written.
  await admin.query('BEGIN; LOCK TABLE timer_counter_log IN EXCLUSIVE MODE')
  const committing = a.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, timers.map(absent))])
  await server.waitForBlocked(database, 1)
  const claiming = b.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b' })
  await server.waitForBlocked(database, 2)
  await admin.query('COMMIT')
  assert.equal(await claiming, epoch + 1)
  assert.equal((await b.due(EVERYTHING)).length, timers.length)
  assert.deepEqual(await committing, [{ type: 'written' }])
  assert.deepEqual(await a.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [absent(sampleTimer())])]), [
    { type: 'fenced' },
  ])
})

test('while nodes take a shard from each other, nothing is written behind the back of the one that has it', async (t) => {
  const { a, b, epoch: first } = await setup(t)
  const nodes = [a, b]
  const takeovers = 40
  const acknowledged = new Set<TimerId>()
  /** What the owner of an epoch found when it had claimed. */
  const foundBy = new Map<Epoch, ReadonlySet<TimerId>>()
  let current = first

  async function live(node: Store, name: string): Promise<void> {
    while (current < takeovers) {
      const { epoch: expected, owner: from } = (await node.shards())[0]!
      const epoch = await node.claim({ shard: SHARD, expected, from, owner: name })
      if (epoch === null) continue
      current = epoch
      foundBy.set(epoch, new Set((await node.due(EVERYTHING)).map(({ id }) => id)))
      await commitUntilFenced(node, { epoch, owner: name }, acknowledged)
    }
  }
  // Two owners on each node: claims and commits have connections of their own, so all of them meet.
  await Promise.all(nodes.flatMap((node, index) => [live(node, `n${index}`), live(node, `m${index}`)]))

  const stored = new Set((await a.due(EVERYTHING)).map(({ id }) => id))
  for (const id of acknowledged) assert(stored.has(id), `${id} was acknowledged and is not there`)
  for (const [epoch, found] of foundBy) {
    const older = [...stored].filter((id) => Number(id.split('-')[0]) < epoch)
    for (const id of older) assert(found.has(id), `${id} was written after epoch ${epoch} had been claimed`)
  }
  assert(acknowledged.size > 0)
})

async function commitUntilFenced(
  node: Store,
  fence: { epoch: Epoch; owner: string },
  acknowledged: Set<TimerId>,
): Promise<void> {
  for (let count = 0; count < 20; count++) {
    const id = `${fence.epoch}-${count}` as TimerId
    const [result] = await node.commit([partOf({ shard: SHARD, ...fence }, [absent(sampleTimer({ id }))])])
    if (result!.type === 'fenced') return
    acknowledged.add(id)
  }
}

const BEAT = { node: OWNER, address: null, leaving: false, now: 1 }

test('a beat that comes while the shards of its node are being claimed waits, and is answered with the new owner', async (t) => {
  const { a, b, admin, database, epoch } = await setup(t)
  await a.beat({ ...BEAT, beat: 1 })
  await admin.query('BEGIN')
  await admin.query(`SELECT FROM timers WHERE shard_id = 0 AND row_type = 1 FOR UPDATE`)
  const claiming = b.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b', ifBeat: 1 })
  await server.waitForBlocked(database, 1)
  const beating = a.beat({ ...BEAT, beat: 2 })
  await server.waitForBlocked(database, 2)
  await admin.query('COMMIT')
  assert.equal(await claiming, epoch + 1)
  assert.deepEqual((await beating).shards, [{ shard: SHARD, epoch: epoch + 1, owner: 'b' }])
})

test('a claim that comes while the silent node beats waits, and is refused', async (t) => {
  const { a, b, admin, database, epoch } = await setup(t)
  await a.beat({ ...BEAT, beat: 1 })
  await admin.query('BEGIN')
  await admin.query(`SELECT FROM timers_beat_1('${OWNER}', NULL, 0, '', 2, 0, 3600000)`)
  const claiming = b.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b', ifBeat: 1 })
  await server.waitForBlocked(database, 1)
  await admin.query('COMMIT')
  assert.equal(await claiming, null)
  assert.deepEqual((await a.beat({ ...BEAT, beat: 3 })).shards, [{ shard: SHARD, epoch, owner: OWNER }])
})

test('a part that is fenced or has a row in its way adds nothing to counters, while the others do', async (t) => {
  const { a, epoch } = await setup(t)
  const [other, third] = [1, 2] as [ShardId, ShardId]
  for (const shard of [other, third]) await claimed(a, shard)
  const part = (shard: ShardId, of: Epoch, id: string, amount: number): CommitPart => {
    const made = partOf({ shard, epoch: of, owner: OWNER }, [absent(sampleTimer({ id: id as TimerId }))])
    const counters = made.counters.filter(({ slotAt }) => slotAt === COUNTS)
    return {
      ...made,
      counters: [...counters, { namespace: 'default' as Namespace, name: 'n', slotAt: 600_000, amount }],
    }
  }
  await a.commit([part(SHARD, epoch, 'a', 1)])
  await a.commit([part(SHARD, epoch, 'a', 2), part(other, (epoch + 1) as Epoch, 'b', 4), part(third, epoch, 'c', 8)])
  assert.deepEqual((await a.tallies({ since: 1 })).sums, [{ name: 'n', amount: 9 }])
  assert.deepEqual(await countsOf(a), ['default pending 2'])
})

test('of many claims of one epoch from several connections one wins, also the first of all', async (t) => {
  const location = await server.createDatabase()
  const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore(location)))
  t.after(() => Promise.all(stores.map((store) => store.close())))
  let from: string | null = null
  for (let expected = 0 as Epoch; expected < 8; expected++) {
    const claim: Omit<ShardClaim, 'owner'> = { shard: SHARD, expected, from }
    const won: readonly (Epoch | null)[] = await Promise.all(
      stores.map((store, index) => store.claim({ ...claim, owner: `n${index}` })),
    )
    assert.deepEqual(
      won.filter((epoch) => epoch !== null),
      [expected + 1],
    )
    from = `n${won.findIndex((epoch) => epoch !== null)}`
    assert.deepEqual(await stores[0]!.shards(), [{ shard: SHARD, epoch: expected + 1, owner: from }])
  }
})

test('commits on the same timers from two connections, in opposite order, do not lock each other out', async (t) => {
  const { a, b, epoch } = await setup(t)
  const others = [1, 2, 3] as ShardId[]
  for (const shard of others) await claimed(a, shard)
  const timers = others.map((shard) => ({ shard, timer: sampleTimer({ id: `t${shard}` as TimerId }) }))
  const partsAt = (version: number): CommitPart[] => {
    return timers.map(({ shard, timer }) => partOf({ shard, epoch, owner: OWNER }, [putAt(timer, version)]))
  }
  for (let version = 1; version <= 30; version++) {
    const results = await Promise.all([a.commit(partsAt(version)), b.commit(partsAt(version).toReversed())])
    const written = results.flat().filter(({ type }) => type === 'written').length
    assert.equal(written, timers.length, `version ${version} of each timer is written once`)
  }
  assert.deepEqual(await countsOf(a), ['default pending 3'])
})

function putAt(timer: Timer, version: number): Put {
  return version === 1 ? absent(timer) : changed({ ...timer, version }, { ...timer, version: version - 1 })
}

test('pruning and commits on the same finished timers go on side by side, and the counters stay right', async (t) => {
  const { a, b, epoch } = await setup(t)
  const finished = (id: number, version: number): Timer =>
    sampleTimer({ id: `t${id}` as TimerId, version, status: 'completed', wakeAt: 1 })
  for (let round = 0; round < 15; round++) {
    const fresh = Array.from({ length: 30 }, (_, id) => absent(finished(id, 1)))
    await a.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, fresh)])
    const again = Array.from({ length: 30 }, (_, id) => changed(finished(id, 2), finished(id, 1)))
    const prune = async (): Promise<unknown> => {
      const rows = await b.expired({ shards: [SHARD], before: 2, limit: 20 })
      return b.commit([deletingPart({ shard: SHARD, epoch, owner: OWNER }, rows)])
    }
    await Promise.all([a.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, again)]), prune(), prune()])
    const { timers } = await a.list({ filter: {}, after: null, limit: 100 })
    assert.deepEqual(await countsOf(b), timers.length === 0 ? [] : [`default completed ${timers.length}`])
  }
})
