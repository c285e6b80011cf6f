// The same simulations with the timers in real databases: every call is made at its moment of virtual time, which stands
// until the database has answered. A fail-over cannot be made with them.
//
// A further engine is one more entry of STORES.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onServer } from '../scripts/servers/server.fixture.ts'
import type { RunningServer, ServerName } from '../scripts/servers/servers.ts'
import { emptyTable } from '../src/store/dynamodb/dynamodb-server.fixture.ts'
import { openDynamodbStore } from '../src/store/dynamodb/dynamodb-store.ts'
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
import { makePlan } from './plan/plan.ts'
import type { Plan } from './plan/plan.ts'
import { simulate } from './simulate.ts'
import { tellStory } from './story.ts'

/** Opens a new empty store that is to have so many shards. */
type Open = (shards: number) => Promise<Store>

type Engine = {
  readonly name: string
  /** For several nodes. */
  readonly shared: boolean
  readonly simulations: number
  /** Calls `tests` at once; `open` works when they run. */
  readonly start: (tests: (open: Open) => void) => void
}

const STORES: readonly Engine[] = [
  {
    name: 'SQLite',
    shared: false,
    simulations: 3,
    start: (tests) => tests(() => openSqliteStore({ path: temporaryFile(), cacheMiB: 4 })),
  },
  { name: 'PostgreSQL', shared: true, simulations: 3, start: onPostgres },
  {
    name: 'DynamoDB',
    shared: true,
    simulations: 1,
    start: on('dynamodb', (server, shards) => openDynamodbStore({ ...emptyTable(server), shards })),
  },
  {
    name: 'Cassandra',
    shared: true,
    simulations: 2,
    start: on('cassandra', async (server, shards) => openCassandraStore({ ...(await emptyKeyspace(server)), shards })),
  },
]

/** An engine whose server is one of scripts/servers. */
function on(server: ServerName, open: (server: RunningServer, shards: number) => Promise<Store>): Engine['start'] {
  return (tests) => onServer(server, (running) => tests((shards) => open(running(), shards)))
}

function onPostgres(tests: (open: Open) => void): void {
  let server: PostgresServer
  before(async () => {
    server = await PostgresServer.start()
  })
  after(() => server.stop())
  tests(async (shards) => openPostgresStore({ ...(await server.createDatabase()), shards }))
}

const FAULTS = FAULT_KINDS.filter((kind) => kind !== 'failOver')
const REQUESTS_MAX = 60 // a database takes its time

/** Of the first seeds whose plans are for a store like this. */
function plansFor({ shared, simulations }: Engine): Plan[] {
  const plans: Plan[] = []
  for (let seed = 1; plans.length < simulations; seed++) {
    const plan = makePlan(seed, FAULTS)
    const { settings, requests } = plan
    const isRight = settings.shared === shared && (!shared || settings.machines.length > 1)
    if (plan.faults.length > 0 && requests.length <= REQUESTS_MAX && isRight) plans.push(plan)
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

for (const engine of STORES) {
  const about = `every promise is kept with timers in ${engine.name}${engine.shared ? ', by several nodes' : ''}`
  engine.start((open) => {
    test(about, async () => {
      for (const plan of plansFor(engine)) await assertKept(plan, await open(plan.settings.shards))
    })
  })
}
