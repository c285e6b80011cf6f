// Reads and conditional writes, over the driver, which is loaded when a URL asks for it. What was acknowledged is on a quorum
// of the replicas, and every read asks a quorum. A call that fails is tried again here and not by the driver, since only who
// sees each attempt knows whether one of them may have been done.

import { readFileSync } from 'node:fs'
import type * as Driver from 'cassandra-driver'
import type { Client, ClientOptions, Host, QueryOptions, types } from 'cassandra-driver'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { CassandraLocation, CassandraTls } from '../../runtime/config/databases/cassandra.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { loadDriver } from '../driver.ts'
import { failureKind, storeError } from './failures.ts'

export type Row = Readonly<Record<string, unknown>>
export type Statement = { readonly query: string; readonly params: readonly unknown[] }
/** `mayBeDone`: an earlier attempt was lost, and may be what is in the way of this one. */
export type WriteAnswer = { readonly isApplied: boolean; readonly mayBeDone: boolean }
export type CallOptions = {
  /** Also what a write did that was accepted and has not been acknowledged: it is done then, or never. */
  readonly isSerial?: boolean
  /** Given up by then, and not tried again. */
  readonly withinMs?: number
}

const TRY_FOR_MS = 5_000 // a call that fails; by then a connection that broke has been made again
const WAIT_FIRST_MS = 20 // doubled with every attempt, and a random part of it waited
const WAIT_MAX_MS = 500
const ANSWER_WITHIN_MS = 4_000 // the server gives up before that
const TIMEOUTS_MAX = 2 // of a connection, before it is replaced: its node may be frozen
const RECONNECT_EVERY_MS = 500
const WRITES_MAX = 32 // at once: as many as a node works on by default
const ROWS_PER_PAGE = 1_000
const DRIVER = { database: 'Cassandra', name: 'cassandra-driver' }

export class Session {
  readonly client: Client
  readonly dataCenter: string
  readonly #levels: Pick<QueryOptions, 'consistency' | 'serialConsistency'>
  readonly #place: string
  readonly #clock: Clock
  readonly #writes = new Semaphore(WRITES_MAX)

  private constructor(
    client: Client,
    driver: typeof Driver,
    parts: { location: CassandraLocation; dc: string; clock: Clock },
  ) {
    const { consistencies } = driver.types
    this.client = client
    this.dataCenter = parts.dc
    this.#levels =
      parts.location.consistency === 'quorum'
        ? { consistency: consistencies.quorum, serialConsistency: consistencies.serial }
        : { consistency: consistencies.localQuorum, serialConsistency: consistencies.localSerial }
    this.#place = placeOf(parts.location)
    this.#clock = parts.clock
  }

  /** Without a keyspace: it may not be there yet. */
  static async connect(location: CassandraLocation, clock: Clock): Promise<Session> {
    const driver = await loadDriver(DRIVER, () => import('cassandra-driver'))
    const open = async (options: ClientOptions): Promise<Client> => {
      const client = new driver.Client({ ...clientOptions(location), ...options })
      guardReconnecting(client)
      try {
        await client.connect()
        return client
      } catch (error) {
        await client.shutdown()
        throw storeError(error, placeOf(location), false)
      }
    }
    const { loadBalancing, reconnection, retry } = driver.policies
    let dc = location.dataCenter
    if (dc === null) {
      const any = await open({ policies: { loadBalancing: new loadBalancing.RoundRobinPolicy() } })
      const { rows } = await any.execute('SELECT data_center FROM system.local')
      await any.shutdown()
      dc = rows[0]!['data_center'] as string
    }
    const policies = {
      retry: new retry.FallthroughRetryPolicy(),
      reconnection: new reconnection.ConstantReconnectionPolicy(RECONNECT_EVERY_MS),
    }
    return new Session(await open({ localDataCenter: dc, policies }), driver, { location, dc, clock })
  }

  async read(query: string, params: readonly unknown[] = [], options: CallOptions = {}): Promise<Row[]> {
    const { serialConsistency, consistency } = this.#levels
    const level = options.isSerial === true ? serialConsistency! : consistency!
    const rows: Row[] = []
    let pageState: string | undefined
    do {
      const { answer } = await this.#attempt(
        (timeout) =>
          this.client.execute(query, params as unknown[], {
            prepare: true,
            consistency: level,
            fetchSize: ROWS_PER_PAGE,
            ...timeout,
            ...(pageState !== undefined && { pageState }),
          }),
        { ...options, isWrite: false },
      )
      rows.push(...answer.rows)
      pageState = answer.pageState ?? undefined
    } while (pageState !== undefined)
    return rows
  }

  /** Statements on one partition, one of them with a condition at least: all of them, or none. */
  async write(statements: readonly Statement[], options: CallOptions = {}): Promise<WriteAnswer> {
    const batch = statements as { query: string; params: unknown[] }[]
    const call = () =>
      this.#attempt(
        (timeout) => this.client.batch(batch, { prepare: true, logged: false, ...this.#levels, ...timeout }),
        {
          ...options,
          isWrite: true,
        },
      )
    // What must be answered in time does not wait behind the others.
    const { answer, mayBeDone } = await (options.withinMs === undefined ? this.#writes.take(call) : call())
    return { isApplied: answer.wasApplied(), mayBeDone }
  }

  /** A statement without values, and without conditions; by this node of the database, if one is named. */
  async run(query: string, { host, withinMs }: Pick<CallOptions, 'withinMs'> & { host?: Host } = {}): Promise<Row[]> {
    const { answer } = await this.#attempt(
      (timeout) => this.client.execute(query, [], { ...this.#levels, ...timeout, ...(host !== undefined && { host }) }),
      { isWrite: false, ...(withinMs !== undefined && { withinMs }) },
    )
    return answer.rows
  }

  async close(): Promise<void> {
    await this.client.shutdown()
  }

  /** The nodes of the database that can be reached, in an order that all services agree on. */
  get hosts(): readonly Host[] {
    const hosts = this.client.hosts.values().filter((host) => host.isUp())
    return hosts.toSorted((a, b) => (a.address < b.address ? -1 : 1))
  }

  async #attempt<T>(
    call: (timeout: { readTimeout: number }) => Promise<T>,
    { isWrite, withinMs }: CallOptions & { readonly isWrite: boolean },
  ): Promise<{ readonly answer: T; readonly mayBeDone: boolean }> {
    const timeout = { readTimeout: withinMs ?? ANSWER_WITHIN_MS }
    const until = this.#clock.monotonic() + TRY_FOR_MS
    let mayBeDone = false
    for (let waitMs = WAIT_FIRST_MS; ; waitMs = Math.min(waitMs * 2, WAIT_MAX_MS)) {
      try {
        return { answer: await call(timeout), mayBeDone }
      } catch (error) {
        const kind = failureKind(error)
        mayBeDone ||= isWrite && kind === 'lost'
        const isFinal = kind === 'wrong' || withinMs !== undefined || this.#clock.monotonic() > until
        if (isFinal) throw storeError(error, this.#place, mayBeDone)
        await sleep(this.#clock, waitMs * Math.random())
      }
    }
  }
}

export function placeOf({ keyspace, hosts }: CassandraLocation): string {
  return `keyspace ${keyspace} at ${hosts.join(', ')}`
}

/** A bigint column, which the driver gives as a Long. */
export function numberOf(value: unknown): number {
  return (value as types.Long).toNumber()
}

function clientOptions({ hosts, port, user, password, tls }: CassandraLocation): ClientOptions {
  return {
    contactPoints: [...hosts],
    protocolOptions: { port },
    ...(user !== null && { credentials: { username: user, password } }),
    ...(tls !== null && { sslOptions: { ...tlsFiles(tls), rejectUnauthorized: true } }),
    socketOptions: { readTimeout: ANSWER_WITHIN_MS, defunctReadTimeoutThreshold: TIMEOUTS_MAX },
    // Heartbeats of the service use the connections anyway, and the driver's timers for its own outlive a broken connection.
    pooling: { heartBeatInterval: 0 },
    encoding: { map: Map, set: Set },
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
