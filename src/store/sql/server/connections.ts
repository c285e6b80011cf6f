// Connections to a server for one kind of work, each lent to one call at a time or, pipelined, one of them to all calls at once.
// Each kind has its own, so that a commit never waits behind a list, nor a beat behind either. A connection that fails is thrown
// away; the next call makes a new one. What was undone for the sake of others, and what only reads, is tried again.

import type { Socket } from 'node:net'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import type { Query, Row } from '../statement.ts'
import type { ServerFailures } from './failures/server-failures.ts'
import type { LaneOptions } from './lanes.ts'

/** A pool of a driver. A client is the same object as long as its connection lasts. */
export type Pool<Client> = {
  readonly take: () => Promise<Client>
  readonly giveBack: (client: Client, isSpent: boolean) => void
  readonly end: () => Promise<unknown>
  /** Once for each new connection. */
  readonly prepare: (client: Client) => Promise<unknown>
  /** After an error that leaves the connection usable. False: it is not to be used again. */
  readonly undo?: (client: Client) => Promise<boolean>
}

type Options<Client> = {
  readonly location: ServerLocation
  readonly pool: Pool<Client>
  readonly failures: ServerFailures
  readonly times: WaitTimes
  /** All calls share one connection. The server works on them in their order, and goes on to the next one by itself. */
  readonly isPipelined?: boolean
}

/** A connection in use, by one call or, pipelined, by several. One that is spent is not used again. */
export type Lease<Client> = {
  readonly client: Promise<Client>
  users: number
  isSpent: boolean
  /** Runs while an answer is awaited, and anew after each. */
  deadline: NodeJS.Timeout | null
}

export const CONNECT_MS = 10_000 // also for a turn when all connections are busy
const ANSWER_GRACE_MS = 2_000 // the server gives up first and says so; if it is not heard from by then, the network is gone
const TRIES_MAX = 3

export type WaitTimes = { readonly connectMs: number; readonly answerMs: number }

export function timesOf({ patienceMs, statementTimeoutMs }: LaneOptions): WaitTimes {
  return { connectMs: patienceMs ?? CONNECT_MS, answerMs: patienceMs ?? statementTimeoutMs + ANSWER_GRACE_MS }
}

export abstract class ServerConnections<Client extends object, Asked = Query> {
  readonly #options: Options<Client>
  #shared: Lease<Client> | null = null
  readonly #prepared = new WeakSet<Client>()
  /** Connections on which no answer came in time. */
  readonly #silent = new WeakSet<Client>()

  constructor(options: Options<Client>) {
    this.#options = options
  }

  /** One statement. */
  protected abstract run(client: Client, query: Asked): Promise<readonly Row[]>
  /** Several statements that see the same moment, on one connection. `work` may be called again from the start. */
  abstract snapshot<T>(work: (run: (query: Asked) => Promise<readonly Row[]>) => Promise<T>): Promise<T>

  read(query: Asked): Promise<readonly Row[]> {
    return this.attempt('read', (client, lease) => this.answer(client, lease, this.run(client, query)))
  }

  /** One statement, so one transaction: all of it or nothing. */
  write(query: Asked): Promise<readonly Row[]> {
    return this.attempt('write', (client, lease) => this.answer(client, lease, this.run(client, query)))
  }

  /** Calls under way must have ended. */
  async end(): Promise<void> {
    await this.#options.pool.end()
  }

  /** `work` may be called again from the start. */
  protected async attempt<T>(
    effect: 'read' | 'write',
    work: (client: Client, lease: Lease<Client>) => Promise<T>,
  ): Promise<T> {
    const { location, failures, pool } = this.#options
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
        const { endsConnection: isLost = false, isReadOnly, isRollbackToRepeat = false } = failures.meaningOf(error)
        // A server that has become read-only is not the primary any more: the next connection may reach the new one.
        const isUseless = isLost || isReadOnly === true
        this.#leave(lease, client, isUseless || (pool.undo !== undefined && !(await pool.undo(client))))
        // Whoever reads has waited long enough when a connection was given up because nothing came.
        const mayReadAgain = effect === 'read' && isLost && !this.#silent.has(client)
        const mayRepeat = mayReadAgain || (isRollbackToRepeat && isAlone)
        if (!mayRepeat || tries === TRIES_MAX) throw failures.failureOf(error, { location, stage: 'sent', effect })
      }
    }
  }

  /** What was sent, with the time that an answer may take. */
  protected async answer<T>(client: Client, lease: Lease<Client>, sent: Promise<T>): Promise<T> {
    lease.deadline ??= setTimeout(() => {
      this.#silent.add(client)
      cut(client)
    }, this.#options.times.answerMs)
    try {
      return await sent
    } finally {
      lease.deadline.refresh() // the server begins with the next one only now
    }
  }

  #lease(): Lease<Client> {
    const lease = this.#shared ?? { client: this.#connect(), users: 0, isSpent: false, deadline: null }
    if (this.#options.isPipelined === true) this.#shared = lease
    lease.users++
    return lease
  }

  async #opened(lease: Lease<Client>, effect: 'read' | 'write'): Promise<Client> {
    try {
      return await lease.client
    } catch (error) {
      if (this.#shared === lease) this.#shared = null
      const { failures, location } = this.#options
      throw failures.failureOf(error, { location, stage: 'connect', effect })
    }
  }

  #leave(lease: Lease<Client>, client: Client, isSpent: boolean): void {
    lease.isSpent ||= isSpent
    lease.users--
    if (this.#shared === lease && (lease.isSpent || lease.users === 0)) this.#shared = null
    if (lease.users > 0) return
    if (lease.deadline !== null) clearTimeout(lease.deadline)
    this.#options.pool.giveBack(client, lease.isSpent)
  }

  async #connect(): Promise<Client> {
    const { pool, times } = this.#options
    const client = await pool.take()
    if (this.#prepared.has(client)) return client
    const deadline = setTimeout(() => cut(client), times.connectMs)
    try {
      await pool.prepare(client)
      this.#prepared.add(client)
      return client
    } catch (error) {
      pool.giveBack(client, true)
      throw error
    } finally {
      clearTimeout(deadline)
    }
  }
}

/**
 * What is under way fails at once, as it does when the network is cut. The ways in which drivers end a connection may wait for the
 * server. Those of PostgreSQL and MySQL have the socket in the same place.
 */
export function cut(client: object): void {
  ;(client as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy()
}
