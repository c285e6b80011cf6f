// One connection after the other, for ever. The client library could reconnect by itself, but then it keeps what is
// published meanwhile and sends it later, unasked. Here a connection that breaks is over, with everything that was
// under way on it, and whoever uses it begins anew on the next one: nothing is ever sent twice or late behind our back.

import { readFile } from 'node:fs/promises'
import { connect, credsAuthenticator, errors } from '@nats-io/transport-node'
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node'
import { sleep } from '../../runtime/clock.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { BrokerSettings } from '../../runtime/config-broker.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { BrokerState } from '../broker.ts'

const CONNECT_TIMEOUT_MS = 5_000
const RETRY_FIRST_MS = 100 // a broker that restarts is back in a moment
const RETRY_MAX_MS = 2_000
const FIRST_CONNECTION_WITHIN_MS = 2_000 // so long a start waits for a broker that does not say no; then it goes on without
const PING_INTERVAL_MS = 10_000 // with two unanswered pings allowed, a dead network is noticed within half a minute
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
  #loggedAt = -Infinity
  readonly #firstTry = Promise.withResolvers<void>()

  constructor(options: { readonly settings: BrokerSettings; readonly clock: Clock; readonly logger: Logger }) {
    this.#settings = options.settings
    this.#clock = options.clock
    this.#logger = options.logger
  }

  get state(): BrokerState {
    if (this.#current !== null) return { type: 'connected', server: this.#current.getServer() }
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
    let waitMs = RETRY_FIRST_MS
    while (!signal.aborted) {
      try {
        await this.#live(await connect(await connectionOptions(this.#settings)))
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
    this.#reason = error instanceof Error ? describe(error) : 'the connection was closed'
    this.#loggedAt = this.#clock.monotonic()
    if (!this.#stopping.signal.aborted) this.#logger.warn({ reason: this.#reason }, 'lost the broker; connecting again')
  }

  #failed(error: unknown): void {
    const reason = describe(error)
    const now = this.#clock.monotonic()
    if (reason !== this.#reason || now - this.#loggedAt > LOG_EVERY_MS) {
      this.#loggedAt = now
      this.#logger.warn({ servers: this.#settings.servers, reason }, 'cannot connect to the broker; trying on')
    }
    this.#reason = reason
    this.#firstTry.resolve()
  }
}

/** Files are read for every connection, so that renewed credentials are taken without a restart. */
export async function connectionOptions(settings: BrokerSettings): Promise<NodeConnectionOptions> {
  const { servers, user, password, token, credentialsFile, tls } = settings
  return {
    servers: [...servers],
    name: 'duetime',
    reconnect: false,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    noAsyncTraces: true, // stack traces for every request cost more than the requests
    ...(user !== null && { user }),
    ...(password !== null && { pass: password }),
    ...(token !== null && { token }),
    ...(credentialsFile !== null && { authenticator: credsAuthenticator(await readFile(credentialsFile)) }),
    ...(tls !== null && { tls: await readTls(tls) }),
  }
}

async function readTls(tls: NonNullable<BrokerSettings['tls']>): Promise<{ ca?: string; cert?: string; key?: string }> {
  const read = async (path: string | null) => (path === null ? undefined : readFile(path, 'utf8'))
  const [ca, cert, key] = await Promise.all([read(tls.caFile), read(tls.certFile), read(tls.keyFile)])
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) }
}

function describe(error: unknown): string {
  if (error instanceof errors.AuthorizationError) return 'the broker refused the credentials'
  return error instanceof Error ? error.message.toLowerCase() : 'unknown error'
}
