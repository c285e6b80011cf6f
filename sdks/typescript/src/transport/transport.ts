// One request to the service, sent as often as it takes: until there is an answer that trying again would not change,
// or the time or the attempts are used up.

import { networkError, parsed, refusal, timeoutError } from './answers.ts'
import { backoffMs } from './backoff.ts'
import { DuetimeError, invalidInput } from '../errors.ts'
import type { Exchange, Outgoing } from './exchange.ts'
import { Gatherer } from './gathering.ts'
import { newRequestId } from './ids.ts'
import { platform } from '../platform.ts'
import type { AbortSignalLike, MinimalFetch, MinimalResponse } from '../platform.ts'
import { TimeLimit } from './time-limit.ts'

export type TransportOptions = {
  readonly url: string
  readonly headers: () => Readonly<Record<string, string>>
  /** For streams. */
  readonly fetch: MinimalFetch
  /** For everything else. */
  readonly exchange: Exchange
  readonly timeoutMs: number
  readonly attemptTimeoutMs: number
  readonly retries: number
  /** Creates that are sent together may be answered in short. */
  readonly isMinimal?: boolean
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
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** Asked for every attempt: `uncertain` when one before may have been carried out although its answer is not known. */
  readonly body?: (uncertain: boolean) => unknown
  /** What must not happen twice is not sent again once it may have been carried out. */
  readonly onceOnly?: boolean
  /** It may go in one request with others: as an item of a batch with this action. */
  readonly gathered?: { readonly by: Gatherer; readonly action: 'create' | 'update' | 'delete' } | null
}

/** `body` is null when it is empty. The server's clock, to the second, is there unless a proxy has taken it away. */
export type Answer = {
  readonly body: unknown
  readonly serverTime: string | null
  readonly requestId: string
  /** Where `body` is only what the service added to a create: what it was sent, and what it left out besides. */
  readonly short?: { readonly sent: string; readonly plainTimer: unknown }
}

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
    for (let attempts = 1; ; attempts++) {
      const body = call.body && jsonOf(call.body(uncertain))
      try {
        return await (call.gathered
          ? this.#gathered(call, body!, budget, attempts)
          : this.#attempt(call, body, budget, attempts))
      } catch (error) {
        if (!(error instanceof DuetimeError) || !error.retryable || attempts > budget.retries) throw error
        uncertain ||= mayHaveHappened(error)
        if (uncertain && call.onceOnly === true) throw error
        await this.pause(attempts - 1, error, budget)
      }
    }
  }

  /** Sends what is called at the same time in one request, or many in two. */
  gatherer(how: { readonly halves: boolean }): Gatherer {
    const call = { method: 'POST', path: '/api/v1/timers/batch' } as const
    return new Gatherer((items) => {
      // The calls that wait for it end by their own time limits.
      const budget = { startedAt: 0, deadlineAt: Infinity, retries: 0, signal: undefined }
      return this.#attempt(call, `{"timers":[${items.join(',')}]}`, budget, 1, this.#options.isMinimal)
    }, how)
  }

  /** Waits before the next attempt. Throws `error` at once when that would be after the deadline. */
  async pause(retry: number, error: DuetimeError, { deadlineAt, signal }: Budget): Promise<void> {
    const ms = backoffMs(retry, error.retryAfterMs)
    if (platform.performance.now() + ms >= deadlineAt) throw error
    await sleep(ms, signal)
  }

  /** Headers and status are there when it resolves, the body is not read; for streams. */
  async open({ method, path }: Call, signal: AbortSignalLike): Promise<MinimalResponse> {
    const requestId = newRequestId()
    const { headers } = this.#outgoing({ method, path }, undefined, requestId)
    const response = await this.#options
      .fetch(`${this.#options.url}${path}`, { method, headers, signal })
      .catch((error: unknown) => {
        throw networkError(error, { requestId, attempts: 1 })
      })
    if (response.ok) return response
    const incoming = { status: response.status, header: (name: string) => response.headers.get(name) }
    throw refusal({ ...incoming, text: await response.text() }, { requestId, attempts: 1 })
  }

  #gathered(call: Call, body: string, budget: Budget, attempts: number): Promise<Answer> {
    const { by, action } = call.gathered!
    const alone = () => this.#attempt(call, body, budget, attempts)
    return by.send({
      item: action === 'create' ? body : `{"action":"${action}",${body.slice(1)}`,
      alone,
      attempts,
      budget,
    })
  }

  async #attempt(
    call: Call,
    body: string | undefined,
    { deadlineAt, signal }: Budget,
    attempts: number,
    isMinimal = false,
  ): Promise<Answer> {
    const about = { requestId: newRequestId(), attempts }
    const attemptEndsAt = platform.performance.now() + this.#options.attemptTimeoutMs
    // What is sent once only has no second attempt to save time for.
    const limit = new TimeLimit(call.onceOnly === true ? deadlineAt : Math.min(deadlineAt, attemptEndsAt), signal)
    try {
      if (signal?.aborted === true) throw signal.reason
      const incoming = await this.#options.exchange(this.#outgoing(call, body, about.requestId, isMinimal), limit)
      if (incoming.status < 200 || incoming.status > 299) throw refusal(incoming, about)
      const answer = incoming.text === '' ? null : parsed(incoming, about)
      return { body: answer, serverTime: incoming.header('date'), requestId: about.requestId }
    } catch (error) {
      if (error instanceof DuetimeError) throw error
      if (signal?.aborted === true) throw signal.reason
      throw limit.isOver ? timeoutError(error, about) : networkError(error, about)
    } finally {
      limit.clear()
    }
  }

  #outgoing({ method, path }: Call, body: string | undefined, requestId: string, isMinimal = false): Outgoing {
    const headers = {
      accept: 'application/json, text/event-stream;q=0.9',
      'x-request-id': requestId,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(isMinimal && { prefer: 'return=minimal' }),
      ...this.#options.headers(),
    }
    return { method, path, headers, body }
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

/** What JSON cannot say is the caller's mistake; nothing is sent. */
function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    throw invalidInput('payload', `this cannot be written as JSON: ${(error as Error).message}`)
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
