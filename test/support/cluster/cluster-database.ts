// A real database server under a cluster, and what a test does to it. Nodes reach it by ports of their own, so that each way
// can be cut.

import type pg from 'pg'
import type { TestContext } from 'node:test'
import type { RunningServer } from '../../../scripts/servers/servers.ts'
import { PostgresServer } from '../../../src/store/postgres/postgres-server.fixture.ts'
import type { PostgresLocation } from '../../../src/runtime/config/databases/postgres.ts'
import { cleanUp } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import type { Environment } from '../service.ts'

export type ClusterDatabase = {
  readonly name: string
  readonly port: number
  /** Its addresses, each with this port; that of the machine alone where it says none. */
  readonly hosts?: readonly string[]
  /** Settings of a node that reaches it at this port. */
  readonly settings: (port: number) => Environment
  /** Settings for nodes whose connections fall silent: they should notice within a lease or so. */
  readonly impatience: Environment
  /** As a careful administrator stops it. */
  pause(): Promise<void>
  /** As a crash, or kill -9. */
  crash(): Promise<void>
  /** On the same port, with the same data. */
  resume(): Promise<void>
}

/** Any of scripts/servers; it is the caller's. Of several nodes one is stopped and comes back, while the others go on. */
export function serverDatabase(server: RunningServer, impatience: Environment = {}): ClusterDatabase {
  const { name, port, nodes } = server
  const settings = (near: number) => server.environment('duetime', near)
  const all = { name, port, hosts: nodes, settings, impatience }
  const one = nodes.at(-1)!
  return nodes.length === 1
    ? { ...all, pause: () => server.pause(), crash: () => server.kill(), resume: () => server.restart() }
    : {
        ...all,
        pause: () => server.endOne(one, 'SIGTERM'),
        crash: () => server.endOne(one, 'SIGKILL'),
        resume: () => server.startMissing(),
      }
}

const STANDBY = 'standby'

export class PostgresDatabase implements ClusterDatabase {
  readonly name = 'PostgreSQL'
  readonly port: number
  readonly impatience = { PG_STATEMENT_TIMEOUT: '2s' }
  readonly #server: PostgresServer
  readonly #location: PostgresLocation

  private constructor(server: PostgresServer, location: PostgresLocation) {
    this.#server = server
    this.#location = location
    this.port = location.port
  }

  static async start(t: TestContext): Promise<PostgresDatabase> {
    const server = await PostgresServer.start()
    cleanUp(t, () => server.stop())
    return new PostgresDatabase(server, await server.createDatabase())
  }

  settings(port: number): Environment {
    const { user, password, database } = this.#location
    return { DATABASE_URL: `postgres://${user}:${password ?? ''}@127.0.0.1:${port}/${database}` }
  }

  async pause(): Promise<void> {
    await this.#server.pause()
  }

  async resume(): Promise<void> {
    await this.#server.resume()
  }

  async crash(): Promise<void> {
    const [row] = await this.#server.sql(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`)
    const pid = Number(row!['pid'])
    process.kill(pid, 'SIGQUIT')
    await eventually('PostgreSQL is gone', () => !isRunning(pid))
  }

  /** A standby that has what is there now, and gets nothing more. All connections are cut. */
  async keepStandby(): Promise<void> {
    await this.#copy(this.#location.database, STANDBY)
  }

  /** All that was written after `keepStandby` is lost. All connections are cut. */
  async failOver(): Promise<void> {
    await this.#server.sql(`DROP DATABASE ${this.#location.database} WITH (FORCE)`)
    await this.#copy(STANDBY, this.#location.database)
  }

  async #copy(from: string, to: string): Promise<void> {
    await this.#server.sql(`ALTER DATABASE ${from} ALLOW_CONNECTIONS false`)
    await this.#server.sql(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${from}'`)
    await this.#server.sql(`CREATE DATABASE ${to} TEMPLATE ${from}`)
    await this.#server.sql(`ALTER DATABASE ${from} ALLOW_CONNECTIONS true`)
  }

  /** One statement, as the superuser. */
  async sql(text: string): Promise<Record<string, unknown>[]> {
    return this.#server.sql(text, this.#location.database)
  }

  /** A connection of the test's own, which can hold locks. */
  async client(t: TestContext): Promise<pg.Client> {
    const client = await this.#server.client(this.#location.database)
    cleanUp(t, () => client.end())
    return client
  }

  /** Resolves once as many statements of the nodes as this wait for a lock. */
  async blocked(count: number): Promise<void> {
    await this.#server.waitForBlocked(this.#location.database, count)
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
