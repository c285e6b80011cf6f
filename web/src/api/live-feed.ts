// The one open connection of this page: live numbers and samples of what happens. The SDK opens it again when it
// breaks, ever more slowly; here is what the page knows of it, and that it rests while nobody looks.

import { DuetimeError } from '@duetime/client'
import type { LiveBreak, LiveEvent } from '@duetime/client'
import { session } from '../session/session.ts'
import { Store } from '../state/store.ts'
import { duetime } from './client.ts'

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Trying again at `retryAt` of the viewer's clock. `reason` is null when the connection ended without a word. */
  | { readonly state: 'lost'; readonly retryAt: number; readonly reason: DuetimeError | null }
  /** The service does not offer it, or not to this key: pages ask from time to time instead. */
  | { readonly state: 'unavailable' }

const RETRY_FIRST_MS = 1_000
const RETRY_MAX_MS = 15_000
const HIDDEN_GRACE_MS = 30_000 // a look at another tab does not cost the history of the charts

class LiveFeed {
  readonly connection = new Store<Connection>({ state: 'connecting' })
  readonly #listeners = new Set<(event: LiveEvent) => void>()
  readonly #reconnected = new Set<() => void>()
  #namespace: string | null = null
  #abort: AbortController | null = null
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

  listen(listener: (event: LiveEvent) => void): () => void {
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
    this.#abort?.abort()
    this.#abort = null
  }

  #connect(): void {
    this.#rest()
    const abort = new AbortController()
    this.#abort = abort
    if (this.connection.get().state !== 'lost') this.connection.set({ state: 'connecting' })
    this.#read(abort.signal).catch((error: unknown) => {
      if (this.#abort === abort) this.#refused(error)
    })
  }

  async #read(signal: AbortSignal): Promise<void> {
    const events = duetime.live({
      namespace: this.#namespace ?? undefined,
      signal,
      backoffMs: (failuresBefore) => Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** failuresBefore),
      onConnection: (_, broken) => {
        if (signal.aborted) return
        if (broken === null) this.#opened()
        else this.#lost(broken)
      },
    })
    for await (const event of events) for (const listener of this.#listeners) listener(event)
  }

  #opened(): void {
    this.connection.set({ state: 'live' })
    if (this.#wasLost) for (const listener of this.#reconnected) listener()
    this.#wasLost = false
  }

  #lost({ error, retryInMs }: LiveBreak): void {
    this.#wasLost = true
    this.connection.set({ state: 'lost', retryAt: Date.now() + retryInMs, reason: error })
  }

  /** For good, as far as the SDK knows. Without a good key the page asks for one, and connects then. */
  #refused(error: unknown): void {
    this.#abort = null
    if (!(error instanceof DuetimeError)) reportError(error)
    else if (error.status === 401) return
    this.connection.set({ state: 'unavailable' })
  }
}

export const liveFeed = new LiveFeed()
