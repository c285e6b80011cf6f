// One request to the service, sent as often as it takes: until there is an answer that trying again would not change,
// or the time or the attempts are used up.

import { networkError, parsed, refusal, timeoutError } from './answers.ts'
import { backoffMs } from './backoff.ts'
import { DuetimeError } from '../errors.ts'
import { newRequestId } from './ids.ts'
import { platform } from '../platform.ts'
import type { AbortSignalLike, MinimalFetch, MinimalResponse } from '../platform.ts'

export type TransportOptions = {
  readonly url: string
  readonly headers: () => Readonly<Record<string, string>>
  readonly fetch: MinimalFetch
  readonly timeoutMs: number
  readonly attemptTimeoutMs: number
  readonly retries: number
}

export type CallOptions = {
  /** Ends the call; it then throws the signal's reason. */
  readonly signal?: AbortSignalLike | undefined
  /** For the whole call, with all its attempts and waits. */
  readonly timeoutMs?: number | undefined
  /** Attempts after the first. */
  readonly retries?: number | undefined
}

/** What is left for a call; several requests of one call share it. */
export type Budget = {
  readonly startedAt: number
  readonly deadlineAt: number
  readonly retries: number
  readonly signal: AbortSignalLike | undefined
}

export type Call = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Asked for every attempt: `uncertain` when one before may have been carried out although its answer is not known. */
  readonly body?: (uncertain: boolean) => unknown
  /** What must not happen twice is not sent again once it may have been carried out. */
  readonly onceOnly?: boolean
}

/** `body` is null when it is empty. The server's clock, to the second, is there unless a proxy has taken it away. */
export type Answer = { readonly body: unknown; readonly serverTime: string | null }

type Sending = { readonly signal: AbortSignalLike; readonly requestId: string; readonly uncertain: boolean }
type Attempt = { readonly attempt: number; readonly uncertain: boolean }

export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  budget({ signal, timeoutMs = this.#options.timeoutMs, retries = this.#options.retries }: CallOptions = {}): Budget {
    const startedAt = platform.performance.now()
    return { startedAt, deadlineAt: startedAt + timeoutMs, retries, signal }
  }

  async request(call: Call, budget: Budget): Promise<Answer> {
    let uncertain = false
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(call, budget, { attempt, uncertain })
      } catch (error) {
        if (!(error instanceof DuetimeError) || !error.retryable || attempt > budget.retries) throw error
        uncertain ||= mayHaveHappened(error)
        if (uncertain && call.onceOnly === true) throw error
        await this.pause(attempt - 1, error, budget)
      }
    }
  }

  /** Waits before the next attempt. Throws `error` at once when that would be after the deadline. */
  async pause(retry: number, error: DuetimeError, { deadlineAt, signal }: Budget): Promise<void> {
    const ms = backoffMs(retry, error.retryAfterMs)
    if (platform.performance.now() + ms >= deadlineAt) throw error
    await sleep(ms, signal)
  }

  /** Headers and status are there when it resolves, the body is not read; for streams. */
  async open(call: Call, signal: AbortSignalLike): Promise<MinimalResponse> {
    const requestId = newRequestId()
    const response = await this.#send(call, { signal, requestId, uncertain: false }).catch((error: unknown) => {
      throw networkError(error, { requestId, attempts: 1 })
    })
    if (response.ok) return response
    throw refusal(response, await response.text(), { requestId, attempts: 1 })
  }

  async #attempt(call: Call, { deadlineAt, signal }: Budget, { attempt, uncertain }: Attempt): Promise<Answer> {
    const about = { requestId: newRequestId(), attempts: attempt }
    const leftMs = deadlineAt - platform.performance.now()
    // What is sent once only has no second attempt to save time for.
    const limit = new TimeLimit(
      call.onceOnly === true ? leftMs : Math.min(leftMs, this.#options.attemptTimeoutMs),
      signal,
    )
    try {
      const response = await this.#send(call, { signal: limit.signal, requestId: about.requestId, uncertain })
      const text = await response.text()
      if (!response.ok) throw refusal(response, text, about)
      return { body: text === '' ? null : parsed(text, response, about), serverTime: response.headers.get('date') }
    } catch (error) {
      if (error instanceof DuetimeError) throw error
      if (signal?.aborted === true) throw signal.reason
      throw limit.isOver ? timeoutError(error, about) : networkError(error, about)
    } finally {
      limit.clear()
    }
  }

  #send(call: Call, { signal, requestId, uncertain }: Sending): Promise<MinimalResponse> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body(uncertain))
    return this.#options.fetch(`${this.#options.url}${call.path}`, {
      method: call.method,
      headers: {
        accept: 'application/json, text/event-stream;q=0.9',
        'x-request-id': requestId,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.#options.headers(),
      },
      ...(body !== undefined && { body }),
      signal,
    })
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>

/** With its question mark; empty when there is nothing to say. */
export function queryText(query: Query): string {
  const fields = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  )
  return fields.length === 0 ? '' : `?${new platform.URLSearchParams(Object.fromEntries(fields)).toString()}`
}

/** Whether the request may have been carried out although it failed: everything but a server that says it did not. */
export function mayHaveHappened({ status, code }: DuetimeError): boolean {
  return !(status === 429 || code === 'NOT_OWNER')
}

/** Ends an attempt after a time or when the caller's signal does. */
class TimeLimit {
  isOver = false
  readonly #controller = new platform.AbortController()
  readonly #timer: unknown
  readonly #outer: AbortSignalLike | undefined
  readonly #onAbort = () => this.#controller.abort(this.#outer?.reason)

  constructor(ms: number, outer: AbortSignalLike | undefined) {
    this.#outer = outer
    this.#timer = platform.setTimeout(
      () => {
        this.isOver = true
        this.#controller.abort()
      },
      Math.max(0, ms),
    )
    if (outer?.aborted === true) this.#onAbort()
    outer?.addEventListener('abort', this.#onAbort)
  }

  get signal(): AbortSignalLike {
    return this.#controller.signal
  }

  clear(): void {
    platform.clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#onAbort)
  }
}

export function sleep(ms: number, signal: AbortSignalLike | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      platform.clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = platform.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted === true) onAbort()
    else signal?.addEventListener('abort', onAbort)
  })
}
