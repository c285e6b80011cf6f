// Connections to MySQL, MariaDB or TiDB. What belongs together is sent as several statements in one message, which is one round
// trip; the server stops at the first that fails.

import { randomUUID } from 'node:crypto'
import type { Connection, PoolConnection } from 'mysql2/promise'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import type { Cell } from '../../row/columns.ts'
import type { RunMessage } from '../../sql/server/commit/message-commits.ts'
import { ServerConnections, timesOf } from '../../sql/server/connections.ts'
import type { Lease } from '../../sql/server/connections.ts'
import type { LaneOptions } from '../../sql/server/lanes.ts'
import type { Query, Row } from '../../sql/statement.ts'
import { StoreError } from '../../store.ts'
import { driverPool } from './driver.ts'
import { FAILURES } from './failures.ts'
import { written } from './literals.ts'

export type Reply = { readonly rows: readonly Row[]; readonly affected: number }

export type ConnectionsOptions = LaneOptions & {
  readonly location: ServerLocation
  /** There is never a second session: the one before it has ended when a new one begins. */
  readonly isSole?: boolean
}

/**
 * The server ends a session from which it hears nothing for so long in the midst of a transaction, and what it had locked is free: a
 * node that is cut off there does not keep others from its shards.
 */
const SILENT_MAX_S = 10
const HEARD = `SET wait_timeout = ${SILENT_MAX_S}`
const UNHEARD = 'SET wait_timeout = DEFAULT'
export const BEGIN = [HEARD, 'START TRANSACTION']
export const COMMIT = ['COMMIT', UNHEARD]
export const ROLLBACK = ['ROLLBACK', UNHEARD]
const BEGIN_SNAPSHOT = [
  HEARD,
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  'START TRANSACTION WITH CONSISTENT SNAPSHOT',
]

export class Connections extends ServerConnections<PoolConnection> {
  constructor(options: ConnectionsOptions) {
    const { location, max, statementTimeoutMs, isSole = false } = options
    const times = timesOf(options)
    const former: FormerSession = { name: `duetime-${randomUUID().slice(0, 18)}`, id: null }
    super({
      location,
      failures: FAILURES,
      times,
      pool: {
        ...driverPool(location, max, times.connectMs),
        prepare: async (connection) => {
          await runOn(connection, sessionSettings(statementTimeoutMs))
          if (isSole) await endFormerSession(connection, former, times.connectMs)
        },
        undo: async (connection) => (await runOn(connection, ROLLBACK).catch(() => null)) !== null,
      },
    })
  }

  /** All of it or nothing. */
  async transaction(statements: readonly string[]): Promise<readonly Reply[]> {
    const message = [...BEGIN, ...statements, ...COMMIT]
    const replies = await this.attempt('write', (connection, lease) => this.#send(connection, lease, message))
    return replies.slice(BEGIN.length, -COMMIT.length)
  }

  snapshot<T>(work: (run: (query: Query) => Promise<readonly Row[]>) => Promise<T>): Promise<T> {
    return this.attempt('read', async (connection, lease) => {
      let beginning = BEGIN_SNAPSHOT
      const result = await work(async (query) => {
        const message = [...beginning, written(query)]
        beginning = []
        return (await this.#send(connection, lease, message)).at(-1)!.rows
      })
      await this.#send(connection, lease, COMMIT)
      return result
    })
  }

  /** Messages of a commit, of which the first is the only one as a rule. */
  messages<T>(work: (run: RunMessage) => Promise<T>): Promise<T> {
    return this.attempt('write', (connection, lease) =>
      work(async (message) => (await this.#send(connection, lease, message.map(written))).map(({ rows }) => rows)),
    )
  }

  protected async run(connection: PoolConnection, query: Query): Promise<readonly Row[]> {
    return (await runOn(connection, [written(query)]))[0]!.rows
  }

  #send(connection: PoolConnection, lease: Lease<PoolConnection>, message: readonly string[]) {
    return this.answer(connection, lease, runOn(connection, message))
  }
}

/** Statements in one round trip. Rejects with the error of the first that failed. */
async function runOn(connection: Connection, statements: readonly string[]): Promise<readonly Reply[]> {
  const [answers] = await connection.query({ sql: statements.join(';\n'), rowsAsArray: true })
  return statements.length === 1 ? [replyOf(answers)] : (answers as unknown[]).map(replyOf)
}

type FormerSession = { readonly name: string; id: number | null }

/**
 * What was sent may lie at the server, not even begun, when the connection is lost: the server would do it later, after
 * somebody has found out that it was not done. So the next session first ends the one before it, and waits until it is gone,
 * which the lock shows that it held. A process that has died is fenced by epochs.
 */
async function endFormerSession(connection: Connection, former: FormerSession, withinMs: number): Promise<void> {
  // It may be gone, or known by this number no more; the lock tells.
  if (former.id !== null)
    await runOn(connection, [`KILL ${former.id}`]).catch((error: unknown) => {
      if (FAILURES.meaningOf(error).endsConnection === true) throw error
    })
  const seconds = Math.max(1, Math.floor(withinMs / 2_000))
  const [reply] = await runOn(connection, [`SELECT GET_LOCK('${former.name}', ${seconds}), CONNECTION_ID()`])
  const [isFree, id] = reply!.rows[0] as [number, number]
  if (isFree !== 1) throw new StoreError('the session before this one has not ended yet')
  former.id = id
}

/** Names are kept as bytes. */
function replyOf(answer: unknown): Reply {
  if (!Array.isArray(answer)) return { rows: [], affected: (answer as { affectedRows: number }).affectedRows }
  for (const row of answer as unknown[][])
    for (const [at, cell] of row.entries()) if (Buffer.isBuffer(cell)) row[at] = cell.toString()
  return { rows: answer as Cell[][], affected: 0 }
}

/**
 * - READ COMMITTED: a statement sees what was committed before it, also after it has waited for a lock, and ranges are not locked.
 * - Strict, so that nothing is cut off to fit; backslashes escape, as literals.ts has it.
 * - A statement that waits or works for too long is given up by the server. The comments are for MariaDB, MySQL and TiDB alone.
 */
export function sessionSettings(statementTimeoutMs: number): string[] {
  const seconds = Math.max(1, Math.round(statementTimeoutMs / 1_000))
  return [
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
    `SET autocommit = 1, sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION', innodb_lock_wait_timeout = ${seconds}
       /*M! , max_statement_time = ${statementTimeoutMs / 1_000} */
       /*!80000 , max_execution_time = ${statementTimeoutMs} */ /*T! , tidb_txn_mode = 'pessimistic' */`,
  ]
}
