// From the bodies and paths of `groups` to commands.

import { OnConflict } from '../../../core/rules/command.ts'
import type { CreateCommand, TimerChanges } from '../../../core/rules/command.ts'
import { invalidInput } from '../../../core/errors.ts'
import { DEFAULT_NAMESPACE, parseNamespace, parseTimerId, timerIdentity } from '../../../core/timer/ids.ts'
import type { TimerIdentity } from '../../../core/timer/ids.ts'
import { parseZonedInstant } from '../../../core/time/instant.ts'
import { TIMEOUT_DEFAULT_MS } from '../../../core/limits.ts'
import { DEFAULT_RETRY } from '../../../core/rules/retry.ts'
import type { Schedule } from '../../../core/time/schedule.ts'
import { CatchUp } from '../../../core/timer/timer.ts'
import type { Target } from '../../../core/targets/target.ts'
import { NATIVE_PROTOCOL, readWebTarget } from '../../../language/callback.ts'
import { readTimeout } from '../../../language/intervals.ts'
import { metadataText } from '../../../language/metadata.ts'
import { readRetryChanges, readRetryPolicy } from '../../../language/retry-policy.ts'
import { payloadText } from '../../../language/payload-text.ts'
import type { CreateBody, TimerPath, UpdateBody } from './schema.ts'

export type CreateContext = { readonly payloadMaxBytes: number; readonly traceparent: string | null }

export function toCreateCommand(body: CreateBody, { payloadMaxBytes, traceparent }: CreateContext): CreateCommand {
  const namespace = body.groupId === undefined ? DEFAULT_NAMESPACE : parseNamespace(body.groupId, 'groupId')
  const id = parseTimerId(body.id)
  return {
    type: 'create',
    ...timerIdentity(namespace, id),
    onConflict: OnConflict.match,
    minLeadMs: 0,
    spec: {
      schedule: readInstant(body.executeAt),
      catchUp: CatchUp.all,
      target: readTarget(body.callbackUrl),
      protocol: NATIVE_PROTOCOL,
      payload: payloadText(body, payloadMaxBytes),
      metadata: metadataText(body.metadata),
      retry: body.retryPolicy === undefined ? DEFAULT_RETRY : readRetryPolicy(body.retryPolicy),
      timeoutMs: readTimeout(body) ?? TIMEOUT_DEFAULT_MS,
      traceparent,
      correlationId: null,
    },
  }
}

/** Null clears a payload and metadata; every other field has a value or is not there. */
export function toChanges(body: UpdateBody, { payloadMaxBytes }: Pick<CreateContext, 'payloadMaxBytes'>): TimerChanges {
  const timeoutMs = readTimeout(body)
  const changes: TimerChanges = {
    ...(body.executeAt === undefined ? {} : { schedule: readInstant(body.executeAt) }),
    ...(body.callbackUrl === undefined ? {} : { callback: callbackTo(body.callbackUrl) }),
    ...(body.payload === undefined ? {} : { payload: payloadText(body, payloadMaxBytes) }),
    ...(body.metadata === undefined ? {} : { metadata: metadataText(body.metadata) }),
    ...(body.retryPolicy === undefined ? {} : { retry: readRetryChanges(body.retryPolicy) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
  if (Object.keys(changes).length === 0)
    throw invalidInput('executeAt', 'nothing to change: give the fields that shall have new values')
  return changes
}

export function toIdentity({ groupId, timerId }: TimerPath): TimerIdentity {
  const namespace = parseNamespace(groupId, 'groupId')
  return timerIdentity(namespace, parseTimerId(timerId, 'timerId'))
}

function readInstant(executeAt: string): Schedule {
  return { kind: 'instant', rules: null, text: executeAt, ...parseZonedInstant(executeAt) }
}

function readTarget(callbackUrl: string): Target {
  return readWebTarget(callbackUrl, 'callbackUrl')
}

function callbackTo(callbackUrl: string): NonNullable<TimerChanges['callback']> {
  return { target: readTarget(callbackUrl), protocol: NATIVE_PROTOCOL, retryOfProtocol: DEFAULT_RETRY }
}
