// Reads and conditional writes, over the driver, which is loaded when a URL asks for it. What was acknowledged is on a quorum
// of the replicas, and every read asks a quorum. A call that fails is tried again here and not by the driver, since only who
// sees each attempt knows whether one of them may have been done.

import { readFileSync } from 'node:fs'
import type * as Driver from 'cassandra-driver'
import type { Client, Host, QueryOptions, types } from 'cassandra-driver'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { CassandraLocation, CassandraTls } from '../../runtime/config/databases/cassandra.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { Attempts, storeError } from '../keyed/attempts.ts'
import { loadDriver } from '../driver.ts'
import { StoreError } from '../store.ts'
import { kindOf, messageOf, nullIfRefused } from './failures.ts'

export type Row = Readonly<Record<string, unknown>>
export type Statement = { readonly query: string; readonly params: readonly unknown[] }
export type CallOptions = {
  /** Also what a write did that was accepted and has not been acknowledged: it is done then, or never. */
  readonly isSerial?: boolean
  /** Not tried again after that. It does not wait behind other writes. */
  readonly withinMs?: number
  /** By this node of the database. */
  readonly host?: Host
}

const ANSWER_WITHIN_MS = 4_000 // the server gives up before that
const TIMEOUTS_MAX = 2 // of a connection, before it is replaced: its node may be frozen
const RECONNECT_EVERY_MS = 500
const WRITES_MAX = 32 // at once: as many as a node works on by default
const ROWS_PER_PAGE = 1_000
const ATTEMPTS_MAX = 15 // about five seconds: by then a connection that broke has been made again
const DRIVER = { database: 'Cassandra', name: 'cassandra-driver' }
const FAILURES = { database: DRIVER.database, kindOf, messageOf, attemptsMax: ATTEMPTS_MAX }

export function statement(query: string, ...params: readonly unknown[]): Statement {
  return { query, params }
}

export class Session {
  readonly client: Client
  readonly #attempts: Attempts
  readonly #serial: types.consistencies
  readonly #writes = new Semaphore(WRITES_MAX)
  /** The local one. */
  readonly dataCenter: string

  private constructor(client: Client, options: Options, attempts: Attempts) {
    this.client = client
    this.#serial = options.queryOptions.serialConsistency
    this.dataCenter = options.localDataCenter ?? ''
    this.#attempts = attempts
  }

  /** Without a keyspace: it may not be there yet. */
  static async connect(location: CassandraLocation, clock: Clock): Promise<Session> {
    const session = await Session.#open(location, clock)
    if (location.dataCenter !== null) return session
    try {
      return await Session.#open({ ...location, dataCenter: onlyCentre(session.hosts) }, clock)
    } finally {
      await session.client.shutdown()
    }
  }

  static async #open(location: CassandraLocation, clock: Clock): Promise<Session> {
    const driver = await loadDriver(DRIVER, () => import('cassandra-driver'))
    const failures = { ...FAILURES, place: placeOf(location) }
    const options = clientOptions(location, driver)
    const client = new driver.Client(options)
    guardReconnecting(client)
    try {
      await client.connect()
      return new Session(client, options, new Attempts(clock, failures))
    } catch (error) {
      await client.shutdown()
      throw storeError(failures, error, false)
    }
  }

  /** All rows of all pages. Without conditions. */
  run(query: string, params: readonly unknown[] = [], options: CallOptions = {}): Promise<Row[]> {
    const { isSerial = false, host } = options
    const level = isSerial ? { consistency: this.#serial } : {}
    const how: QueryOptions = { prepare: params.length > 0, ...level, ...(host !== undefined && { host }) }
    return this.#attempt(options, (timeout) => this.#rows(query, params, { ...how, ...timeout }))
  }

  /** As `run`, and null when the replicas refuse to read that much. */
  runOrRefused(query: string, params: readonly unknown[]): Promise<Row[] | null> {
    return this.#attempt({}, () => this.#rows(query, params, { prepare: true }).catch(nullIfRefused))
  }

  async #rows(query: string, params: readonly unknown[], how: QueryOptions): Promise<Row[]> {
    return Array.fromAsync(await this.client.execute(query, [...params], how))
  }

  /** Statements on one partition, one of them with a condition at least: all of them, or none and false. */
  async write(statements: readonly Statement[], options: CallOptions = {}): Promise<boolean> {
    const batch = statements as { query: string; params: unknown[] }[]
    const call = () =>
      this.#attempt(options, (timeout) => this.client.batch(batch, { prepare: true, logged: false, ...timeout }))
    return (await (options.withinMs === undefined ? this.#writes.take(call) : call())).wasApplied()
  }

  /** The nodes of the database that can be reached, in an order that all services agree on. */
  get hosts(): readonly Host[] {
    const hosts = this.client.hosts.values().filter((host) => host.isUp())
    return hosts.toSorted((a, b) => (a.address < b.address ? -1 : 1))
  }

  #attempt<T>({ withinMs }: CallOptions, call: (timeout: { readTimeout?: number }) => Promise<T>): Promise<T> {
    if (withinMs === undefined) return this.#attempts.make(() => call({}))
    return this.#attempts.make(() => call({ readTimeout: withinMs }), AbortSignal.timeout(withinMs))
  }
}

/** Without a name every node would have to choose the same one: what one of them writes, those of another do not see. */
function onlyCentre(hosts: readonly Host[]): string {
  const [one, ...others] = new Set(hosts.map(({ datacenter }) => datacenter))
  if (others.length === 0) return one!
  throw StoreError.lasting(`there are several data centres (${one}, ${others.join(', ')}): name one with ?datacenter=`)
}

export function placeOf({ keyspace, hosts }: CassandraLocation): string {
  return `keyspace ${keyspace} at ${hosts.join(', ')}`
}

type Options = ReturnType<typeof clientOptions> & { readonly localDataCenter?: string }

function clientOptions(location: CassandraLocation, { types: { consistencies: levels }, policies }: typeof Driver) {
  const { hosts, port, user, password, tls, dataCenter } = location
  const { loadBalancing, reconnection, retry } = policies
  const isLocal = location.consistency !== 'quorum'
  return {
    contactPoints: [...hosts],
    protocolOptions: { port },
    ...(user !== null && { credentials: { username: user, password: password ?? '' } }),
    ...(tls !== null && { sslOptions: { ...tlsFiles(tls), rejectUnauthorized: true } }),
    socketOptions: { readTimeout: ANSWER_WITHIN_MS, defunctReadTimeoutThreshold: TIMEOUTS_MAX },
    queryOptions: {
      consistency: isLocal ? levels.localQuorum : levels.quorum,
      serialConsistency: isLocal ? levels.localSerial : levels.serial,
      fetchSize: ROWS_PER_PAGE,
    },
    ...(dataCenter !== null && { localDataCenter: dataCenter }),
    policies: {
      ...(dataCenter === null && { loadBalancing: new loadBalancing.RoundRobinPolicy() }),
      retry: new retry.FallthroughRetryPolicy(),
      reconnection: new reconnection.ConstantReconnectionPolicy(RECONNECT_EVERY_MS),
    },
    // Heartbeats of the service use the connections anyway, and the driver's timers for its own outlive a broken connection.
    pooling: { heartBeatInterval: 0 },
  }
}

const REFRESH = '_refresh'

type Internals = {
  readonly controlConnection: { [REFRESH]: (...rest: readonly unknown[]) => Promise<void> }
  on(event: 'hostRemove', then: (host: { shutdown(waits: boolean): Promise<void> }) => void): void
}

/**
 * When no node can be reached the driver (4.10) makes all of its parts anew in the background. Of two such attempts at once the
 * first trips over the second, which goes on: nobody would hear of its error, and the process would end. And what it has
 * replaced goes on connecting, also after the end.
 */
function guardReconnecting(client: Client): void {
  const { controlConnection: control } = client as unknown as Internals
  const refresh = control[REFRESH].bind(control)
  control[REFRESH] = (...rest) => refresh(...rest).catch(() => {})
  ;(client as unknown as Internals).on('hostRemove', (host) => void host.shutdown(false))
}

function tlsFiles({ caFile, certFile, keyFile }: CassandraTls): Record<string, Buffer> {
  const files = Object.entries({ ca: caFile, cert: certFile, key: keyFile })
  return Object.fromEntries(files.flatMap(([name, path]) => (path === null ? [] : [[name, readFileSync(path)]])))
}
