// Pages when there are too many timers to sort, which the suite for all stores does not have: the limit is set to nothing here.
// And how lists are read.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { Status } from '../../core/timer/timer.ts'
import type { Epoch, Namespace, ShardId } from '../../core/timer/timer.ts'
import { partOf } from '../commit-sheet.ts'
import { manyTimers, pageQueries } from '../conformance/many-timers.ts'
import { OWNER } from '../conformance/owned-store.ts'
import { MemoryStore } from '../memory/memory-store.ts'
import { timersOf } from '../row/timer-row.ts'
import { page } from '../sql/pages/page.ts'
import { SORTED_MAX } from '../sql/pages/page-plan.ts'
import { list } from '../sql/questions/list.ts'
import { answerLater } from '../sql/statement.ts'
import type { Query } from '../sql/statement.ts'
import type { ListFilter, PageFilter, PageQuery, Store } from '../store.ts'
import { Connections } from './connection/connections.ts'
import { POSTGRES } from './dialect.ts'
import { PostgresServer } from './postgres-server.fixture.ts'
import { openPostgresStore } from './postgres-store.ts'

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

const SHARDS = [0, 1, 2] as ShardId[]

async function fill(store: Store): Promise<void> {
  const timers = manyTimers(40)
  for (const shard of SHARDS) {
    await store.claim({ shard, expected: 0 as Epoch, from: null, owner: OWNER })
    const changes = timers.filter((_, index) => index % 3 === shard).map((timer) => ({ before: null, after: timer }))
    await store.commit([partOf({ shard, epoch: 1 as Epoch, owner: OWNER }, changes)])
  }
}

test('pages of many timers are the same, whether sorted or read in order', async (t) => {
  const database = await server.createDatabase()
  const [store, model] = [await openPostgresStore(database), new MemoryStore()]
  const connections = new Connections({
    location: database,
    max: 1,
    statementTimeoutMs: 10_000,
    idleMs: 0,
    plans: 'each time',
  })
  t.after(() => Promise.all([store.close(), connections.end()]))
  await Promise.all([fill(store), fill(model)])
  const run = ({ text, values }: Query) => connections.read({ name: '', text, values })
  const property = fc.asyncProperty(pageQueries, async (query) => {
    const expected = await model.page(query)
    for (const sortedMax of [SORTED_MAX, 0]) {
      const { cells, total } = await answerLater(page(POSTGRES, query, sortedMax), run)
      const ids = timersOf(cells).map(({ id }) => id)
      assert.deepEqual([ids, total], [expected.timers.map(({ id }) => id), expected.total])
    }
    assert.deepEqual(await store.page(query), expected)
  })
  await fc.assert(property, { numRuns: 60, examples: EXAMPLES })
})

/** One run of an index, two of them, and many. */
const FILTERS: readonly PageFilter[] = [{ namespace: 'ns.1' as Namespace }, { statuses: [Status.pending] }, {}]
const EXAMPLES = FILTERS.flatMap((filter): [PageQuery][] => [
  [{ filter, sort: 'createdAt', descending: true, offset: 3, limit: 20 }],
  [{ filter, sort: 'dueAt', descending: false, offset: 3, limit: 20 }],
])

test('a filtered list reads an index and joins nothing to itself', async (t) => {
  const database = await server.createDatabase()
  const store = await openPostgresStore(database)
  const lane = { max: 1, statementTimeoutMs: 10_000, idleMs: 0, plans: 'once' } as const
  const connections = new Connections({ location: database, ...lane })
  t.after(() => Promise.all([store.close(), connections.end()]))
  await fill(store)
  const scopes: ListFilter[] = [{}, { namespace: 'ns.1' as Namespace }]
  for (const filter of scopes.flatMap((one) => [
    { ...one, statuses: [Status.failed] },
    { ...one, metadataKey: 'k' },
  ])) {
    let plan = ''
    await answerLater(list(POSTGRES, { filter, after: null, limit: 10 }), async ({ text, values }) => {
      const lines = await connections.read({ name: '', text: `EXPLAIN ${text}`, values })
      if (text.includes('timer_status IN') || text.includes('timer_metadata')) plan ||= lines.join('\n')
      return connections.read({ name: '', text, values })
    })
    // Those of a namespace are sorted; all of them are in order in each shard.
    const read = filter.namespace === undefined ? /Limit .*\n +-> +Index Scan using timers_pkey/ : /timers_by_namespace/
    assert.match(plan, read)
    assert.equal(plan.match(/ on timers /g)?.length, 1, plan)
  }
})
