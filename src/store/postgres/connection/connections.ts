// Connections to PostgreSQL for one kind of work. Each kind has its own, so that a commit never waits behind a list,
// nor a beat behind either. A connection that fails is thrown away; the next call makes a new one.

import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import pg from 'pg'
import type { PoolClient } from 'pg'
import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import type { Cell } from '../../row/columns.ts'
import type { LaneOptions } from '../../sql/server/lanes.ts'
import { tlsOptions } from '../../sql/server/tls.ts'
import type { Row, Value } from '../../sql/statement.ts'
import { endsConnection, failureOf, isReadOnly, isRollbackToRepeat } from './failures.ts'

export type Parameter = Value | boolean
/** Prepared once per connection, under its name. */
export type Query = { readonly name: string; readonly text: string; readonly values: readonly Parameter[] }

export type ConnectionsOptions = LaneOptions & {
  readonly location: PostgresLocation
  /** `once`: for statements that are made for one index. `each time`: for those that are not. */
  readonly plans: 'once' | 'each time'
  /** All calls share one connection. The server works on them in their order, and goes on to the next one by itself. */
  readonly pipelined?: boolean
}

const CONNECT_MS = 10_000 // also for a turn when all connections are busy
const ANSWER_GRACE_MS = 2_000 // the server gives up first and says so; if it is not heard from by then, the network is gone
const TRIES_MAX = 3
const BEGIN_SNAPSHOT = { name: 'begin', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', values: [] }

/** A connection in use, by one call or, pipelined, by several. One that is spent is not used again. */
type Lease = {
  readonly client: Promise<PoolClient>
  users: number
  isSpent: boolean
  /** Runs while an answer is awaited, and anew after each. */
  deadline: NodeJS.Timeout | null
}

export class Connections {
  readonly #pool: pg.Pool
  readonly #isPipelined: boolean
  #shared: Lease | null = null
  readonly #prepared = new WeakSet<PoolClient>()
  readonly #sessionSql: string
  readonly #location: PostgresLocation
  readonly #connectMs: number
  readonly #answerMs: number
  /** Connections on which no answer came in time. */
  readonly #silent = new WeakSet<pg.ClientBase>()

  constructor({ location, max, statementTimeoutMs, patienceMs, idleMs, plans, pipelined = false }: ConnectionsOptions) {
    this.#location = location
    this.#isPipelined = pipelined
    this.#connectMs = patienceMs ?? CONNECT_MS
    this.#answerMs = patienceMs ?? statementTimeoutMs + ANSWER_GRACE_MS
    this.#sessionSql = sessionSettings(statementTimeoutMs, plans) + (pipelined ? soleSession() : '')
    this.#pool = new pg.Pool({
      ...clientConfig(location),
      pipeline: true,
      max,
      connectionTimeoutMillis: this.#connectMs,
      idleTimeoutMillis: idleMs,
    })
    // An idle connection was cut. The pool has dropped it.
    this.#pool.on('error', () => {})
    // One that is cut while it is in use ends the process unless somebody listens, from the moment it is handed out.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  read(query: Query): Promise<Row[]> {
    return this.#run(query, 'read')
  }

  /** One statement, so one transaction: all of it or nothing. */
  write(query: Query): Promise<Row[]> {
    return this.#run(query, 'write')
  }

  /** Calls under way must have ended. */
  async end(): Promise<void> {
    await this.#pool.end()
  }

  /** Several statements that see the same moment, on one connection. `work` may be called again from the start. */
  snapshot<T>(work: (run: (query: Query) => Promise<Row[]>) => Promise<T>): Promise<T> {
    return this.#attempt('read', async (client, lease) => {
      try {
        // The next statement is sent behind the beginning and the end, without waiting for their answers.
        const run = (query: Query) => this.#answerOf(client, query, lease)
        const [, result] = await Promise.all([run(BEGIN_SNAPSHOT), work(run)])
        client.query({ name: 'end', text: 'COMMIT' }).catch(() => {})
        return result
      } catch (error) {
        lease.isSpent = true // with the transaction that is open in it
        throw error
      }
    })
  }

  async #run(query: Query, effect: 'read' | 'write'): Promise<Row[]> {
    return this.#attempt(effect, (client, lease) => this.#answerOf(client, query, lease))
  }

  async #attempt<T>(effect: 'read' | 'write', work: (client: PoolClient, lease: Lease) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const lease = this.#lease()
      const client = await this.#opened(lease, effect)
      try {
        const result = await work(client, lease)
        this.#leave(lease, client, false)
        return result
      } catch (error) {
        // Behind others on the same connection it would be out of order.
        const isAlone = lease.users === 1
        // A server that has become read-only is not the primary any more: the next connection may reach the new one.
        this.#leave(lease, client, endsConnection(error) || isReadOnly(error))
        // Whoever reads has waited long enough when a connection was given up because nothing came.
        const mayReadAgain = effect === 'read' && endsConnection(error) && !this.#silent.has(client)
        const mayRepeat = mayReadAgain || (isRollbackToRepeat(error) && isAlone)
        if (!mayRepeat || tries === TRIES_MAX)
          throw failureOf(error, { location: this.#location, stage: 'sent', effect })
      }
    }
  }

  #lease(): Lease {
    const lease = this.#shared ?? { client: this.#connect(), users: 0, isSpent: false, deadline: null }
    if (this.#isPipelined) this.#shared = lease
    lease.users++
    return lease
  }

  async #opened(lease: Lease, effect: 'read' | 'write'): Promise<PoolClient> {
    try {
      return await lease.client
    } catch (error) {
      if (this.#shared === lease) this.#shared = null
      throw failureOf(error, { location: this.#location, stage: 'connect', effect })
    }
  }

  #leave(lease: Lease, client: PoolClient, isSpent: boolean): void {
    lease.isSpent ||= isSpent
    lease.users--
    if (this.#shared === lease && (lease.isSpent || lease.users === 0)) this.#shared = null
    if (lease.users > 0) return
    if (lease.deadline !== null) clearTimeout(lease.deadline)
    client.release(lease.isSpent)
  }

  async #connect(): Promise<PoolClient> {
    const client = await this.#pool.connect()
    if (!this.#prepared.has(client)) await this.#prepareSession(client)
    return client
  }

  async #answerOf(client: PoolClient, { name, text, values }: Query, lease: Lease): Promise<Row[]> {
    lease.deadline ??= setTimeout(() => {
      this.#silent.add(client)
      cut(client)
    }, this.#answerMs)
    try {
      return (await client.query<Cell[]>({ name, text, values: values as Parameter[], rowMode: 'array' })).rows
    } finally {
      lease.deadline.refresh() // the server begins with the next one only now
    }
  }

  async #prepareSession(client: PoolClient): Promise<void> {
    const deadline = setTimeout(() => cut(client), this.#connectMs)
    try {
      await client.query(this.#sessionSql)
      this.#prepared.add(client)
    } catch (error) {
      client.release(true)
      throw error
    } finally {
      clearTimeout(deadline)
    }
  }
}

/** The statements under way fail at once, as they do when the network is cut. The driver's own end() may wait for them. */
function cut(client: PoolClient): void {
  ;(client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy()
}

/**
 * - Durability may be more than the default (remote_apply), never less.
 * - A server whose client is gone notices within half a minute and lets go of its locks.
 */
function sessionSettings(statementTimeoutMs: number, plans: ConnectionsOptions['plans']): string {
  return `
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
    SET default_transaction_isolation = 'read committed';
    SET statement_timeout = ${statementTimeoutMs};
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 25000;
    SET jit = off; ${plans === 'once' ? PLANNED_ONCE : 'SET plan_cache_mode = force_custom_plan;'}`
}

/**
 * What is sent on a pipelined connection may lie at the server, not even begun, when the connection is lost: the server would
 * do it later, after somebody has found out that it was not done. So the next session first ends the one before it, and
 * waits until it is gone, however long that takes where it may not end it. The number is drawn at random: it tells the
 * sessions of this process from others, and a process that has died is fenced by epochs.
 */
function soleSession(): string {
  const [high, low] = [randomInt(2 ** 31), randomInt(2 ** 31)]
  return `
    DO $do$ BEGIN
      PERFORM pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND classid = ${high} AND objid = ${low} AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid();
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END $do$;
    SELECT pg_advisory_lock(${high}, ${low});`
}

// Such plans are made when the tables may still be empty and a scan of everything looks cheap: the planner is told not to
// consider that.
const PLANNED_ONCE = `
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;`

export function clientConfig(location: PostgresLocation): pg.ClientConfig {
  const { host, port, user, password, database, tls } = location
  return {
    host,
    port,
    user,
    // As a function, because the driver would look into files and variables of its own for one that is not given.
    password: () => password ?? '',
    database,
    ssl: tlsOptions(tls, 'PG'),
    application_name: 'duetime',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  }
}

const INT8 = 20
const INT2 = 21
const INT4 = 23
const UUID = 2950
const BOOL = 16

/** Numbers fit into a double: they are times, versions and counts. */
function getTypeParser(oid: number): (text: string) => unknown {
  if (oid === INT8 || oid === INT4 || oid === INT2) return Number
  if (oid === UUID) return (text) => text.replaceAll('-', '')
  return oid === BOOL ? (text) => text === 't' : String
}
