// From the bodies of `v1` to commands. Every create passes here, so the way of a good body is straight: no copies, no
// closures, nothing parsed twice.

import type {
  CancelCommand,
  CreateCommand,
  OnConflict,
  TimerChanges,
  UpdateCommand,
} from '../../../core/rules/command.ts'
import { DuetimeError, invalidInput } from '../../../core/errors.ts'
import { keyedIdentity } from '../../../core/rules/idempotency.ts'
import { DEFAULT_NAMESPACE, parseNamespace, parseTimerId, timerIdentity } from '../../../core/timer/ids.ts'
import type { TimerIdentity } from '../../../core/timer/ids.ts'
import { parseTimeZone, parseZonedInstant } from '../../../core/time/instant.ts'
import { TIMEOUT_DEFAULT_MS } from '../../../core/limits.ts'
import { fingerprintOf } from '../../../core/rules/parameters.ts'
import { DEFAULT_RETRY } from '../../../core/rules/retry.ts'
import { parseSchedule } from '../../../core/time/schedule.ts'
import type { Schedule } from '../../../core/time/schedule.ts'
import { CatchUp } from '../../../core/timer/timer.ts'
import type { Target } from '../../../core/targets/target.ts'
import type { Namespace } from '../../../core/timer/timer.ts'
import type { Timers } from '../../../service/timers.ts'
import { keyInBody } from '../../request/idempotency-key.ts'
import { NATIVE_PROTOCOL, readTarget } from '../../native/callback.ts'
import { readTimeout } from '../../native/intervals.ts'
import { metadataText } from '../../native/metadata.ts'
import { readRetryChanges, readRetryPolicy } from '../../native/retry-policy.ts'
import { payloadText } from '../../body/payload-text.ts'
import type { CreateBody, DeleteBody, NameBody, UpdateBody } from './schema.ts'

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
      catchUp: body.catchUp ?? CatchUp.all,
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
    ...(body.catchUp === undefined ? {} : { catchUp: body.catchUp }),
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

export function toIdentity(body: NameBody): TimerIdentity {
  return timerIdentity(readNamespace(body.namespace), parseTimerId(body.timerId, 'timerId'))
}

export function readNamespace(text: string | undefined): Namespace {
  return text === undefined ? DEFAULT_NAMESPACE : parseNamespace(text)
}

type TimingFields = Pick<CreateBody, 'executeAt' | 'schedule' | 'timeZone'>

/** Undefined when neither field is there. */
export function readSchedule({ executeAt, schedule, timeZone }: TimingFields): Schedule | undefined {
  if (executeAt !== undefined && schedule !== undefined)
    throw invalidInput('schedule', 'give executeAt or schedule, not both')
  if (timeZone !== undefined) assertTimeZone(timeZone, schedule)
  if (schedule !== undefined) return parseSchedule(schedule, timeZone ?? null)
  return executeAt === undefined ? undefined : { kind: 'instant', text: executeAt, ...parseZonedInstant(executeAt) }
}

function assertTimeZone(timeZone: string, schedule: string | undefined): void {
  if (schedule === undefined)
    throw invalidInput('timeZone', 'timeZone belongs to a schedule; executeAt has its offset already')
  inField('timeZone', () => parseTimeZone(timeZone))
}

export function requiredSchedule(fields: TimingFields): Schedule {
  const schedule = readSchedule(fields)
  if (schedule === undefined) throw invalidInput('executeAt', 'executeAt is required, or schedule instead of it')
  return schedule
}

function requiredTarget(body: CreateBody): Target {
  const target = readTarget(body)
  if (target === undefined) throw invalidInput('callbackUrl', 'callbackUrl is required, or callback instead of it')
  return target
}

/** The core refuses times and zones without knowing what field they came from. */
export function inField<T>(field: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof DuetimeError ? invalidInput(field, `${field}: ${error.message}`) : error
  }
}
