// Some nodes on one real database server, and what a test does to them: every fault is noted with its time, so that
// the checker can tell what it explains.

import { setTimeout as sleep } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import { cleanUp } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Environment } from '../service.ts'
import { tempDir } from '../temp-dir.ts'
import { PostgresDatabase } from './cluster-database.ts'
import type { ClusterDatabase } from './cluster-database.ts'
import { ClusterNode } from './cluster-node.ts'
import type { Fault } from './figures.ts'

const BACKLOG_MS = 500 // a timer that has been due for longer still waits because of the fault before

type ClusterOptions = { readonly nodes: number; readonly env: Environment; readonly database?: ClusterDatabase }

export class Cluster {
  readonly nodes: ClusterNode[] = []
  readonly faults: Fault[] = []
  readonly #t: TestContext
  readonly database: ClusterDatabase
  readonly #place: { readonly cwd: string; readonly env: Environment }

  private constructor(
    t: TestContext,
    { database, ...place }: { cwd: string; database: ClusterDatabase; env: Environment },
  ) {
    this.#t = t
    this.database = database
    this.#place = place
  }

  /** On a PostgreSQL server of its own, unless there is a database. */
  static async start(t: TestContext, { nodes, env, ...given }: ClusterOptions): Promise<Cluster> {
    const { database = await PostgresDatabase.start(t) } = given
    const cluster = new Cluster(t, { cwd: tempDir(t), database, env })
    for (let n = 0; n < nodes; n++) await cluster.add()
    return cluster
  }

  /** `env`: settings of this node alone. */
  async add(env: Environment = {}): Promise<ClusterNode> {
    const place = { ...this.#place, database: this.database, env: { ...this.#place.env, ...env } }
    const node = await ClusterNode.at({ name: `node ${this.nodes.length + 1}`, ...place })
    this.nodes.push(node)
    cleanUp(this.#t, () => node.dispose())
    await node.start()
    return node
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

  /** `pause`: as a careful administrator does it. */
  async restartDatabase(how: 'pause' | 'crash', { downMs }: { downMs: number }): Promise<void> {
    await this.database[how]()
    await sleep(downMs)
    await this.database.resume()
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
