// Lengths of time in requests: Go-style text (`30s`) or ISO 8601, within bounds, refused with the field's name.

import { Type } from '../runtime/schema-type.ts'
import { inField, invalidInput } from '../core/errors.ts'
import { formatInterval, parseInterval } from '../core/time/interval.ts'
import { TIMEOUT_MAX_MS, TIMEOUT_MIN_MS } from '../core/limits.ts'
import type { Millis } from '../core/timer/timer.ts'

type Bounds = { readonly minMs: Millis; readonly maxMs: Millis }

export function readInterval(text: string, field: string, { minMs, maxMs }: Bounds): Millis {
  const ms = inField(field, () => parseInterval(text))
  if (ms >= minMs && ms <= maxMs) return ms
  throw invalidInput(
    field,
    `${field} must be ${formatInterval(minMs)} to ${formatInterval(maxMs)}; it is ${formatInterval(ms)}`,
  )
}

export const CallbackTimeoutField = Type.String({
  description: 'How long the receiver may take, 1s to 1h. Default 30s.',
})
export const CallbackTimeoutSecondsField = Type.Number({
  minimum: TIMEOUT_MIN_MS / 1_000,
  maximum: TIMEOUT_MAX_MS / 1_000,
  description: 'The same in seconds.',
})

export type TimeoutFields = { readonly callbackTimeout?: string; readonly callbackTimeoutSeconds?: number }

/** Undefined when neither field is there. The number's bounds are in the schema. */
export function readTimeout({ callbackTimeout, callbackTimeoutSeconds }: TimeoutFields): Millis | undefined {
  const inSeconds = callbackTimeoutSeconds === undefined ? undefined : Math.round(callbackTimeoutSeconds * 1_000)
  if (callbackTimeout === undefined) return inSeconds
  const inText = readInterval(callbackTimeout, 'callbackTimeout', { minMs: TIMEOUT_MIN_MS, maxMs: TIMEOUT_MAX_MS })
  // Answers have both, and can be sent back.
  if (inSeconds === undefined || inSeconds === inText) return inText
  throw invalidInput('callbackTimeoutSeconds', 'give callbackTimeout or callbackTimeoutSeconds, not both')
}
