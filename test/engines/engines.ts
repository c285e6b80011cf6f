// Every database on a server that several nodes can share, other than PostgreSQL, which has tests of its own: the suites in this
// folder run on each. A new engine is one line. One of them alone: ENGINE=mariadb node --test test/engines/cluster.test.ts

import { describe, test } from 'node:test'
import { onServer } from '../../scripts/servers/server.fixture.ts'
import type { RunningServer, ServerName } from '../../scripts/servers/servers.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'

export type TestedEngine = {
  readonly name: ServerName
  /** Longer where the database needs more time for a heartbeat on a busy machine. */
  readonly leaseMs: number
  /** Whether the server that stands for the engine has on disk what it has acknowledged. */
  readonly survivesKill: boolean
  /** Settings with which a node notices within a lease or so that its connections have fallen silent. */
  readonly impatience?: Readonly<Record<string, string>>
  /** It is far slower than the engine it stands for: only some suites are for it. */
  readonly isSlow?: boolean
  /** A commit takes so long that the promises, which make thousands of them, take a quarter of an hour: tried when somebody asks. */
  readonly hasLongCommits?: boolean
}

const MYSQL_FAMILY = { leaseMs: 2_000, survivesKill: true, impatience: { MYSQL_STATEMENT_TIMEOUT: '2s' } } as const

const ENGINES: readonly TestedEngine[] = [
  { name: 'mariadb', ...MYSQL_FAMILY },
  { name: 'mariadb-11.8', ...MYSQL_FAMILY },
  { name: 'mysql', ...MYSQL_FAMILY },
  { name: 'tidb', ...MYSQL_FAMILY },
  // A JVM that has just started needs seconds for its first conditional writes.
  { name: 'cassandra', leaseMs: 10_000, survivesKill: true, hasLongCommits: true },
  { name: 'ferretdb', leaseMs: 5_000, survivesKill: true, hasLongCommits: true },
  // DynamoDB Local answers a transaction a moment before it has written it. Two nodes are all it can take: see
  // ../dynamodb-cluster.test.ts.
  { name: 'dynamodb', leaseMs: 5_000, survivesKill: false, isSlow: true },
]

/** `tests` is called for each that is installed, and has a server of its own. Others have a line that says what to run. */
export function onEveryEngine(
  tests: (engine: TestedEngine, server: () => RunningServer) => void,
  { evenSlow = false, hasManyCommits = false }: { readonly evenSlow?: boolean; readonly hasManyCommits?: boolean } = {},
): void {
  const only = process.env['ENGINE']
  const isAsked = only !== undefined || process.env['ENGINES'] === 'all'
  for (const engine of ENGINES) {
    if ((only !== undefined && only !== engine.name) || (!evenSlow && engine.isSlow === true)) continue
    if (hasManyCommits && engine.hasLongCommits === true && !isAsked) tellHowToAsk(engine.name)
    else describe(engine.name, () => onServer(engine.name, (server) => tests(engine, server)))
  }
}

function tellHowToAsk(name: ServerName): void {
  test(`${name}: this suite takes long there, and nobody has asked for it`, (t) =>
    t.diagnostic(`ENGINE=${name} node --test <this file>, or ENGINES=all, tries it`))
}

/** A database that nobody has used before has as many shards as it is told. */
export function openOn(server: RunningServer, database: string, shards: number): Promise<Store> {
  const env = { ...server.environment(database), SHARDS: String(shards) }
  Object.assign(process.env, env) // drivers have variables of their own
  return openStore(loadConfig({ env }), silentLogger())
}
