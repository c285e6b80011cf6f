// Answers as `{success, data | error, request_id}`. Errors name fields and words as this contract does.

import { ERROR_CATALOGUE, ErrorCode } from '../../../../core/errors.ts'
import type { DuetimeError, ErrorDetails } from '../../../../core/errors.ts'
import type { Status, Timer } from '../../../../core/timer/timer.ts'
import type { ErrorSurroundings, RenderedError } from '../../../errors/envelope.ts'
import { isoText } from '../../../../core/time/iso-text.ts'
import { nearestDuration, VALID_EXAMPLES } from '../duration-advice.ts'
import { statusWord } from './status.ts'

/** `data` is JSON text. */
export function successJson(data: string, requestId: string): string {
  return around(requestId).join(data)
}

/** What is before and behind the data. */
export function around(requestId: string): readonly [before: string, after: string] {
  return ['{"success":true,"data":', `,"request_id":${JSON.stringify(requestId)}}`]
}

export function renderCyclesError(error: DuetimeError, { requestId }: ErrorSurroundings): RenderedError {
  const { code, message, details } = inWordsOfCycles(error)
  const body = { success: false, error: { code, message, details }, request_id: requestId }
  return { status: ERROR_CATALOGUE[error.code].status, body: JSON.stringify(body) }
}

type CyclesError = { readonly code: string; readonly message: string; readonly details: ErrorDetails }

function inWordsOfCycles(error: DuetimeError): CyclesError {
  const { code, message, details } = error
  switch (code) {
    case ErrorCode.invalidInput:
      return { code: 'VALIDATION_ERROR', message, details: withField(details) }
    case ErrorCode.namespaceNotEnabled:
      return { code: 'VALIDATION_ERROR', message, details: { field: 'tenant_id', tenant_id: details['namespace'] } }
    case ErrorCode.invalidSchedule:
      return details['fault'] === 'format' ? malformedDuration(error) : outOfRange(error)
    case ErrorCode.timerNotFound:
      return { code, message: 'Timer not found', details: { timer_id: details['id'], tenant_id: details['namespace'] } }
    case ErrorCode.timerAlreadyExists:
      return alreadyExists(details['timer'] as Timer)
    case ErrorCode.timerNotPending:
      return alreadyCompleted(details)
    case ErrorCode.forbidden: {
      const { requiredPermission, providedPermissions, namespace } = details
      const tenant = namespace === undefined ? {} : { tenant_id: namespace }
      return {
        code,
        message,
        details: { required_permission: requiredPermission, provided_permissions: providedPermissions, ...tenant },
      }
    }
    case ErrorCode.rateLimited:
    case ErrorCode.unavailable:
      return {
        code,
        message,
        details: { retry_after: Math.max(1, Math.ceil(Number(details['retryAfterMs'] ?? 0) / 1_000)) },
      }
    default:
      return { code, message, details }
  }
}

/** A Map, since the names of unknown fields are looked up too: `constructor` is in every object. */
const FIELDS: ReadonlyMap<unknown, string> = new Map([
  ['callback', 'callback_url'],
  ['namespace', 'tenant_id'],
])

function withField(details: ErrorDetails): ErrorDetails {
  const field = FIELDS.get(details['field'])
  return field === undefined ? details : { ...details, field }
}

function malformedDuration({ message, details }: DuetimeError): CyclesError {
  const provided = String(details['provided'])
  return {
    code: 'INVALID_DURATION_FORMAT',
    message: 'Invalid ISO 8601 duration format',
    details: {
      field: 'duration_or_cycle',
      provided,
      expected_format: nearestDuration(provided),
      valid_examples: VALID_EXAMPLES,
      reason: message,
    },
  }
}

function outOfRange({ message, details }: DuetimeError): CyclesError {
  return {
    code: 'VALIDATION_ERROR',
    message,
    details: { field: 'duration_or_cycle', provided: details['provided'], reason: details['fault'] },
  }
}

function alreadyExists({ id, status, createdAt }: Timer): CyclesError {
  const existing = statusWord(status)
  const suggestion =
    existing === 'COMPLETED'
      ? 'Use a different timer_id, or on_conflict: "replace" to use this one again: its timer has fired'
      : 'Use different timer_id or cancel existing timer first'
  return {
    code: 'TIMER_ALREADY_EXISTS',
    message: 'Timer with this ID already exists',
    details: { timer_id: id, existing_status: existing, created_at: isoText(createdAt), suggestion },
  }
}

/** A delivery under way cannot be called back. If it fails, or belongs to a cycle, the timer can be canceled when it has ended. */
function alreadyCompleted({ id, status }: ErrorDetails): CyclesError {
  const existing = statusWord(status as Status)
  const reason = {
    ACTIVE: 'is firing right now',
    CANCELLED: 'is already cancelled',
    COMPLETED: 'is already completed',
    SCHEDULED: '',
  }[existing]
  const suggestion =
    existing === 'ACTIVE'
      ? { suggestion: 'If it is a cycle, or is tried again, it can be cancelled as soon as this delivery has ended' }
      : {}
  return {
    code: 'TIMER_ALREADY_COMPLETED',
    message: `Timer ${reason}`,
    details: { timer_id: id, existing_status: existing, ...suggestion },
  }
}
