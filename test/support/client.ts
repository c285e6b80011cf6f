// A small client of the v1 contract that hides nothing: every answer comes back as it was given, and a request that
// was cut off is told apart from one that was never sent, since only the first may have done something.

import type { Service } from './service.ts'

export type TimerJson = {
  readonly id: string
  readonly namespace: string
  readonly status: string
  readonly executeAt: string
  readonly createdAt: string
  readonly version: number
  readonly payload?: unknown
  readonly schedule?: string
  readonly attempts?: unknown
  readonly lastError?: string
  readonly correlationId?: string
}
export type ErrorJson = {
  readonly error: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

export type Answer<T> =
  | { readonly type: 'ok'; readonly status: number; readonly body: T; readonly headers: Headers }
  | { readonly type: 'refused'; readonly status: number; readonly body: ErrorJson; readonly headers: Headers }
  /** The connection broke while the request was under way: it may have been carried out. */
  | { readonly type: 'inDoubt'; readonly error: unknown }
  /** No connection could be made: it was not carried out. */
  | { readonly type: 'notSent'; readonly error: unknown }

export type TimerRequest = Readonly<Record<string, unknown>>

/** What a timer is named by in everything but a create. */
export type TimerName = { readonly timerId: string; readonly namespace?: string }

const ANSWER_WITHIN_MS = 60_000 // a service that hangs should fail a test, not the whole run

export class Client {
  readonly #service: () => Pick<Service, 'url'>
  readonly #headers: Readonly<Record<string, string>>

  /** `service` is asked for each request, so that a client outlives a restart. */
  constructor(service: () => Pick<Service, 'url'>, headers: Readonly<Record<string, string>> = {}) {
    this.#service = service
    this.#headers = headers
  }

  create(timer: TimerRequest): Promise<Answer<TimerJson>> {
    return this.#post('create', timer)
  }

  get(name: TimerName): Promise<Answer<TimerJson>> {
    return this.#post('get', name)
  }

  update(name: TimerName, changes: TimerRequest): Promise<Answer<TimerJson>> {
    return this.#post('update', { ...name, ...changes })
  }

  cancel(name: TimerName): Promise<Answer<null>> {
    return this.#post('delete', name)
  }

  pause(name: TimerName): Promise<Answer<TimerJson>> {
    return this.#post('pause', name)
  }

  resume(name: TimerName): Promise<Answer<TimerJson>> {
    return this.#post('resume', name)
  }

  async #post<T>(verb: string, body: unknown): Promise<Answer<T>> {
    try {
      const response = await fetch(`${this.#service().url}/api/v1/timers/${verb}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.#headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      const text = await response.text()
      const { status, headers } = response
      const parsed: unknown = text === '' ? null : JSON.parse(text)
      if (response.ok) return { type: 'ok', status, body: parsed as T, headers }
      return { type: 'refused', status, body: parsed as ErrorJson, headers }
    } catch (error) {
      return { type: isRefusedConnection(error) ? 'notSent' : 'inDoubt', error }
    }
  }
}

/** The answer's body, or an error that says what came instead. */
export async function accepted<T>(asked: Promise<Answer<T>>): Promise<T> {
  const answer = await asked
  if (answer.type === 'ok') return answer.body
  throw new Error(
    answer.type === 'refused'
      ? `refused with ${answer.status}: ${JSON.stringify(answer.body)}`
      : `no answer: ${answer.type}`,
    {
      cause: 'error' in answer ? answer.error : undefined,
    },
  )
}

function isRefusedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}
