// From the bodies and paths of `platform` to commands.

import { OnConflict } from '../../../core/rules/command.ts'
import type { CreateCommand, TimerChanges } from '../../../core/rules/command.ts'
import { invalidInput } from '../../../core/errors.ts'
import { keyedIdentity } from '../../../core/timer/idempotency.ts'
import { DEFAULT_NAMESPACE, timerIdentity } from '../../../core/timer/ids.ts'
import type { TimerIdentity } from '../../../core/timer/ids.ts'
import { parseZonedInstant } from '../../../core/time/instant.ts'
import { TIMEOUT_DEFAULT_MS } from '../../../core/limits.ts'
import { fingerprintOf } from '../../../core/rules/parameters.ts'
import { SINGLE_ATTEMPT } from '../../../core/rules/retry.ts'
import type { Schedule } from '../../../core/time/schedule.ts'
import { CatchUp } from '../../../core/timer/timer.ts'
import type { TimerId } from '../../../core/timer/timer.ts'
import type { Timers } from '../../../service/timers.ts'
import { keyInBody } from '../../request/idempotency-key.ts'
import { readCallback } from '../../../language/callback.ts'
import { metadataText } from '../../../language/metadata.ts'
import { payloadText } from '../../../language/payload-text.ts'
import { PLATFORM_PROTOCOL } from './delivery.ts'
import type { CallbackBody, CreateBody, UpdateBody } from './schema.ts'

/** A due time must be further ahead than this. */
export const MIN_LEAD_MS = 5_000

export type CreateContext = {
  readonly timers: Pick<Timers, 'newIdentity'>
  /** Of the header. */
  readonly idempotencyKey: string | null
  readonly payloadMaxBytes: number
  readonly traceparent: string | null
}

export function toCreateCommand(body: CreateBody, context: CreateContext): CreateCommand {
  const key = keyInBody(body.idempotency_key, context.idempotencyKey, 'idempotency_key')
  const command: CreateCommand = {
    type: 'create',
    ...(key === null ? context.timers.newIdentity(DEFAULT_NAMESPACE) : keyedIdentity(DEFAULT_NAMESPACE, key)),
    onConflict: OnConflict.reject,
    minLeadMs: MIN_LEAD_MS,
    spec: {
      schedule: readInstant(body.execute_at),
      catchUp: CatchUp.all,
      target: readCallback(body.callback),
      protocol: PLATFORM_PROTOCOL,
      payload: payloadText(body.callback, context.payloadMaxBytes),
      metadata: metadataText(body.metadata),
      retry: SINGLE_ATTEMPT,
      timeoutMs: TIMEOUT_DEFAULT_MS,
      traceparent: context.traceparent,
      correlationId: null,
    },
  }
  return key === null ? command : { ...command, fingerprint: fingerprintOf(command.spec) }
}

/** A callback is replaced as a whole, its payload included. */
export function toChanges(body: UpdateBody, { payloadMaxBytes }: Pick<CreateContext, 'payloadMaxBytes'>): TimerChanges {
  const { execute_at: executeAt = null, callback = null, metadata = null } = body
  return {
    ...(executeAt === null ? {} : { schedule: readInstant(executeAt) }),
    ...(callback === null ? {} : callbackChanges(callback, payloadMaxBytes)),
    ...(metadata === null ? {} : { metadata: metadataText(metadata) }),
  }
}

function callbackChanges(callback: CallbackBody, payloadMaxBytes: number): TimerChanges {
  return {
    callback: { target: readCallback(callback), protocol: PLATFORM_PROTOCOL, retryOfProtocol: SINGLE_ATTEMPT },
    payload: payloadText(callback, payloadMaxBytes),
  }
}

function readInstant(executeAt: string): Schedule {
  return { kind: 'instant', rules: null, text: executeAt, ...parseZonedInstant(executeAt) }
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

export function readIdentity(id: string): TimerIdentity {
  if (!UUID.test(id)) throw invalidInput('id', 'id must be a UUID, such as 018f3c8e-5b7a-7d3c-9a51-0d6a1f0c2b44')
  return timerIdentity(DEFAULT_NAMESPACE, id as TimerId)
}
