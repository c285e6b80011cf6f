// The one error that calls to the service throw. Its code says what happened, `retryable` whether trying again may help.

import type { ServerErrorCode } from './generated.ts'

/**
 * What the server said, or what went wrong on the way: no connection or a broken one, no answer in time, or an answer
 * that Duetime does not give (a proxy's error page, for instance).
 */
export type ErrorCode = ServerErrorCode | 'NETWORK' | 'TIMEOUT' | 'BAD_ANSWER'

export type ErrorFacts = {
  readonly code: ErrorCode
  readonly message: string
  readonly status?: number
  readonly details?: Readonly<Record<string, unknown>>
  readonly requestId?: string
  readonly retryable?: boolean
  readonly retryAfterMs?: number | null
  readonly serverTime?: string
  readonly attempts?: number
  readonly cause?: unknown
}

export class DuetimeError extends Error {
  override readonly name = 'DuetimeError'
  readonly code: ErrorCode
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  /** `field` names what is wrong with a request; see the reference of errors for the others. */
  readonly details: Readonly<Record<string, unknown>>
  /** Sent as X-Request-ID: the server's log has the request under it. */
  readonly requestId: string
  /** Whether the same call may succeed later: the network, the load or the server's state was the reason, not the request. */
  readonly retryable: boolean
  /** How long the server asked to wait; null when it did not. */
  readonly retryAfterMs: number | null
  /** The server's clock when it answered, as ISO 8601; null when it did not say. */
  readonly serverTime: string | null
  /** How many times the request was sent. */
  readonly attempts: number

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.status = facts.status ?? 0
    this.details = facts.details ?? {}
    this.requestId = facts.requestId ?? ''
    this.retryable = facts.retryable ?? false
    this.retryAfterMs = facts.retryAfterMs ?? null
    this.serverTime = facts.serverTime ?? null
    this.attempts = facts.attempts ?? 1
  }
}

/** For one of several calls that failed together: the same error, with the attempts of that call. */
export function countedAs(attempts: number, error: DuetimeError): DuetimeError {
  const { message, cause, serverTime, ...facts } = error
  return new DuetimeError({ ...facts, message, cause, ...(serverTime !== null && { serverTime }), attempts })
}

/** The caller made a mistake that needs no server to be seen. In the shape of the server's own refusals. */
export function invalidInput(field: string, message: string): DuetimeError {
  return new DuetimeError({ code: 'INVALID_INPUT', status: 400, message, details: { field } })
}
