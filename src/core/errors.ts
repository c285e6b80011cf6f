// Every failure a client can meet, in one catalogue. The core, the engine and the entry points throw
// DuetimeError with one of these codes; an entry point maps the code to its own status and envelope.
// Anything else that is thrown is a bug and is answered as INTERNAL, without its message.

export const ErrorCode = {
  invalidInput: 'INVALID_INPUT',
  invalidSchedule: 'INVALID_SCHEDULE',
  namespaceNotEnabled: 'NAMESPACE_NOT_ENABLED',
  timerNotFound: 'TIMER_NOT_FOUND',
  calendarNotFound: 'CALENDAR_NOT_FOUND',
  timerAlreadyExists: 'TIMER_ALREADY_EXISTS',
  idempotencyKeyReused: 'IDEMPOTENCY_KEY_REUSED',
  timerNotPending: 'TIMER_NOT_PENDING',
  versionConflict: 'VERSION_CONFLICT',
  unauthorized: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  routeNotFound: 'ROUTE_NOT_FOUND',
  methodNotAllowed: 'METHOD_NOT_ALLOWED',
  payloadTooLarge: 'PAYLOAD_TOO_LARGE',
  unsupportedMediaType: 'UNSUPPORTED_MEDIA_TYPE',
  rateLimited: 'RATE_LIMITED',
  unavailable: 'UNAVAILABLE',
  notOwner: 'NOT_OWNER',
  internal: 'INTERNAL',
} as const

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode]

/** What the native contract answers with: a schedule that is refused is one more field that is wrong. */
export type AnsweredCode = Exclude<ErrorCode, typeof ErrorCode.invalidSchedule>
export const ANSWERED_CODES: readonly AnsweredCode[] = Object.values(ErrorCode).filter(
  (code) => code !== ErrorCode.invalidSchedule,
)

/** What a code means to someone who meets it; the reference page in docs/ is generated from this. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, { readonly status: number; readonly help: string }>> = {
  INVALID_INPUT: { status: 400, help: 'A field is missing, unknown or out of bounds. `details` names it.' },
  INVALID_SCHEDULE: {
    status: 400,
    help: 'The due time or schedule is malformed, out of range or in the past. Only the embedded library has a code for it; every API answers `INVALID_INPUT`, and `details` name the field.',
  },
  NAMESPACE_NOT_ENABLED: {
    status: 400,
    help: 'NAMESPACES lists the namespaces this service accepts, and this is not one of them.',
  },
  TIMER_NOT_FOUND: {
    status: 404,
    help: 'No timer has this namespace and id, or it finished and its retention time is over.',
  },
  CALENDAR_NOT_FOUND: { status: 404, help: 'The namespace has no calendar of this name.' },
  TIMER_ALREADY_EXISTS: { status: 409, help: 'A timer with this id exists and the request asked not to replace it.' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    help: 'The idempotency key stands for a timer that was made with other parameters. `details.timer` is that timer.',
  },
  TIMER_NOT_PENDING: {
    status: 409,
    help: 'The timer is being delivered or has finished, so it is too late for this change.',
  },
  VERSION_CONFLICT: {
    status: 409,
    help: 'The timer changed since the version given in `ifVersion`. Read it again and decide anew.',
  },
  UNAUTHORIZED: { status: 401, help: 'The request carries no API key, or one that is not known.' },
  FORBIDDEN: { status: 403, help: 'The API key lacks the permission or the namespace for this request.' },
  ROUTE_NOT_FOUND: { status: 404, help: 'No such route. /docs lists them all.' },
  METHOD_NOT_ALLOWED: { status: 405, help: 'The path exists, with another method. `details.allowed` lists them.' },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    help: 'The request body, or the payload in it, is larger than the configured maximum.',
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, help: 'Request bodies are JSON: send `Content-Type: application/json`.' },
  RATE_LIMITED: { status: 429, help: 'Too many requests. Wait as long as `Retry-After` says.' },
  UNAVAILABLE: {
    status: 503,
    help: 'The store is failing, or more writes are waiting than it can take. The message says whether nothing was stored or that is not known. Retry after `Retry-After`.',
  },
  NOT_OWNER: {
    status: 503,
    help: 'Nothing was stored: the part of the timers that this one belongs to is moving between nodes. Retry after `Retry-After`.',
  },
  INTERNAL: { status: 500, help: 'A defect of the service. Its log has the cause under the same request id.' },
}

export type ErrorDetails = Readonly<Record<string, unknown>>

export class DuetimeError extends Error {
  override readonly name = 'DuetimeError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.details = details
  }
}

/** A value the client sent is wrong: which field, and what is right. */
export function invalidInput(field: string, message: string, details: ErrorDetails = {}): DuetimeError {
  return new DuetimeError(ErrorCode.invalidInput, message, { field, ...details })
}

/** What reads times and zones refuses them without knowing what field they came from. */
export function inField<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof DuetimeError ? invalidInput(field, `${field}: ${error.message}`) : error
  }
}

/** Why a schedule was refused: contracts answer malformed text, a value out of range and a past date differently. */
export type ScheduleFault = 'format' | 'range' | 'past'

/** `position`: the character of `provided` that is wrong, counted from 0, where that can be said. */
export function invalidSchedule(
  fault: ScheduleFault,
  message: string,
  provided: string,
  position?: number,
): DuetimeError {
  const details = { fault, provided, ...(position !== undefined && { position }) }
  return new DuetimeError(ErrorCode.invalidSchedule, message, details)
}

/** Nothing was stored and the client may try again after this long. */
export function unavailable(message: string, retryAfterMs: number, cause?: unknown): DuetimeError {
  return new DuetimeError(ErrorCode.unavailable, message, { retryAfterMs }, cause === undefined ? undefined : { cause })
}
