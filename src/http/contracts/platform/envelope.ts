// Answers as `{code, message, data}`. The code in the body is coarser than the HTTP status and says whose turn it is:
// 2 means that the client should send something else, 1 that it may try the same again.

import { ERROR_CATALOGUE, ErrorCode } from '../../../core/errors.ts'
import type { DuetimeError } from '../../../core/errors.ts'
import type { RenderedError } from '../../errors/envelope.ts'

export const BodyCode = { success: 0, unexpected: 1, validation: 2, notFound: 3, unauthorized: 4 } as const
type BodyCode = (typeof BodyCode)[keyof typeof BodyCode]

/** `data` is JSON text. */
export function successJson(message: string, data: string): string {
  return `{"code":${BodyCode.success},"message":"${message}","data":${data}}`
}

export function renderPlatformError(error: DuetimeError): RenderedError {
  const code = BODY_CODES[error.code] ?? BodyCode.validation
  return { status: statusOf(error), body: JSON.stringify({ code, message: messageOf(error), data: null }) }
}

/** Every other code says that the request is wrong. */
const BODY_CODES: Readonly<Partial<Record<ErrorCode, BodyCode>>> = {
  [ErrorCode.internal]: BodyCode.unexpected,
  [ErrorCode.unavailable]: BodyCode.unexpected,
  [ErrorCode.rateLimited]: BodyCode.unexpected,
  [ErrorCode.timerNotFound]: BodyCode.notFound,
  [ErrorCode.routeNotFound]: BodyCode.notFound,
  [ErrorCode.unauthorized]: BodyCode.unauthorized,
  [ErrorCode.forbidden]: BodyCode.unauthorized,
}

/** This contract knows no 409: a timer in the wrong state is one more thing that is wrong with the request. */
function statusOf({ code }: DuetimeError): number {
  const { status } = ERROR_CATALOGUE[code]
  return status === 409 ? 400 : status
}

function messageOf({ code, message, details }: DuetimeError): string {
  switch (code) {
    case ErrorCode.timerNotFound:
      return 'timer not found'
    case ErrorCode.unauthorized:
      return 'unauthorized'
    case ErrorCode.invalidSchedule:
      return details['fault'] === 'past' ? 'execute_at must be in the future' : `execute_at: ${message}`
    default:
      return message
  }
}
