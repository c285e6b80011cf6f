// Errors between threads. Those of the catalogue keep their code and details, since answers are made from them; of all
// others the log needs the text.

import { DuetimeError } from '../../core/errors.ts'
import type { ErrorCode, ErrorDetails } from '../../core/errors.ts'

export type Failure = {
  /** Null: not of the catalogue, a defect. */
  readonly code: ErrorCode | null
  readonly message: string
  readonly details: ErrorDetails
  readonly stack: string | undefined
  readonly cause: Failure | null
}

export function failureOf(error: unknown): Failure {
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error))
  const isKnown = error instanceof DuetimeError
  return {
    code: isKnown ? error.code : null,
    message,
    details: isKnown ? error.details : {},
    // That of an expected error tells nobody anything, and is the longest part of it.
    stack: isKnown ? undefined : stack,
    cause: cause === undefined ? null : failureOf(cause),
  }
}

export function errorOf({ code, message, details, stack, cause }: Failure): Error {
  const options = cause === null ? undefined : { cause: errorOf(cause) }
  const error = code === null ? new Error(message, options) : new DuetimeError(code, message, details, options)
  if (stack !== undefined) error.stack = stack
  return error
}
