// One connection after the other, for ever. The client library could reconnect by itself, but then it keeps what is
// published meanwhile and sends it later, unasked. Here a connection that breaks is over, with everything that was
// under way on it, and whoever uses it begins anew on the next one: nothing is ever sent twice or late behind our back.

import { randomInt } from 'node:crypto'
import type { NatsConnection } from '@nats-io/transport-node'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { BrokerSettings } from '../../runtime/config/broker.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { BrokerState } from '../broker.ts'
import { dial, reasonOf } from './dial.ts'

const CONNECT_TIMEOUT_MS = 5_000
const RETRY_FIRST_MS = 100 // a broker that restarts is back in a moment
const RETRY_MAX_MS = 2_000
const FIRST_CONNECTION_WITHIN_MS = 2_000 // so long a start waits for a broker that does not say no; then it goes on without
const MESSAGE_BYTES_DEFAULT_MAX = 1_048_576 // of servers that do not say
const LOG_EVERY_MS = 60_000 // while it cannot connect

export type SessionListener = (connection: NatsConnection) => void

export class Connection {
  readonly #settings: BrokerSettings
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #listeners = new Set<SessionListener>()
  readonly #stopping = new AbortController()
  #current: NatsConnection | null = null
  #reason = 'not connected yet'
  #running: Promise<void> | null = null
  /** Reasons that are in the log, of late. */
  readonly #logged = new Set<string>()
  #loggedSince = -Infinity
  readonly #firstTry = Promise.withResolvers<void>()

  constructor(options: { readonly settings: BrokerSettings; readonly clock: Clock; readonly logger: Logger }) {
    this.#settings = options.settings
    this.#clock = options.clock
    this.#logger = options.logger
  }

  get state(): BrokerState {
    if (this.#current !== null) {
      const messageBytesMax = this.#current.info?.max_payload ?? MESSAGE_BYTES_DEFAULT_MAX
      return { type: 'connected', server: this.#current.getServer(), messageBytesMax }
    }
    return { type: 'disconnected', reason: this.#reason }
  }

  /** Null while there is none. */
  get current(): NatsConnection | null {
    return this.#current
  }

  /** Called with every connection that is made, and at once with the one that is there. */
  onSession(listener: SessionListener): () => void {
    this.#listeners.add(listener)
    if (this.#current !== null) listener(this.#current)
    return () => this.#listeners.delete(listener)
  }

  async start(): Promise<void> {
    const cancel = this.#clock.after(FIRST_CONNECTION_WITHIN_MS, this.#firstTry.resolve)
    this.#running = this.#run()
    await this.#firstTry.promise
    cancel()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#current?.close()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    // Always the same for one node, so that a reason does not change from try to try, and another for another node.
    const first = randomInt(this.#settings.servers.length)
    let waitMs = RETRY_FIRST_MS
    while (!signal.aborted) {
      try {
        await this.#live(await dial(this.#settings, { timeoutMs: CONNECT_TIMEOUT_MS, first, signal }))
        waitMs = RETRY_FIRST_MS
      } catch (error) {
        this.#failed(error)
      }
      await sleep(this.#clock, waitMs, signal).catch(() => {})
      waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)
    }
  }

  /** From the moment it works to its end. */
  async #live(connection: NatsConnection): Promise<void> {
    if (this.#stopping.signal.aborted) return connection.close()
    this.#current = connection
    this.#logger.info({ server: connection.getServer(), version: connection.info?.version }, 'connected to the broker')
    for (const listener of this.#listeners) listener(connection)
    this.#firstTry.resolve()
    const error = await connection.closed()
    this.#current = null
    this.#reason = error instanceof Error ? reasonOf(error) : 'the connection was closed'
    this.#logged.clear()
    this.#logged.add(this.#reason)
    this.#loggedSince = this.#clock.monotonic()
    if (!this.#stopping.signal.aborted) this.#logger.warn({ reason: this.#reason }, 'lost the broker; connecting again')
  }

  #failed(error: unknown): void {
    const reason = reasonOf(error)
    const now = this.#clock.monotonic()
    if (now - this.#loggedSince > LOG_EVERY_MS) {
      this.#logged.clear()
      this.#loggedSince = now
    }
    if (!this.#logged.has(reason)) {
      this.#logged.add(reason)
      this.#logger.warn({ servers: this.#settings.servers, reason }, 'cannot connect to the broker; trying on')
    }
    this.#reason = reason
    this.#firstTry.resolve()
  }
}
