// How a client reaches the service.

import type { WebFetch } from './platform.ts'

export type DuetimeOptions = {
  /** Where the service is. Default http://localhost:8080. */
  readonly url?: string | undefined
  /** Or a function that is asked for every request: keys change, and pages learn them late. */
  readonly apiKey?: string | (() => string | null | undefined) | undefined
  /** For calls that do not name one. Default `default`. */
  readonly namespace?: string | undefined
  /** For a whole call, with all its attempts and waits. Default 30 s. */
  readonly timeoutMs?: number | undefined
  /** For one attempt. Default 10 s. */
  readonly attemptTimeoutMs?: number | undefined
  /** Attempts after the first. Default 10, which fit into the default timeout while a server restarts. */
  readonly retries?: number | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Instead of the platform's own: `fetch`, and on Node `node:http`, which is faster. */
  readonly fetch?: WebFetch | undefined
  /**
   * Creates, updates and cancels that are called at the same time share requests. Default true: nothing waits for it, and each
   * call has its own answer or error. False: a request each.
   */
  readonly gather?: boolean | undefined
}
