// A PostgreSQL server of the bench's own, with the settings of a small production server, and databases in it. Many stored
// timers are made by the server itself, from numbers: sending five million rows would take longer than all the rest.

import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { PostgresServer } from '../../src/store/postgres/postgres-server.fixture.ts'
import type { PostgresLocation } from '../../src/runtime/config/databases/postgres.ts'
import { treeCpuMs } from './process-usage.ts'

export const SHARDS = 64

const FLAGS = ['shared_buffers=512MB', 'max_wal_size=8GB', 'checkpoint_timeout=15min', 'max_connections=150'].flatMap(
  (one) => ['-c', one],
)
const FILL_STEP = 250_000

export class BenchPostgres {
  readonly #server: PostgresServer
  readonly #pid: number
  readonly #log: (text: string) => void

  private constructor(server: PostgresServer, pid: number, log: (text: string) => void) {
    this.#server = server
    this.#pid = pid
    this.#log = log
  }

  static async start(log: (text: string) => void): Promise<BenchPostgres> {
    const server = await PostgresServer.start({ flags: FLAGS })
    const [row] = await server.sql(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`)
    return new BenchPostgres(server, Number(row!['pid']), log)
  }

  async stop(): Promise<void> {
    await this.#server.stop()
  }

  /** A new database with the service's schema. */
  async database(): Promise<BenchDatabase> {
    const location = await this.#server.createDatabase()
    await (await openPostgresStore({ ...location, shards: SHARDS })).close()
    return new BenchDatabase(this.#server, location, this.#log)
  }

  /** A new database with nothing in it, for a system that makes its own tables. */
  async empty(): Promise<{ readonly url: string; bytes(): Promise<number> }> {
    const { host, port, user, password, database } = await this.#server.createDatabase()
    const bytes = async () => {
      const client = await this.#server.client(database)
      try {
        await client.query('VACUUM')
        const { rows } = await client.query<{ bytes: string }>(SIZE_OF_TABLES)
        return Number(rows[0]!.bytes)
      } finally {
        await client.end()
      }
    }
    return { url: `postgres://${user}:${password ?? ''}@${host}:${port}/${database}`, bytes }
  }

  /** CPU time of all processes of the server so far; connections stay while a figure is taken. */
  cpuMs(): number {
    return treeCpuMs(this.#pid)
  }

  /** How much has been written to the log of the server so far. */
  async walBytes(): Promise<number> {
    const [row] = await this.#server.sql(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`)
    return Number(row!['bytes'])
  }
}

export class BenchDatabase {
  readonly location: PostgresLocation
  readonly #server: PostgresServer
  readonly #log: (text: string) => void
  #stored = 0

  constructor(server: PostgresServer, location: PostgresLocation, log: (text: string) => void) {
    this.#server = server
    this.location = location
    this.#log = log
  }

  get url(): string {
    const { host, port, user, password, database } = this.location
    return `postgres://${user}:${password ?? ''}@${host}:${port}/${database}`
  }

  /** Adds timers that are far from due until there are so many. Then the server has done what it would do later: vacuum and checkpoint. */
  async growTo(timers: number): Promise<void> {
    const startedAt = performance.now()
    const client = await this.#server.client(this.location.database)
    try {
      await client.query('SET synchronous_commit = off')
      while (this.#stored < timers) {
        const until = Math.min(this.#stored + FILL_STEP, timers)
        await client.query(FILL, [this.#stored, until, SHARDS])
        this.#stored = until
      }
      await client.query('VACUUM (ANALYZE) timers')
      await client.query('CHECKPOINT')
    } finally {
      await client.end()
    }
    this.#log(
      `stored ${timers.toLocaleString('en-US')} timers in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`,
    )
  }
}

/** With their indexes, without those of the server itself. */
const SIZE_OF_TABLES = `
  SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`

// In random order of time and id, as in life, due in two days to a year; like the timers that the scenarios create.
const FILL = `
  WITH made AS (
    INSERT INTO timers (
      shard_id, row_type, timer_execute_at, timer_uuid, timer_namespace, timer_id, timer_version, timer_status, timer_kind,
      timer_created_at, timer_payload, timer_document
    )
    SELECT
      floor(random() * $3::integer)::integer, 2,
      (extract(epoch FROM now()) * 1000)::bigint + 172800000 + floor(random() * 31363200000)::bigint,
      gen_random_uuid(), 'default', 'far-' || lpad(n::text, 16, '0'), 1, 0, 0,
      (extract(epoch FROM now()) * 1000)::bigint, '{"order":"o-1234567890","reason":"payment reminder","n":1}',
      '{"target":{"url":"http://127.0.0.1:9/hooks/order/reminders"}}'
    FROM generate_series($1::bigint + 1, $2::bigint) AS n
    RETURNING 1
  )
  INSERT INTO timer_counters (timer_namespace, slot_at, counter_name, counter_amount)
  SELECT 'default', -1, '0.0', count(*) FROM made
  ON CONFLICT (timer_namespace, slot_at, counter_name)
    DO UPDATE SET counter_amount = timer_counters.counter_amount + excluded.counter_amount`
