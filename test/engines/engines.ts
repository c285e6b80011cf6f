// Every database on a server that several nodes can share, other than PostgreSQL, which has tests of its own, and the suites of
// this folder and of sim/real-stores.test.ts that run on each. A new engine is one line. One of them alone: ENGINE=mariadb node --test test/engines/cluster.test.ts

import { describe } from 'node:test'
import { onServer } from '../../scripts/servers/server.fixture.ts'
import type { RunningServer, ServerName } from '../../scripts/servers/servers.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'

type Suite = 'promises' | 'crash' | 'cluster' | 'simulation' | 'migrate'

export type TestedEngine = {
  readonly name: ServerName
  readonly suites: readonly Suite[]
  /** Longer where the database needs more time for a heartbeat on a busy machine. */
  readonly leaseMs: number
  /** Whether the server that stands for the engine has on disk what it has acknowledged. */
  readonly survivesKill: boolean
  /** Settings with which a node notices within a lease or so that its connections have fallen silent. */
  readonly impatience?: Readonly<Record<string, string>>
  /** Of a cluster: less for a server that is far slower than the engine it stands for. */
  readonly load?: { readonly shards: number; readonly workers: number }
}

// Tables by command: of SQL engines, ../cli-migrate.test.ts has more of it.
const SQL: readonly Suite[] = ['promises', 'crash', 'cluster', 'simulation']
const OTHERS: readonly Suite[] = [...SQL, 'migrate']

const MYSQL_FAMILY = {
  suites: SQL,
  leaseMs: 2_000,
  survivesKill: true,
  impatience: { MYSQL_STATEMENT_TIMEOUT: '2s' },
} as const

const ENGINES: readonly TestedEngine[] = [
  { name: 'mariadb', ...MYSQL_FAMILY },
  { name: 'mariadb-11.8', ...MYSQL_FAMILY },
  { name: 'mysql', ...MYSQL_FAMILY },
  { name: 'tidb', ...MYSQL_FAMILY },
  // A JVM that has just started needs seconds for its first conditional writes.
  { name: 'cassandra', suites: OTHERS, leaseMs: 10_000, survivesKill: true },
  // Of what the others do, several nodes change nothing but what a loss of the database means: here, of one node of three.
  { name: 'cassandra-3', suites: ['cluster'], leaseMs: 10_000, survivesKill: true },
  { name: 'ferretdb', suites: OTHERS, leaseMs: 5_000, survivesKill: true },
  // DynamoDB Local answers a transaction a moment before it has written it, also when it is stopped in peace.
  {
    name: 'dynamodb',
    suites: OTHERS,
    leaseMs: 10_000,
    survivesKill: false,
    load: { shards: 6, workers: 1 },
  },
]

/** `tests` is called for each that has the suite and is installed, on a server of its own. Others have a line that says what to run. */
export function onEngines(suite: Suite, tests: (engine: TestedEngine, server: () => RunningServer) => void): void {
  const only = process.env['ENGINE']
  for (const engine of ENGINES.filter(({ suites }) => suites.includes(suite))) {
    if (only !== undefined && only !== engine.name) continue
    describe(engine.name, () => onServer(engine.name, (server) => tests(engine, server)))
  }
}

/** A database that nobody has used before has as many shards as it is told. */
export function openOn(server: RunningServer, database: string, shards: number): Promise<Store> {
  const env = { ...server.environment(database), SHARDS: String(shards) }
  Object.assign(process.env, env) // drivers have variables of their own
  return openStore(loadConfig({ env }), silentLogger())
}
