// What an answer means, or the lack of one: the parsed body, or the error that says what happened and whether trying
// again may help.

import { parseRetryAfter } from './backoff.ts'
import { DuetimeError } from '../errors.ts'
import type { ErrorAnswer } from '../generated.ts'
import { parseExactly } from './payload-text.ts'
import type { MinimalResponse } from '../platform.ts'

const RETRIED_STATUSES: readonly number[] = [429, 502, 503, 504]

/** Of the request: under which name, and for the how manyth time. */
export type About = { readonly requestId: string; readonly attempts: number }

export function parsed(text: string, response: MinimalResponse, about: About): unknown {
  try {
    return parseExactly(text)
  } catch (cause) {
    throw badAnswer(response, text, about, cause)
  }
}

export function refusal(response: MinimalResponse, text: string, about: About): DuetimeError {
  const { status } = response
  const answer = errorAnswer(text)
  if (answer === null) return badAnswer(response, text, about)
  const { error: code, message, details, timestamp } = answer
  return new DuetimeError({ ...about, code, message, status, details, serverTime: timestamp, ...retrying(response) })
}

function errorAnswer(text: string): ErrorAnswer | null {
  try {
    const value = parseExactly(text) as Partial<ErrorAnswer> | null
    return typeof value?.error === 'string' && typeof value.message === 'string' ? (value as ErrorAnswer) : null
  } catch {
    return null
  }
}

const QUOTED_CHARS_MAX = 200

/** A proxy's page, or another program on that port. */
function badAnswer(response: MinimalResponse, text: string, about: About, cause?: unknown): DuetimeError {
  const { status } = response
  const shown =
    text.trim() === ''
      ? 'without a body'
      : `with a body that is not Duetime’s: ${text.trim().slice(0, QUOTED_CHARS_MAX)}`
  return new DuetimeError({
    ...about,
    code: 'BAD_ANSWER',
    message: `HTTP ${status} ${shown}`,
    status,
    cause,
    ...retrying(response),
  })
}

function retrying({ status, headers }: MinimalResponse): { retryable: boolean; retryAfterMs: number | null } {
  return {
    retryable: RETRIED_STATUSES.includes(status),
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
  }
}

export function networkError(cause: unknown, about: About): DuetimeError {
  const reasons = [cause, (cause as { cause?: unknown } | null)?.cause].filter((error) => error instanceof Error)
  const reason = reasons
    .map(({ message }) => message)
    .filter((message) => message !== '')
    .join(': ')
  return new DuetimeError({
    ...about,
    code: 'NETWORK',
    message: `the service cannot be reached: ${reason}`,
    retryable: true,
    cause,
  })
}

export function timeoutError(cause: unknown, about: About): DuetimeError {
  return new DuetimeError({
    ...about,
    code: 'TIMEOUT',
    message: 'the service did not answer in time',
    retryable: true,
    cause,
  })
}
