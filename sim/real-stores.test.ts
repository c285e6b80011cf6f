// The same simulations with the timers in real databases: every call is made at its moment of virtual time, which stands
// until the database has answered. A fail-over cannot be made with them. A further engine is a line in test/engines/engines.ts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import { temporaryFile } from '../src/store/sqlite/file/temporary-file.fixture.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../src/store/store.ts'
import { onEngines, openOn } from '../test/engines/engines.ts'
import { Coverage } from './coverage.ts'
import { FAULT_KINDS } from './faults.ts'
import { makePlan } from './plan/plan.ts'
import { withReshard } from './plan/reshards.ts'
import type { Plan } from './plan/plan.ts'
import { simulate } from './simulate.ts'
import { tellStory } from './story.ts'

let postgres: PostgresServer
before(async () => {
  postgres = await PostgresServer.start()
})
after(() => postgres.stop())

const FAULTS = FAULT_KINDS.filter((kind) => kind !== 'failOver')
const REQUESTS_MAX = 60 // a database takes its time

type Wanted = { readonly shared: boolean; readonly simulations: number; readonly reshard?: true }

/** Of the first seeds whose plans are for a store like this; one for several nodes gets several. */
function plansFor({ shared, simulations, reshard }: Wanted): Plan[] {
  const plans: Plan[] = []
  for (let seed = 1; plans.length < simulations; seed++) {
    const plan = makePlan(seed, FAULTS)
    const { settings, requests } = plan
    const isRight = settings.shared === shared && (!shared || settings.machines.length > 1)
    if (plan.faults.length > 0 && requests.length <= REQUESTS_MAX && isRight)
      plans.push(reshard === true ? withReshard(plan) : plan)
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

/** `open` opens a new empty store that is to have so many shards. */
async function assertKeptOn(open: (shards: number) => Promise<Store>, wanted: Wanted): Promise<void> {
  for (const plan of plansFor(wanted)) await assertKept(plan, await open(plan.settings.shards))
}

test('every promise is kept with timers in SQLite', () =>
  assertKeptOn(() => openSqliteStore({ path: temporaryFile(), cacheMiB: 4 }), { shared: false, simulations: 3 }))

test('every promise is kept with timers in PostgreSQL, by several nodes', () =>
  assertKeptOn(async (shards) => openPostgresStore({ ...(await postgres.createDatabase()), shards }), {
    shared: true,
    simulations: 3,
  }))

test('every promise is kept with timers in PostgreSQL while shards are split', () =>
  assertKeptOn(async (shards) => openPostgresStore({ ...(await postgres.createDatabase()), shards }), {
    shared: true,
    simulations: 4,
    reshard: true,
  }))

onEngines('simulation', ({ name, load }, server) => {
  let databases = 0
  const open = (shards: number): Promise<Store> => openOn(server(), `simulation_${++databases}`, shards)
  test(`every promise is kept with timers in ${name}, by several nodes`, () =>
    assertKeptOn(open, { shared: true, simulations: load === undefined ? 2 : 1 }))
  test(`every promise is kept with timers in ${name} while shards are split`, () =>
    assertKeptOn(open, { shared: true, simulations: 1, reshard: true }))
})
