// The retry policy as clients write and read it. Two generations of names are accepted; answers use the first one.

import { Type } from '../runtime/schema-type.ts'
import type { Static } from 'typebox'
import { invalidInput } from '../core/errors.ts'
import { formatInterval } from '../core/time/interval.ts'
import { RETRIES_MAX, RETRY_DURATION_MAX_MS, RETRY_INTERVAL_MAX_MS, RETRY_MULTIPLIER_MAX } from '../core/limits.ts'
import { changedRetry, DEFAULT_RETRY, RETRIES_BOUNDS, sameRetryPolicy } from '../core/rules/retry.ts'
import type { RetryPolicy } from '../core/timer/retry-policy.ts'
import type { RetryChanges } from '../core/rules/retry.ts'
import { readInterval } from './intervals.ts'

const INTERVAL_BOUNDS = { minMs: 1, maxMs: RETRY_INTERVAL_MAX_MS }
const DURATION_BOUNDS = { minMs: 0, maxMs: RETRY_DURATION_MAX_MS }

export const RetryPolicyFields = Type.Object(
  {
    // Their bounds are not the schema's: more is taken where the timer has as many.
    maxRetries: Type.Optional(
      Type.Integer({ description: `Attempts after the first, 0 to ${RETRIES_MAX}. Default 3.` }),
    ),
    maxAttempts: Type.Optional(
      Type.Integer({
        description: `Attempts in all, the first included, 1 to ${RETRIES_MAX + 1}; instead of maxRetries.`,
      }),
    ),
    initialInterval: Type.Optional(
      Type.String({ description: 'Wait before the first retry, such as 30s or PT30S. Default 30s.' }),
    ),
    backoffMultiplier: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: RETRY_MULTIPLIER_MAX,
        description: 'Each wait is so many times the last. Default 2.',
      }),
    ),
    multiplier: Type.Optional(
      Type.Number({ minimum: 1, maximum: RETRY_MULTIPLIER_MAX, description: 'Same as backoffMultiplier.' }),
    ),
    maxInterval: Type.Optional(Type.String({ description: 'The longest wait. Default 10m.' })),
    maxRetryAttemptsDuration: Type.Optional(
      Type.String({ description: 'No attempt starts later after the first one. Default 24h.' }),
    ),
    maxAttemptsDuration: Type.Optional(Type.String({ description: 'Same as maxRetryAttemptsDuration.' })),
  },
  {
    additionalProperties: false,
    description:
      'When a failed delivery is tried again. Fields left out have their defaults; in an update they stay as they are.',
  },
)
export type RetryPolicyFields = Static<typeof RetryPolicyFields>

export function readRetryPolicy(fields: RetryPolicyFields): RetryPolicy {
  return changedRetry(DEFAULT_RETRY, readRetryChanges(fields))
}

export function readRetryChanges(fields: RetryPolicyFields): RetryChanges {
  const retries = either(fields, 'maxRetries', 'maxAttempts')
  const multiplier = either(fields, 'backoffMultiplier', 'multiplier')
  const duration = either(fields, 'maxRetryAttemptsDuration', 'maxAttemptsDuration')
  return {
    ...(retries === null ? {} : { maxAttempts: attemptsOf(fields, retries) }),
    ...(fields.initialInterval === undefined
      ? {}
      : { initialIntervalMs: interval(fields, 'initialInterval', INTERVAL_BOUNDS) }),
    ...(multiplier === null ? {} : { multiplier: fields[multiplier]! }),
    ...(fields.maxInterval === undefined ? {} : { maxIntervalMs: interval(fields, 'maxInterval', INTERVAL_BOUNDS) }),
    ...(duration === null ? {} : { maxDurationMs: interval(fields, duration, DURATION_BOUNDS) }),
  }
}

function attemptsOf(fields: RetryPolicyFields, name: 'maxRetries' | 'maxAttempts'): number {
  const attempts = fields.maxAttempts ?? fields.maxRetries! + 1
  if (attempts < 1) throw invalidInput(`retryPolicy.${name}`, RETRIES_BOUNDS)
  return attempts
}

type Field = keyof RetryPolicyFields

/** Which of two names for one thing was used. */
function either<A extends Field, B extends Field>(fields: RetryPolicyFields, a: A, b: B): A | B | null {
  if (fields[a] !== undefined && fields[b] !== undefined) {
    throw invalidInput(`retryPolicy.${b}`, `retryPolicy.${a} and retryPolicy.${b} say the same thing: give one of them`)
  }
  return fields[a] !== undefined ? a : fields[b] !== undefined ? b : null
}

type IntervalField = 'initialInterval' | 'maxInterval' | 'maxRetryAttemptsDuration' | 'maxAttemptsDuration'

function interval(fields: RetryPolicyFields, name: IntervalField, bounds: typeof INTERVAL_BOUNDS): number {
  return readInterval(fields[name]!, `retryPolicy.${name}`, bounds)
}

const DEFAULT_TEXT = policyText(DEFAULT_RETRY)

/** Always complete. Most timers have the default, which is written once. */
export function retryPolicyJson(policy: RetryPolicy): string {
  return sameRetryPolicy(policy, DEFAULT_RETRY) ? DEFAULT_TEXT : policyText(policy)
}

function policyText(policy: RetryPolicy): string {
  return JSON.stringify({
    maxRetries: policy.maxAttempts - 1,
    initialInterval: formatInterval(policy.initialIntervalMs),
    backoffMultiplier: policy.multiplier,
    maxInterval: formatInterval(policy.maxIntervalMs),
    maxRetryAttemptsDuration: formatInterval(policy.maxDurationMs),
  })
}
