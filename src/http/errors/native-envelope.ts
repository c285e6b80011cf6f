// Errors as `{error, message, details, timestamp}`. Fields are named as the client wrote them, and a schedule that is
// refused is just one more field that is wrong.

import { ERROR_CATALOGUE, ErrorCode } from '../../core/errors.ts'
import type { DuetimeError, ErrorDetails } from '../../core/errors.ts'
import type { Timer } from '../../core/timer/timer.ts'
import type { ErrorSurroundings, RenderedError } from './envelope.ts'
import { isoText } from '../../core/time/iso-text.ts'
import { timerJson } from '../../language/timer-json.ts'

export function renderNativeError(error: DuetimeError, { now, body }: ErrorSurroundings): RenderedError {
  const { status, json } = nativeErrorFields(error, body)
  return { status, body: `{${json},"timestamp":"${isoText(now)}"}` }
}

/** The fields without the timestamp, for answers that carry several errors. `body` is what was asked, to name fields by. */
export function nativeErrorFields(
  error: DuetimeError,
  body: unknown,
): { readonly status: number; readonly json: string } {
  const code = error.code === ErrorCode.invalidSchedule ? ErrorCode.invalidInput : error.code
  const details = detailsJson(named(error, body))
  return {
    status: ERROR_CATALOGUE[code].status,
    json: `"error":"${code}","message":${JSON.stringify(error.message)},"details":${details}`,
  }
}

/** The core knows a schedule and a target; the client wrote one of two fields for each. */
function named({ code, details }: DuetimeError, body: unknown): ErrorDetails {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  if (code === ErrorCode.invalidSchedule) {
    const { fault, ...rest } = details
    return { field: 'executeAt' in fields ? 'executeAt' : 'schedule', reason: fault, ...rest }
  }
  const isByUrl = details['field'] === 'callback' && 'callbackUrl' in fields && !('callback' in fields)
  return isByUrl ? { ...details, field: 'callbackUrl' } : details
}

function detailsJson(details: ErrorDetails): string {
  const { timer, ...rest } = details
  if (timer === undefined) return JSON.stringify(rest)
  const others = JSON.stringify(rest).slice(1, -1)
  return `{"timer":${timerJson(timer as Timer)}${others === '' ? '' : `,${others}`}}`
}
