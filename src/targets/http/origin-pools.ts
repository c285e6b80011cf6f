// Connections by origin. Each origin has its own pool, so that a dead host can only exhaust its own connections;
// the number of pools is bounded, because a million timers may call a million hosts.

import type { buildConnector } from 'undici'
import { Pool } from '../../runtime/undici.ts'

export type PoolSettings = {
  readonly connect: buildConnector.connector
  readonly connectionsPerHost: number
  readonly idleOriginsMax: number
}

/** Most servers close idle connections after 5 s or later, Node's among them. A `Keep-Alive` hint of the server beats this. */
const IDLE_CONNECTION_MS = 4_000
const IDLE_CONNECTION_MAX_MS = 60_000 // however long the hint: sockets are dear, a handshake is not
const HINT_MARGIN_MS = 2_000 // taken from the hint, for the time a close needs to reach us
const RESPONSE_HEADER_BYTES_MAX = 16_384

export class OriginPool {
  readonly pool: Pool
  /** Deliveries under way; a pool with any is not given up. */
  inFlight = 0

  constructor(origin: string, { connect, connectionsPerHost }: PoolSettings) {
    this.pool = new Pool(origin, {
      connect,
      connections: connectionsPerHost,
      pipelining: 1,
      allowH2: false,
      // A delivery has one time limit over everything, kept by the delivery itself.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MAX_MS,
      keepAliveTimeoutThreshold: HINT_MARGIN_MS,
      maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
    })
  }

  close(): Promise<void> {
    return this.inFlight === 0 ? this.pool.destroy() : this.pool.close()
  }
}

export class OriginPools {
  readonly #settings: PoolSettings
  /** The least recently used first. */
  readonly #pools = new Map<string, OriginPool>()
  #latest: OriginPool | undefined
  #closed = false

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  for(origin: string): OriginPool {
    const known = this.#pools.get(origin)
    if (known && known === this.#latest) return known
    if (this.#closed) throw new Error('the HTTP target is closed')
    if (known) this.#pools.delete(origin)
    else if (this.#pools.size >= this.#settings.idleOriginsMax) this.#evict()
    const pool = known ?? new OriginPool(origin, this.#settings)
    this.#pools.set(origin, pool)
    this.#latest = pool
    return pool
  }

  async close(): Promise<void> {
    this.#closed = true
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    this.#latest = undefined
    await Promise.all(pools.map((pool) => pool.close()))
  }

  /**
   * Gives up the idle pool that was used longest ago. While all are busy the bound is exceeded, by no more
   * than the engine's limit on deliveries under way.
   */
  #evict(): void {
    for (const [origin, pool] of this.#pools) {
      if (pool.inFlight > 0) continue
      this.#pools.delete(origin)
      // Closing idle sockets cannot fail in a way that concerns anybody.
      pool.close().catch(() => {})
      return
    }
  }
}
