// From the bodies of `v1` to commands. Every create passes here, so the way of a good body is straight: no copies, no
// closures, nothing parsed twice.

import type {
  CancelCommand,
  CreateCommand,
  OnConflict,
  PauseCommand,
  TimerChanges,
  UpdateCommand,
} from '../../../core/rules/command.ts'
import { inField, invalidInput } from '../../../core/errors.ts'
import { keyedIdentity } from '../../../core/timer/idempotency.ts'
import { DEFAULT_NAMESPACE, parseNamespace, parseTimerId, timerIdentity } from '../../../core/timer/ids.ts'
import type { TimerIdentity } from '../../../core/timer/ids.ts'
import { TIMEOUT_DEFAULT_MS } from '../../../core/limits.ts'
import { fingerprintOf } from '../../../core/rules/parameters.ts'
import { parseInstant } from '../../../core/time/instant.ts'
import { DEFAULT_RETRY } from '../../../core/rules/retry.ts'
import { CatchUp } from '../../../core/timer/timer.ts'
import type { Target } from '../../../core/targets/target.ts'
import type { Namespace } from '../../../core/timer/timer.ts'
import type { Timers } from '../../../service/timers.ts'
import { keyInBody } from '../../request/idempotency-key.ts'
import { NATIVE_PROTOCOL, readTarget } from '../../../language/callback.ts'
import { readCatchUp, readMaxLateness } from '../../../language/firing-rules.ts'
import { readSchedule, requiredSchedule } from '../../../language/timing.ts'
import { readTimeout } from '../../../language/intervals.ts'
import { metadataText } from '../../../language/metadata.ts'
import { readRetryChanges, readRetryPolicy } from '../../../language/retry-policy.ts'
import { payloadText } from '../../../language/payload-text.ts'
import type { CreateBody, DeleteBody, NameBody, PauseBody, UpdateBody } from './schema.ts'

export type CreateContext = {
  readonly timers: Pick<Timers, 'newIdentity'>
  /** Of the header, for a body without an id. */
  readonly idempotencyKey: string | null
  readonly payloadMaxBytes: number
  readonly traceparent: string | null
  /** For bodies that do not say. */
  readonly onConflict: OnConflict
}

export function toCreateCommand(body: CreateBody, context: CreateContext): CreateCommand {
  const namespace = readNamespace(body.namespace)
  const key = keyOf(body, context)
  const { id, uuid } =
    body.id !== undefined
      ? timerIdentity(namespace, parseTimerId(body.id))
      : key !== null
        ? keyedIdentity(namespace, key)
        : context.timers.newIdentity(namespace)
  const command: CreateCommand = {
    type: 'create',
    namespace,
    id,
    uuid,
    onConflict: body.onConflict ?? context.onConflict,
    minLeadMs: 0,
    spec: {
      schedule: requiredSchedule(body),
      catchUp: body.catchUp === undefined ? CatchUp.all : readCatchUp(body.catchUp),
      maxLatenessMs: body.maxLateness === undefined ? null : readMaxLateness(body.maxLateness),
      overlap: body.overlap ?? null,
      target: requiredTarget(body),
      protocol: NATIVE_PROTOCOL,
      payload: payloadText(body, context.payloadMaxBytes),
      metadata: metadataText(body.metadata),
      retry: body.retryPolicy === undefined ? DEFAULT_RETRY : readRetryPolicy(body.retryPolicy),
      timeoutMs: readTimeout(body) ?? TIMEOUT_DEFAULT_MS,
      traceparent: context.traceparent,
      correlationId: null,
    },
  }
  return key === null ? command : { ...command, fingerprint: fingerprintOf(command.spec) }
}

/** A header beside an id is ignored, since some clients send one with every POST; a field in the body was written on purpose. */
function keyOf({ id, idempotencyKey, onConflict }: CreateBody, context: CreateContext): string | null {
  if (idempotencyKey !== undefined && id !== undefined) {
    throw invalidInput(
      'idempotencyKey',
      'give id or idempotencyKey, not both: with an id, onConflict says what a repeated create does',
    )
  }
  if (idempotencyKey !== undefined && onConflict !== undefined) {
    throw invalidInput(
      'onConflict',
      'onConflict is for timers with an id: with an idempotencyKey, a repeated create answers with the timer that is there',
    )
  }
  return id === undefined ? keyInBody(idempotencyKey, context.idempotencyKey, 'idempotencyKey') : null
}

export function toUpdateCommand(
  body: UpdateBody,
  { payloadMaxBytes }: Pick<CreateContext, 'payloadMaxBytes'>,
): UpdateCommand {
  const changes = changesOf(body, payloadMaxBytes)
  const retry = body.retry ?? false
  if (!retry && Object.keys(changes).length === 0)
    throw invalidInput('timerId', 'nothing to change: give the fields that shall have new values')
  return { type: 'update', ...toIdentity(body), changes, ifVersion: body.ifVersion ?? null, minLeadMs: 0, retry }
}

function changesOf(body: UpdateBody, payloadMaxBytes: number): TimerChanges {
  const schedule = readSchedule(body)
  const target = readTarget(body)
  const timeoutMs = readTimeout(body)
  return {
    ...(schedule === undefined ? {} : { schedule }),
    ...(body.catchUp === undefined ? {} : { catchUp: readCatchUp(body.catchUp) }),
    ...(body.maxLateness === undefined ? {} : { maxLatenessMs: readMaxLateness(body.maxLateness) }),
    ...(body.overlap === undefined ? {} : { overlap: body.overlap }),
    ...(target === undefined
      ? {}
      : { callback: { target, protocol: NATIVE_PROTOCOL, retryOfProtocol: DEFAULT_RETRY } }),
    ...(body.payload === undefined ? {} : { payload: payloadText(body, payloadMaxBytes) }),
    ...(body.metadata === undefined ? {} : { metadata: metadataText(body.metadata) }),
    ...(body.retryPolicy === undefined ? {} : { retry: readRetryChanges(body.retryPolicy) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

export function toDeleteCommand(body: DeleteBody): CancelCommand {
  return { type: 'cancel', ...toIdentity(body), ifVersion: body.ifVersion ?? null }
}

export function toPauseCommand(body: PauseBody): PauseCommand {
  const { until } = body
  if (until === undefined) return { type: 'pause', ...toIdentity(body) }
  return { type: 'pause', ...toIdentity(body), until: inField('until', () => parseInstant(until)) }
}

export function toIdentity(body: NameBody): TimerIdentity {
  return timerIdentity(readNamespace(body.namespace), parseTimerId(body.timerId, 'timerId'))
}

export function readNamespace(text: string | undefined): Namespace {
  return text === undefined ? DEFAULT_NAMESPACE : parseNamespace(text)
}

function requiredTarget(body: CreateBody): Target {
  const target = readTarget(body)
  if (target === undefined) throw invalidInput('callbackUrl', 'callbackUrl is required, or callback instead of it')
  return target
}
