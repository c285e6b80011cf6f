// Counts and tallies are the same before, while and after they are folded, by whichever node.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import type pg from 'pg'
import { STANDING } from '../../core/statistics/tallies.ts'
import { Status } from '../../core/timer/timer.ts'
import type { Epoch, Namespace, ShardId, TimerId } from '../../core/timer/timer.ts'
import { absent, changed, claimed, countsOf, OWNER } from '../conformance/owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../conformance/sample-timer.ts'
import type { CommitPart, Counter, OwnedShard, Put, Store } from '../store.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { PostgresServer } from './postgres-server.fixture.ts'
import { openPostgresStore } from './postgres-store.ts'
import { deletingPart, partOf } from '../commit-sheet.ts'
import { COUNTS } from '../counters.ts'

const SHARD = 0 as ShardId
const SLOT = 600_000

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

type Cluster = { readonly a: Store; readonly b: Store; readonly admin: pg.Client; readonly epoch: Epoch }

async function setup(t: TestContext): Promise<Cluster> {
  const location = await server.createDatabase()
  const [a, b, admin] = await Promise.all([
    openPostgresStore(location),
    openPostgresStore(location),
    server.client(location.database),
  ])
  t.after(() => Promise.all([a.close(), b.close(), admin.end()]))
  return { a, b, admin, epoch: await claimed(a, SHARD) }
}

/** A timer with what it adds to the statistics. */
async function create({ a, epoch }: Cluster, number: number): Promise<void> {
  const timer = sampleTimer({
    id: `t${number}` as TimerId,
    namespace: (number % 3 === 0 ? 'other' : 'default') as Namespace,
  })
  await a.commit([
    counting(
      { shard: SHARD, epoch, owner: OWNER },
      absent(timer),
      [`created ${SLOT}`, `created ${STANDING}`, `wake.${number % 7} ${STANDING}`],
      1,
    ),
  ])
}

/** The put with its counts, and these names and slots instead of the tallies of the timer. */
function counting(fence: OwnedShard, put: Put, names: readonly string[], amount: number): CommitPart {
  const part = partOf(fence, [put])
  const counters = names.map((of): Counter => {
    const [name, slotAt] = of.split(' ') as [string, string]
    return { namespace: put.after.namespace, name, slotAt: Number(slotAt), amount }
  })
  return { ...part, counters: [...part.counters.filter(({ slotAt }) => slotAt === COUNTS), ...counters] }
}

async function seen(store: Store): Promise<unknown> {
  const [counts, allTime, ofSlot, inOther] = await Promise.all([
    countsOf(store),
    store.tallies({ since: null }),
    store.tallies({ since: SLOT }),
    store.tallies({ since: null, namespace: 'other' as Namespace }),
  ])
  const sorted = [allTime, ofSlot, inOther].map(({ sums }) =>
    sums.map(({ name, amount }) => `${name} ${amount}`).toSorted(),
  )
  return { counts, sorted }
}

async function rowsIn(admin: pg.Client, table: string): Promise<number> {
  return Number((await admin.query<{ count: string }>(`SELECT count(*) FROM ${table}`)).rows[0]!.count)
}

test('what is folded counts as it did before, and the log is empty then', async (t) => {
  const cluster = await setup(t)
  for (let number = 0; number < 21; number++) await create(cluster, number)
  assert.deepEqual(
    [await rowsIn(cluster.admin, 'timer_counter_log'), await rowsIn(cluster.admin, 'timer_counters')],
    [21, 0],
  )
  const unfolded = await seen(cluster.b)
  assert.deepEqual(unfolded, {
    counts: ['default pending 14', 'other pending 7'],
    sorted: [
      ['created 21', ...[0, 1, 2, 3, 4, 5, 6].map((wake) => `wake.${wake} 3`)],
      ['created 21'],
      ['created 7', ...[0, 1, 2, 3, 4, 5, 6].map((wake) => `wake.${wake} 1`)],
    ],
  })
  await fold(cluster.b, cluster.admin)
  assert.deepEqual(
    [await rowsIn(cluster.admin, 'timer_counter_log'), await rowsIn(cluster.admin, 'timer_counters')],
    [0, 20],
  )
  assert.deepEqual(await seen(cluster.a), unfolded)
})

test('commits fold by themselves after a while', async (t) => {
  const cluster = await setup(t)
  for (let number = 0; number < 128; number++) await create(cluster, number)
  await eventually('counters are folded', async () => (await rowsIn(cluster.admin, 'timer_counters')) > 0)
  assert.equal(await rowsIn(cluster.admin, 'timer_counter_log'), 0)
  assert.deepEqual(await countsOf(cluster.b), ['default pending 85', 'other pending 43'])
})

test('a log of more than one fold can take is folded all the same', async (t) => {
  const cluster = await setup(t)
  await cluster.admin.query(`
    INSERT INTO timer_counter_log
    SELECT array_agg('n' || entry / 10), array_agg(CASE entry % 10 WHEN 0 THEN -1 ELSE 0 END::bigint),
      array_agg(CASE entry % 10 WHEN 0 THEN '0.0' ELSE 'wake.' || entry END), array_agg(1::bigint)
    FROM generate_series(1, 300) AS row, generate_series(10, 209) AS entry GROUP BY row`)
  const unfolded = await seen(cluster.a)
  await fold(cluster.b, cluster.admin)
  assert.equal(await rowsIn(cluster.admin, 'timer_counter_log'), 0)
  assert.deepEqual(await seen(cluster.a), unfolded)
  assert.equal(totalOf(await countsOf(cluster.a)), 300 * 20)
})

test('a namespace is known by its counts even when they came to nothing before they were folded', async (t) => {
  const { a, admin } = await setup(t)
  await admin.query(`
    INSERT INTO timer_counter_log VALUES
      ('{gone,gone}', '{-1,${SLOT}}', '{0.0,created}', '{1,1}'),
      ('{gone}', '{-1}', '{0.0}', '{-1}')`)
  await fold(a, admin)
  assert.deepEqual((await a.tallies({ since: SLOT })).sums, [{ name: 'created', amount: 1 }])
  assert.deepEqual(await countsOf(a), [])
})

test('two nodes that fold and one that commits meanwhile count nothing twice and lose nothing', async (t) => {
  const cluster = await setup(t)
  const stopping = new AbortController()
  const folding = [cluster.a, cluster.b].map(async (store) => {
    while (!stopping.signal.aborted) await store.forgetCounters(0)
  })
  for (let number = 0; number < 300; number++) {
    await create(cluster, number)
    if (number % 10 === 0)
      assert.equal(totalOf(await countsOf(cluster.b)), number + 1, 'every answered commit is counted at once')
  }
  stopping.abort()
  await Promise.all(folding)
  assert.deepEqual(await countsOf(cluster.a), ['default pending 200', 'other pending 100'])
  assert.deepEqual((await cluster.b.tallies({ since: SLOT })).sums, [{ name: 'created', amount: 300 }])
})

test('standing tallies that count nothing any more are removed', async (t) => {
  const { a, admin, epoch } = await setup(t)
  const fence = { shard: SHARD, epoch, owner: OWNER }
  const timer = sampleTimer()
  await write(a, counting(fence, absent(timer), [`wake.h.1 ${STANDING}`], 1))
  await fold(a, admin, SAMPLE_NOW)
  assert.deepEqual(await amountsIn(admin, STANDING), [1])
  const paused = { ...timer, version: 2, status: Status.paused }
  await write(a, counting(fence, changed(paused, timer), [`wake.h.1 ${STANDING}`], -1))
  await removed(a, admin, STANDING)
  assert.deepEqual((await a.tallies({ since: null })).sums, [])
})

test('the counts of a namespace that is gone are removed', async (t) => {
  const { a, admin, epoch } = await setup(t)
  const fence = { shard: SHARD, epoch, owner: OWNER }
  const timer = sampleTimer({ namespace: 'gone' as Namespace, status: Status.canceled, wakeAt: SAMPLE_NOW })
  await write(a, counting(fence, absent(timer), [], 1))
  await fold(a, admin, SAMPLE_NOW)
  assert.deepEqual(await amountsIn(admin, COUNTS), [1])
  const expired = await a.expired({ shards: [SHARD], before: SAMPLE_NOW + 1, limit: 10 })
  await write(a, deletingPart(fence, expired))
  await removed(a, admin, COUNTS)
  assert.deepEqual(await countsOf(a), [])
})

async function write(store: Store, part: CommitPart): Promise<void> {
  assert.deepEqual(await store.commit([part]), [{ type: 'written' }])
}

/** After as many rounds of housekeeping as it takes. */
async function removed(store: Store, admin: pg.Client, slot: number): Promise<void> {
  await eventually('nothing is left', async () => {
    await fold(store, admin, SAMPLE_NOW)
    assert.deepEqual(await amountsIn(admin, slot), [])
    return true
  })
}

/** What is folded, of this slot. */
async function amountsIn(admin: pg.Client, slot: number): Promise<number[]> {
  const { rows } = await admin.query<{ amount: string }>(
    `SELECT counter_amount AS amount FROM timer_counters WHERE slot_at = ${slot}`,
  )
  return rows.map(({ amount }) => Number(amount))
}

/** It rests after each fold, twenty times as long as the fold took, so it may take a while. */
async function fold(store: Store, admin: pg.Client, now = 0): Promise<void> {
  await eventually('the log is empty', async () => {
    await store.forgetCounters(now)
    return (await rowsIn(admin, 'timer_counter_log')) === 0
  })
}

function totalOf(counts: readonly string[]): number {
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
