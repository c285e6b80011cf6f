// The failures of routes that answer as the native contract does, as the OpenAPI document tells them: what each status
// means, and an answer as an example.

import { Type } from '../../runtime/schema-type.ts'
import { ErrorCode } from '../../core/errors.ts'

type Failure = {
  readonly description: string
  readonly code: ErrorCode
  readonly message: string
  readonly details?: object
}

const FAILURES = {
  400: {
    description: 'Something in the request is wrong; details.field names it.',
    code: ErrorCode.invalidInput,
    message: 'timerId is missing',
    details: { field: 'timerId' },
  },
  401: { description: 'No valid API key.', code: ErrorCode.unauthorized, message: 'this needs an API key' },
  403: {
    description: 'The key lacks the permission or the namespace; details name what is needed.',
    code: ErrorCode.forbidden,
    message: "the key 'reports' may not change timers",
  },
  404: {
    description: 'TIMER_NOT_FOUND: there is none, or it was pruned.',
    code: ErrorCode.timerNotFound,
    message: "no timer 'reminder-42' in namespace 'default'",
  },
  409: {
    description: 'The timer exists already, is too far gone for this change, or has another version.',
    code: ErrorCode.timerNotPending,
    message: "timer 'reminder-42' is completed",
  },
  413: {
    description: 'The body or the payload is too large.',
    code: ErrorCode.payloadTooLarge,
    message: 'the payload is larger than 262144 bytes',
  },
  429: {
    description: 'The key asks too often; try again after Retry-After.',
    code: ErrorCode.rateLimited,
    message: 'too many requests',
  },
  503: {
    description: 'Nothing was stored; try again after Retry-After.',
    code: ErrorCode.unavailable,
    message: 'the store does not answer; nothing was stored',
  },
} as const satisfies Readonly<Record<number, Failure>>

export type FailureStatus = keyof typeof FAILURES

/** What every operation can meet where API keys are configured. */
export const ACCESS_FAILURES = [401, 403, 429] as const

/** By status, as the `response` of a route's schema has them. */
export function failures(...statuses: readonly FailureStatus[]): Record<string, unknown> {
  return Object.fromEntries(statuses.map((status) => [status, failure(FAILURES[status])]))
}

function failure({ description, code, message, details = {} }: Failure): object {
  const example = { error: code, message, details, timestamp: '2030-01-31T09:00:00.000Z' }
  // By the $id of the schema in language/answer-schema.ts.
  return { description, content: { 'application/json': { schema: Type.Ref('Error#'), example } } }
}
