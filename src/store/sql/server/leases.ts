// Connections of a driver's pool, lent to one call at a time or, pipelined, one of them to all calls at once. A connection that fails
// is thrown away; the next call makes a new one. What was undone for the sake of others, and what only reads, is tried again.

import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import type { StoreError } from '../../store.ts'
import type { LaneOptions } from './lanes.ts'
import type { FailureContext } from './server-failure.ts'

/** A pool of a driver. A client is the same object as long as its connection lasts. */
export type Pool<Client> = {
  readonly take: () => Promise<Client>
  readonly giveBack: (client: Client, isSpent: boolean) => void
  readonly end: () => Promise<unknown>
  /** Once for each new connection. */
  readonly prepare: (client: Client) => Promise<unknown>
  /** What is under way fails at once, as it does when the network is cut. */
  readonly cut: (client: Client) => void
  /** After an error that leaves the connection usable. False: it is not to be used again. */
  readonly undo?: (client: Client) => Promise<boolean>
}

export type Failures = {
  readonly failureOf: (error: unknown, context: FailureContext) => StoreError
  /** Whether the connection is of no use any more. */
  readonly endsConnection: (error: unknown) => boolean
  readonly isReadOnly: (error: unknown) => boolean
  /** The server undid the transaction only for the sake of another one: the same again may succeed at once. */
  readonly isRollbackToRepeat: (error: unknown) => boolean
}

export type LeasesOptions<Client> = {
  readonly location: ServerLocation
  readonly pool: Pool<Client>
  readonly failures: Failures
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

export class Leases<Client extends object> {
  readonly #options: LeasesOptions<Client>
  #shared: Lease<Client> | null = null
  readonly #prepared = new WeakSet<Client>()
  /** Connections on which no answer came in time. */
  readonly #silent = new WeakSet<Client>()

  constructor(options: LeasesOptions<Client>) {
    this.#options = options
  }

  /** `work` may be called again from the start. */
  async attempt<T>(effect: 'read' | 'write', work: (client: Client, lease: Lease<Client>) => Promise<T>): Promise<T> {
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
        const isLost = failures.endsConnection(error)
        // A server that has become read-only is not the primary any more: the next connection may reach the new one.
        const isUseless = isLost || failures.isReadOnly(error)
        this.#leave(lease, client, isUseless || (pool.undo !== undefined && !(await pool.undo(client))))
        // Whoever reads has waited long enough when a connection was given up because nothing came.
        const mayReadAgain = effect === 'read' && isLost && !this.#silent.has(client)
        const mayRepeat = mayReadAgain || (failures.isRollbackToRepeat(error) && isAlone)
        if (!mayRepeat || tries === TRIES_MAX) throw failures.failureOf(error, { location, stage: 'sent', effect })
      }
    }
  }

  /** What was sent, with the time that an answer may take. */
  async answer<T>(client: Client, lease: Lease<Client>, sent: Promise<T>): Promise<T> {
    lease.deadline ??= setTimeout(() => {
      this.#silent.add(client)
      this.#options.pool.cut(client)
    }, this.#options.times.answerMs)
    try {
      return await sent
    } finally {
      lease.deadline.refresh() // the server begins with the next one only now
    }
  }

  /** Calls under way must have ended. */
  async end(): Promise<void> {
    await this.#options.pool.end()
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
    const deadline = setTimeout(() => pool.cut(client), times.connectMs)
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
