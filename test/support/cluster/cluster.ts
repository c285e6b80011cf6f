// Some nodes on one real PostgreSQL server, and what a test does to them: every fault is noted with its time, so that
// the checker can tell what it explains.

import { setTimeout as sleep } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import type pg from 'pg'
import { PostgresServer } from '../../../src/store/postgres/postgres-server.fixture.ts'
import { cleanUp } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Environment } from '../service.ts'
import { tempDir } from '../temp-dir.ts'
import { ClusterNode } from './cluster-node.ts'
import type { DatabaseAddress } from './cluster-node.ts'
import type { Fault } from './figures.ts'

const BACKLOG_MS = 500 // a timer that has been due for longer still waits because of the fault before

export class Cluster {
  readonly nodes: ClusterNode[] = []
  readonly faults: Fault[] = []
  readonly #t: TestContext
  readonly #postgres: PostgresServer
  readonly #place: { readonly cwd: string; readonly database: DatabaseAddress; readonly env: Environment }

  private constructor(
    t: TestContext,
    postgres: PostgresServer,
    place: { cwd: string; database: DatabaseAddress; env: Environment },
  ) {
    this.#t = t
    this.#postgres = postgres
    this.#place = place
  }

  static async start(t: TestContext, { nodes, env }: { nodes: number; env: Environment }): Promise<Cluster> {
    const cwd = tempDir(t)
    const postgres = await PostgresServer.start()
    cleanUp(t, () => postgres.stop())
    const { port, user, password, database } = await postgres.createDatabase()
    const cluster = new Cluster(t, postgres, { cwd, database: { port, user, password: password ?? '', database }, env })
    for (let n = 0; n < nodes; n++) await cluster.add()
    return cluster
  }

  /** `env`: settings of this node alone. */
  async add(env: Environment = {}): Promise<ClusterNode> {
    const place = { ...this.#place, env: { ...this.#place.env, ...env } }
    const node = await ClusterNode.at({ name: `node ${this.nodes.length + 1}`, ...place })
    this.nodes.push(node)
    cleanUp(this.#t, () => node.dispose())
    await node.start()
    return node
  }

  /** One statement, as the superuser. */
  async sql(text: string): Promise<Record<string, unknown>[]> {
    return this.#postgres.sql(text, this.#place.database.database)
  }

  /** A connection of the test's own, which can hold locks. */
  async client(): Promise<pg.Client> {
    const client = await this.#postgres.client(this.#place.database.database)
    cleanUp(this.#t, () => client.end())
    return client
  }

  /** Resolves once as many statements of the nodes as this wait for a lock. */
  async blocked(count: number): Promise<void> {
    await this.#postgres.waitForBlocked(this.#place.database.database, count)
  }

  get inService(): ClusterNode[] {
    return this.nodes.filter(({ inService }) => inService)
  }

  someNode(random: SeededRandom): ClusterNode {
    const nodes = this.inService
    return nodes[random.between(0, nodes.length - 1)]!
  }

  /** Does it, and notes when it began and when all was well again. */
  async fault<T>(name: string, act: () => Promise<T>): Promise<T> {
    const sentAt = Date.now()
    try {
      return await act()
    } finally {
      this.faults.push({ name, sentAt, goneAt: Date.now() })
    }
  }

  /** Resolves when all nodes in service see the same owners, none but themselves, with as many shards each, give or take one. */
  async balanced({ withinMs = 60_000 } = {}): Promise<number[]> {
    return eventually(`the shards are balanced among ${this.inService.length} nodes`, () => this.#balance(), {
      withinMs,
    })
  }

  async #balance(): Promise<number[] | null> {
    const views = await Promise.all(this.inService.map((node) => node.view()))
    const owners = views.map(({ shards }) => shards.map(({ owner }) => owner).join())
    const counts = views.map(
      ({ node, shards }) => shards.filter(({ owner, own }) => owner === node && own !== null).length,
    )
    const isComplete = counts.reduce((sum, count) => sum + count, 0) === views[0]!.shards.length
    const isEven = Math.max(...counts) - Math.min(...counts) <= 1
    return new Set(owners).size === 1 && isComplete && isEven ? counts : null
  }

  /** Resolves when what came due during a fault is under way. */
  async caughtUp(): Promise<void> {
    await eventually(
      'what came due meanwhile is under way',
      async () => {
        const views = await Promise.all(this.inService.map((node) => node.view()))
        return views.flatMap(({ shards }) => shards).every(({ own }) => own === null || own.lagMs < BACKLOG_MS)
      },
      { withinMs: 60_000 },
    )
  }

  /** `fast`: as a careful administrator does it. `immediate`: as a crash. */
  async restartPostgres(how: 'fast' | 'immediate', { downMs }: { downMs: number }): Promise<void> {
    if (how === 'fast') await this.#postgres.pause()
    else await this.#crashPostgres()
    await sleep(downMs)
    await this.#postgres.resume()
  }

  async #crashPostgres(): Promise<void> {
    const [row] = await this.#postgres.sql(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`)
    const pid = Number(row!['pid'])
    process.kill(pid, 'SIGQUIT')
    await eventually('PostgreSQL is gone', () => !isRunning(pid))
  }

  /** What the nodes complained about, and how often. */
  complaints(): string[] {
    const counts = new Map<string, number>()
    for (const node of this.nodes) {
      for (const { msg, level, err } of node.lives.flatMap(({ logs }) => logs)) {
        if (level === 'info' || level === 'debug' || (typeof level === 'number' && level < 40)) continue
        const cause = typeof err === 'object' && err !== null && 'message' in err ? `: ${String(err.message)}` : ''
        const text = `${node.name}: ${msg}${cause}`
        counts.set(text, (counts.get(text) ?? 0) + 1)
      }
    }
    return Array.from(counts, ([text, count]) => `${count} × ${text}`)
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
