// What Fastify and Node throw, in the words of our own catalogue, so that a contract never sees the framework's shape.

import type { FastifyError } from 'fastify'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'

/** Null when it is none of the client's doing. */
export function fromFramework(error: unknown): DuetimeError | null {
  const { code, statusCode, message } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return new DuetimeError(
        ErrorCode.unsupportedMediaType,
        'request bodies are JSON: send Content-Type: application/json',
      )
    case 'FST_ERR_BAD_URL':
      return new DuetimeError(
        ErrorCode.invalidInput,
        'the path is not a valid URL path: percent signs start escapes of two hex digits',
      )
    default:
      return statusCode !== undefined && statusCode >= 400 && statusCode < 500
        ? clientFault(message ?? 'the request is not valid')
        : null
  }
}

function clientFault(message: string): DuetimeError {
  return new DuetimeError(ErrorCode.invalidInput, message)
}
