// Connections to PostgreSQL. Statements are prepared once for each connection, and sent without waiting for the answers of those
// before them.

import { randomInt } from 'node:crypto'
import pg from 'pg'
import type { PoolClient } from 'pg'
import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import type { Cell } from '../../row/columns.ts'
import { CONNECT_MS, ServerConnections, timesOf } from '../../sql/server/connections.ts'
import type { LaneOptions } from '../../sql/server/lanes.ts'
import { tlsOptions } from '../../sql/server/tls.ts'
import type { Query as NamelessQuery, Row, Value } from '../../sql/statement.ts'
import { FAILURES } from './failures.ts'

/** Prepared under its name. One without gets a name by its text. */
export type Query = NamelessQuery & { readonly name?: string }

export type ConnectionsOptions = LaneOptions & {
  readonly location: PostgresLocation
  /** `once`: for statements that are made for one index. `each time`: for those that are not. */
  readonly plans: 'once' | 'each time'
  /** All calls share one connection. The server works on them in their order, and goes on to the next one by itself. */
  readonly pipelined?: boolean
}

const BEGIN_SNAPSHOT = { name: 'begin', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', values: [] }

export class Connections extends ServerConnections<PoolClient, Query> {
  /** Of statements by their text. There are as many as combinations of filters, a few dozen. */
  readonly #names = new Map<string, string>()

  constructor(options: ConnectionsOptions) {
    const { location, max, statementTimeoutMs, idleMs, plans, pipelined = false } = options
    const times = timesOf(options)
    const sessionSql = sessionSettings(statementTimeoutMs, plans) + (pipelined ? soleSession() : '')
    const pooled = { pipeline: true, max, connectionTimeoutMillis: times.connectMs, idleTimeoutMillis: idleMs }
    const pool = new pg.Pool({ ...clientConfig(location), ...pooled })
    // An idle connection was cut. The pool has dropped it.
    pool.on('error', () => {})
    // One that is cut while it is in use ends the process unless somebody listens, from the moment it is handed out.
    pool.on('connect', (client) => client.on('error', () => {}))
    super({
      location,
      failures: FAILURES,
      times,
      isPipelined: pipelined,
      pool: {
        take: () => pool.connect(),
        giveBack: (client, isSpent) => client.release(isSpent),
        end: () => pool.end(),
        prepare: (client) => client.query(sessionSql),
      },
    })
  }

  snapshot<T>(work: (run: (query: Query) => Promise<readonly Row[]>) => Promise<T>): Promise<T> {
    return this.attempt('read', async (client, lease) => {
      try {
        // The next statement is sent behind the beginning and the end, without waiting for their answers.
        const run = (query: Query) => this.answer(client, lease, this.run(client, query))
        const [, result] = await Promise.all([run(BEGIN_SNAPSHOT), work(run)])
        client.query({ name: 'end', text: 'COMMIT' }).catch(() => {})
        return result
      } catch (error) {
        lease.isSpent = true // with the transaction that is open in it
        throw error
      }
    })
  }

  protected async run(client: PoolClient, { text, values, name = this.#nameOf(text) }: Query): Promise<Row[]> {
    return (await client.query<Cell[]>({ name, text, values: values as Value[], rowMode: 'array' })).rows
  }

  #nameOf(text: string): string {
    let name = this.#names.get(text)
    if (name === undefined) this.#names.set(text, (name = `question-${this.#names.size}`))
    return name
  }
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
