// What an answer means, or the lack of one: the parsed body, or the error that says what happened and whether trying
// again may help.

import { parseRetryAfter } from './backoff.ts'
import { DuetimeError } from '../errors.ts'
import type { BatchAnswer, ErrorAnswer, ServerErrorCode } from '../generated.ts'
import type { Incoming } from './exchange.ts'
import { parseExactly } from './payload-text.ts'

const RETRIED_STATUSES: readonly number[] = [429, 502, 503, 504]

/** Of the request: under which name, and for the how manyth time. */
export type About = { readonly requestId: string; readonly attempts: number }

export function parsed(incoming: Incoming, about: About): unknown {
  try {
    return parseExactly(incoming.text)
  } catch (cause) {
    throw badAnswer(incoming, about, cause)
  }
}

export function refusal(incoming: Incoming, about: About): DuetimeError {
  const { status } = incoming
  const answer = errorAnswer(incoming.text)
  if (answer === null) return badAnswer(incoming, about)
  const { error: code, message, details, timestamp } = answer
  return new DuetimeError({ ...about, code, message, status, details, serverTime: timestamp, ...retrying(incoming) })
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
function badAnswer(incoming: Incoming, about: About, cause?: unknown): DuetimeError {
  const { status, text } = incoming
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
    ...retrying(incoming),
  })
}

function retrying({ status, header }: Incoming): { retryable: boolean; retryAfterMs: number | null } {
  return {
    retryable: RETRIED_STATUSES.includes(status),
    retryAfterMs: parseRetryAfter(header('retry-after'), Date.now()),
  }
}

/** Of an item of a batch that was refused, as if it had been sent alone. */
export function itemError(
  { status, error, message, details }: BatchAnswer['results'][number],
  { serverTime, ...about }: About & { readonly serverTime: string | null },
): DuetimeError {
  const facts = (details ?? {}) as Readonly<Record<string, unknown>>
  const wait = facts['retryAfterMs']
  return new DuetimeError({
    ...about,
    code: error as ServerErrorCode,
    message: message ?? '',
    status,
    details: facts,
    retryable: RETRIED_STATUSES.includes(status),
    ...(serverTime !== null && { serverTime: new Date(serverTime).toISOString() }),
    retryAfterMs: typeof wait === 'number' ? wait : null,
  })
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
