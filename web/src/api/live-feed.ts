// The one open connection of this page: live numbers and samples of what happens. It comes back by itself, ever more
// slowly, says when it will try next, and rests while nobody looks at the page.

import { session } from '../session/session.ts'
import { Store } from '../state/store.ts'
import { ApiError, isAbort, openStream } from './http.ts'
import { readEvents } from './sse.ts'
import type { ServerEvent } from './sse.ts'

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Trying again at `retryAt` of the viewer's clock. */
  | { readonly state: 'lost'; readonly retryAt: number; readonly reason: Error }
  /** The service does not offer it, or not to this key: pages ask from time to time instead. */
  | { readonly state: 'unavailable' }

const RETRY_FIRST_MS = 1_000
const RETRY_MAX_MS = 15_000
const SILENCE_MAX_MS = 25_000 // the service says something every second, and every 15 s at the very least
const HIDDEN_GRACE_MS = 30_000 // a look at another tab does not cost the history of the charts

class LiveFeed {
  readonly connection = new Store<Connection>({ state: 'connecting' })
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  readonly #reconnected = new Set<() => void>()
  #namespace: string | null = null
  #abort: AbortController | null = null
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #wasLost = false

  /** Call once. */
  start(): void {
    let hiddenTimer: ReturnType<typeof setTimeout> | undefined
    document.addEventListener('visibilitychange', () => {
      clearTimeout(hiddenTimer)
      if (document.visibilityState === 'hidden') hiddenTimer = setTimeout(() => this.#sleep(), HIDDEN_GRACE_MS)
      else this.retryNow()
    })
    addEventListener('online', () => this.retryNow())
    session.store.subscribe(() => {
      if (session.store.get().needs === 'nothing') this.#connect()
      else this.#rest()
    })
    this.#connect()
  }

  /** Null: everything that the key may see. */
  watch(namespace: string | null): void {
    if (namespace === this.#namespace) return
    this.#namespace = namespace
    if (this.#abort !== null) this.#connect()
  }

  retryNow(): void {
    if (this.connection.get().state !== 'live' && session.store.get().needs === 'nothing') this.#connect()
  }

  listen(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** When the connection is back after it was lost: what is shown may be old. */
  onReconnect(listener: () => void): () => void {
    this.#reconnected.add(listener)
    return () => this.#reconnected.delete(listener)
  }

  /** Nobody looks: what is shown then is old when somebody does again. */
  #sleep(): void {
    this.#rest()
    this.#wasLost = true
    this.connection.set({ state: 'connecting' })
  }

  #rest(): void {
    clearTimeout(this.#retryTimer)
    this.#abort?.abort()
    this.#abort = null
  }

  #connect(): void {
    this.#rest()
    const abort = new AbortController()
    this.#abort = abort
    if (this.connection.get().state !== 'lost') this.connection.set({ state: 'connecting' })
    this.#read(abort).catch((error: unknown) => {
      if (this.#abort === abort) this.#lost(error instanceof Error ? error : new Error(String(error)))
    })
  }

  async #read(abort: AbortController): Promise<void> {
    const query = this.#namespace === null ? '' : `?namespace=${encodeURIComponent(this.#namespace)}`
    const stream = await openStream(`api/v1/live${query}`, abort.signal)
    let silence: ReturnType<typeof setTimeout> | undefined
    const heard = () => {
      clearTimeout(silence)
      silence = setTimeout(() => abort.abort(), SILENCE_MAX_MS)
    }
    heard()
    this.#opened()
    try {
      await readEvents(stream, { onActivity: heard, onEvent: (event) => this.#deliver(event) })
    } finally {
      clearTimeout(silence)
    }
    throw new Error('the service closed the connection')
  }

  #opened(): void {
    this.#failures = 0
    this.connection.set({ state: 'live' })
    if (this.#wasLost) for (const listener of this.#reconnected) listener()
    this.#wasLost = false
  }

  #deliver(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #lost(reason: Error): void {
    this.#abort = null
    if (reason instanceof ApiError && reason.status === 401) return
    if (reason instanceof ApiError && (reason.status === 403 || reason.status === 404)) return this.connection.set({ state: 'unavailable' })
    if (isAbort(reason)) return this.#connect()
    const asked = reason instanceof ApiError ? reason.retryAfterMs : null
    const waitMs = asked ?? Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.#failures)
    this.#failures++
    this.#wasLost = true
    this.connection.set({ state: 'lost', retryAt: Date.now() + waitMs, reason })
    this.#retryTimer = setTimeout(() => this.#connect(), waitMs)
  }
}

export const liveFeed = new LiveFeed()
