// The same simulations with the timers in real databases: every call is made at its moment of virtual time, which stands
// until the database has answered. A fail-over cannot be made with them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { temporaryFile } from '../src/store/sqlite/file/temporary-file.fixture.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import { emptyKeyspace } from '../src/store/cassandra/cassandra-server.fixture.ts'
import { openCassandraStore } from '../src/store/cassandra/cassandra-store.ts'
import { onServer } from '../scripts/servers/server.fixture.ts'
import type { Store } from '../src/store/store.ts'
import { Coverage } from './coverage.ts'
import { FAULT_KINDS } from './faults.ts'
import { makePlan } from './plan.ts'
import type { Plan } from './plan.ts'
import { simulate } from './simulate.ts'
import { tellStory } from './story.ts'

const SEEDS = 3
const FAULTS = FAULT_KINDS.filter((kind) => kind !== 'failOver')

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

/** The first seeds whose plans are for a store like this. */
function plansFor(isRight: (plan: Plan) => boolean): Plan[] {
  const plans: Plan[] = []
  for (let seed = 1; plans.length < SEEDS; seed++) {
    const plan = makePlan(seed, FAULTS)
    if (plan.faults.length > 0 && isRight(plan)) plans.push(plan)
  }
  return plans
}

async function assertKept(plan: Plan, store: Store): Promise<void> {
  try {
    const { history, violations } = await simulate(plan, new Coverage(), store)
    assert.deepEqual(violations, [], tellStory(plan, history, violations))
    assert.ok(history.operations.length > 0)
  } finally {
    await store.close()
  }
}

test('every promise is kept with timers in SQLite', async () => {
  for (const plan of plansFor(({ settings }) => !settings.shared))
    await assertKept(plan, await openSqliteStore({ path: temporaryFile(), cacheMiB: 4 }))
})

test('every promise is kept with timers in PostgreSQL, by several nodes', async () => {
  for (const plan of plansFor(({ settings }) => settings.shared && settings.machines.length > 1)) {
    const { shards } = plan.settings
    await assertKept(plan, await openPostgresStore({ ...(await server.createDatabase()), shards }))
  }
})

onServer('cassandra', (cassandra) => {
  test('every promise is kept with timers in Cassandra, by several nodes', async () => {
    for (const plan of plansFor(({ settings }) => settings.shared && settings.machines.length > 1)) {
      const { shards } = plan.settings
      await assertKept(plan, await openCassandraStore({ ...(await emptyKeyspace(cassandra())), shards }))
    }
  })
})
