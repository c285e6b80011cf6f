// Connections to MySQL, MariaDB or TiDB for one kind of work. Each kind has its own, so that a commit never waits behind a list,
// nor a beat behind either. What belongs together is sent as several statements in one message, which is one round trip; the
// server stops at the first that fails. A connection that fails is thrown away; the next call makes a new one.

import { randomUUID } from 'node:crypto'
import type { Connection } from 'mysql2/promise'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import type { Cell } from '../../row/columns.ts'
import type { LaneOptions } from '../../sql/server/lanes.ts'
import type { Query, Row } from '../../sql/statement.ts'
import { StoreError } from '../../store.ts'
import { connect, cut } from './driver.ts'
import { endsConnection, failureOf, isReadOnly, isRollbackToRepeat } from './failures.ts'
import { written } from './literals.ts'

export type Reply = { readonly rows: readonly Row[]; readonly affected: number }
/** Statements in one round trip. Rejects with the error of the first that failed. */
export type Run = (statements: readonly string[]) => Promise<readonly Reply[]>

export type ConnectionsOptions = LaneOptions & {
  readonly location: ServerLocation
  /** There is never a second session: the one before it has ended when a new one begins. */
  readonly isSole?: boolean
}

const CONNECT_MS = 10_000 // also for a turn when all connections are busy
const ANSWER_GRACE_MS = 2_000 // the server gives up first and says so; if it is not heard from by then, the network is gone
const TRIES_MAX = 3
/**
 * The server ends a session from which it hears nothing for so long, and what it had locked is free: a node that is cut off in
 * the midst of a transaction does not keep others from its shards. Idle connections let it hear something.
 */
const SESSION_SILENT_MAX_S = 10
const SIGN_OF_LIFE_MS = 3_000
const BEGIN_SNAPSHOT = ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'START TRANSACTION WITH CONSISTENT SNAPSHOT']

type Waiting = PromiseWithResolvers<Connection | null> & { readonly late: NodeJS.Timeout }

export class Connections {
  readonly #options: ConnectionsOptions
  readonly #connectMs: number
  readonly #answerMs: number
  readonly #sessionName = `duetime-${randomUUID().slice(0, 18)}`
  readonly #idle: Connection[] = []
  readonly #waiting: Waiting[] = []
  /** Those that are dead, or on which no answer came in time. */
  readonly #dead = new WeakSet<Connection>()
  readonly #signsOfLife: NodeJS.Timeout
  #isSilent = false
  #open = 0
  #formerSession: number | null = null

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#connectMs = options.patienceMs ?? CONNECT_MS
    this.#answerMs = options.patienceMs ?? options.statementTimeoutMs + ANSWER_GRACE_MS
    this.#signsOfLife = setInterval(() => this.#giveSignsOfLife(), SIGN_OF_LIFE_MS).unref()
  }

  async read(query: Query): Promise<readonly Row[]> {
    return this.use('read', async (run) => (await run([written(query)]))[0]!.rows)
  }

  /** One statement, or several of a transaction that begins and ends with them. */
  write(statements: readonly string[]): Promise<readonly Reply[]> {
    return this.use('write', (run) => run(statements))
  }

  /** Several statements that see the same moment. `work` may be called again from the start. */
  snapshot<T>(work: (run: (query: Query) => Promise<readonly Row[]>) => Promise<T>): Promise<T> {
    return this.use('read', async (run) => {
      let beginning = BEGIN_SNAPSHOT
      const result = await work(async (query) => {
        const statements = [...beginning, written(query)]
        beginning = []
        return (await run(statements)).at(-1)!.rows
      })
      await run(['COMMIT'])
      return result
    })
  }

  /** `work` has a connection to itself. It is called again when the server has undone it because of others. */
  async use<T>(effect: 'read' | 'write', work: (run: Run) => Promise<T>): Promise<T> {
    const { location } = this.#options
    for (let tries = 1; ; tries++) {
      const connection = await this.#take(effect)
      try {
        const result = await work((statements) => this.#answer(connection, statements))
        this.#giveBack(connection)
        return result
      } catch (error) {
        const isLost = endsConnection(error)
        // A server that has become read-only is not the primary any more: the next connection may reach the new one.
        if (isLost || isReadOnly(error)) this.#drop(connection)
        else await this.#rollBack(connection)
        // Whoever reads has waited long enough when a connection was given up because nothing came.
        const mayReadAgain = effect === 'read' && isLost && !this.#isSilent
        if (tries === TRIES_MAX || !(mayReadAgain || isRollbackToRepeat(error)))
          throw failureOf(error, { location, stage: 'sent', effect })
      }
    }
  }

  /** Calls under way must have ended. */
  async end(): Promise<void> {
    clearInterval(this.#signsOfLife)
    await Promise.allSettled(this.#idle.splice(0).map((connection) => connection.end()))
  }

  async #answer(connection: Connection, statements: readonly string[]): Promise<readonly Reply[]> {
    this.#isSilent = false
    const late = setTimeout(() => {
      this.#isSilent = true
      cut(connection)
    }, this.#answerMs)
    try {
      const [answers] = await connection.query({ sql: statements.join(';\n'), rowsAsArray: true })
      return statements.length === 1 ? [replyOf(answers)] : (answers as unknown[]).map(replyOf)
    } finally {
      clearTimeout(late)
    }
  }

  async #take(effect: 'read' | 'write'): Promise<Connection> {
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    if (this.#open >= this.#options.max) {
      const next = await this.#turn()
      if (next !== null) return next
    }
    this.#open++
    try {
      return await this.#connect()
    } catch (error) {
      this.#open--
      this.#waiting.shift()?.resolve(null)
      throw failureOf(error, { location: this.#options.location, stage: 'connect', effect })
    }
  }

  /** Null: a connection may be made. */
  async #turn(): Promise<Connection | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection | null>()
    const late = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      reject(new StoreError('no connection became free in time: raise MYSQL_POOL_SIZE, or ask for less at once'))
    }, this.#connectMs)
    const waiting: Waiting = { promise, resolve, reject, late }
    this.#waiting.push(waiting)
    return promise.finally(() => clearTimeout(late))
  }

  async #connect(): Promise<Connection> {
    const { location, statementTimeoutMs, isSole = false } = this.#options
    const connection = await connect(location, this.#connectMs, () => this.#forget(connection))
    try {
      await this.#answer(connection, sessionSettings(statementTimeoutMs))
      if (isSole) await this.#endFormerSession(connection)
      return connection
    } catch (error) {
      cut(connection)
      throw error
    }
  }

  /**
   * What was sent may lie at the server, not even begun, when the connection is lost: the server would do it later, after
   * somebody has found out that it was not done. So the next session first ends the one before it, and waits until it is gone,
   * which the lock shows that it held. A process that has died is fenced by epochs.
   */
  async #endFormerSession(connection: Connection): Promise<void> {
    // It may be gone, or known by this number no more; the lock tells.
    if (this.#formerSession !== null)
      await this.#answer(connection, [`KILL ${this.#formerSession}`]).catch((error: unknown) => {
        if (endsConnection(error)) throw error
      })
    const seconds = Math.max(1, Math.floor(this.#answerMs / 2_000))
    const statement = `SELECT GET_LOCK('${this.#sessionName}', ${seconds}), CONNECTION_ID()`
    const [isFree, session] = (await this.#answer(connection, [statement]))[0]!.rows[0]!
    if (isFree !== 1) throw new StoreError('the session before this one has not ended yet')
    this.#formerSession = session as number
  }

  /** They stay where they are: the driver sends what is asked meanwhile after the ping. */
  #giveSignsOfLife(): void {
    for (const connection of this.#idle) connection.ping().catch(() => this.#forget(connection))
  }

  #giveBack(connection: Connection): void {
    if (this.#dead.has(connection)) return this.#drop(connection)
    const next = this.#waiting.shift()
    if (next !== undefined) return next.resolve(connection)
    this.#idle.push(connection)
    const { idleMs } = this.#options
    if (idleMs > 0) setTimeout(() => this.#endIdle(connection), idleMs).unref()
  }

  /** A connection in use since then is not at this place any more, or is behind others that go first. */
  #endIdle(connection: Connection): void {
    if (this.#idle[0] !== connection) return
    this.#idle.shift()
    this.#open--
    connection.end().catch(() => {})
  }

  async #rollBack(connection: Connection): Promise<void> {
    try {
      await this.#answer(connection, ['ROLLBACK'])
      this.#giveBack(connection)
    } catch {
      this.#drop(connection)
    }
  }

  #drop(connection: Connection): void {
    this.#dead.add(connection)
    cut(connection)
    this.#open--
    this.#waiting.shift()?.resolve(null)
  }

  /** It was cut, maybe while it was idle. */
  #forget(connection: Connection): void {
    this.#dead.add(connection)
    const at = this.#idle.indexOf(connection)
    if (at < 0) return
    this.#idle.splice(at, 1)
    this.#open--
  }
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
 * - A statement that waits or works for too long is given up by the server, as is a session that is silent for too long. The
 *   comments are for MariaDB, MySQL and TiDB alone.
 */
export function sessionSettings(statementTimeoutMs: number): string[] {
  const seconds = Math.max(1, Math.round(statementTimeoutMs / 1_000))
  return [
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
    `SET autocommit = 1, sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION', innodb_lock_wait_timeout = ${seconds},
       wait_timeout = ${SESSION_SILENT_MAX_S}
       /*M! , max_statement_time = ${statementTimeoutMs / 1_000} */
       /*!80000 , max_execution_time = ${statementTimeoutMs} */ /*T! , tidb_txn_mode = 'pessimistic' */`,
  ]
}
