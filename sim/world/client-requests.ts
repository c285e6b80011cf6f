// What clients ask, put into commands by the real mappings of three contracts.

import type { Command } from '../../src/core/rules/command.ts'
import { keyedIdentity } from '../../src/core/timer/idempotency.ts'
import { timerIdentity } from '../../src/core/timer/ids.ts'
import type { TimerIdentity } from '../../src/core/timer/ids.ts'
import type { Timer, TimerId } from '../../src/core/timer/timer.ts'
import { toCreateCommand as cyclesCreate } from '../../src/http/contracts/cycles/mapping.ts'
import { MIN_LEAD_MS, toChanges, toCreateCommand as platformCreate } from '../../src/http/contracts/platform/mapping.ts'
import { toCreateCommand as v1Create, toUpdateCommand } from '../../src/http/contracts/v1/mapping.ts'
import type { Timers } from '../../src/service/timers.ts'
import type { Answer, Wish } from '../history.ts'
import type { PlannedRequest, PlannedTimer, PlannedWish } from '../plan/plan.ts'
import { asNamespace } from './node.ts'
import { EPOCH } from './node-clock.ts'

const PAYLOAD_MAX_BYTES = 65_536
const CONTEXT = { idempotencyKey: null, payloadMaxBytes: PAYLOAD_MAX_BYTES, traceparent: null }

export function identityOf({ namespace, id, contract }: PlannedTimer): TimerIdentity {
  if (contract === 'platform') return keyedIdentity(asNamespace(namespace), keyOf(id))
  return timerIdentity(asNamespace(namespace), id as TimerId)
}

export function nameOf(timer: PlannedTimer): string {
  return `${timer.namespace}/${identityOf(timer).id}`
}

/** An instant is named when the request is first sent, and stays so when it is repeated. */
export function wishAt(wish: PlannedWish, sentAt: number): Wish {
  return wish.type === 'instant' ? { type: 'instant', atWall: Math.round(EPOCH + sentAt + wish.inMs) } : wish
}

/** Null for a read. */
export function commandOf(
  request: PlannedRequest,
  wish: Wish | null,
  timers: Timers,
  ifVersion: number | null,
): Command | null {
  const { type, timer, revives } = request
  const identity = identityOf(timer)
  switch (type) {
    case 'get':
      return null
    case 'cancel':
      return { type, ...identity, ifVersion }
    case 'create':
      return createOf(request, wish!, timers)
    case 'update': {
      if (timer.contract === 'platform') {
        const changes = toChanges({ execute_at: instantText(wish!), callback: callbackOf(request) }, CONTEXT)
        return { type, ...identity, changes, ifVersion: null, minLeadMs: MIN_LEAD_MS }
      }
      const named = { namespace: timer.namespace, timerId: timer.id, retry: revives }
      const condition = ifVersion === null ? {} : { ifVersion }
      return toUpdateCommand({ ...named, ...condition, ...v1Fields(request, wish!) }, CONTEXT)
    }
    case 'trigger':
    case 'pause':
    case 'resume':
    case 'retry':
      return { type, ...identity }
  }
}

/** What the answer shows of a timer. */
export function answerOf(timer: Timer, changed: boolean): Answer {
  const told = JSON.parse(timer.payload ?? timer.metadata ?? '{}') as { readonly revision?: number }
  return {
    version: timer.version,
    status: timer.status,
    revision: told.revision ?? null,
    dueWall: timer.dueAt,
    createdWall: timer.createdAt,
    iteration: timer.iteration,
    changed,
  }
}

function createOf(request: PlannedRequest, wish: Wish, timers: Timers): Command {
  const { timer, onConflict } = request
  switch (timer.contract) {
    case 'v1':
      return v1Create(
        { namespace: timer.namespace, id: timer.id, onConflict, ...v1Fields(request, wish) },
        { ...CONTEXT, timers, onConflict: 'replace' },
      )
    case 'cycles':
      return cyclesCreate(
        {
          timer_id: timer.id,
          tenant_id: timer.namespace,
          duration_or_cycle: scheduleText(wish),
          callback_url: urlOf(timer),
          metadata: toldOf(request),
          on_conflict: onConflict,
        },
        { callbackBaseUrl: null, traceparent: null },
      )
    case 'platform':
      return platformCreate(
        { execute_at: instantText(wish), callback: callbackOf(request), idempotency_key: keyOf(timer.id) },
        { ...CONTEXT, timers },
      )
  }
}

function v1Fields(request: PlannedRequest, wish: Wish) {
  const { retry, timeoutMs } = request
  return {
    schedule: scheduleText(wish),
    ...(wish.type === 'cycle' && { catchUp: wish.catchUp }),
    ...(wish.type === 'cycle' && wish.overlap !== undefined && { overlap: wish.overlap }),
    callbackUrl: urlOf(request.timer),
    payload: toldOf(request),
    retryPolicy: { maxAttempts: retry.maxAttempts, initialInterval: `${retry.initialMs}ms`, maxInterval: '2s' },
    callbackTimeoutSeconds: timeoutMs / 1_000,
  }
}

function callbackOf(request: PlannedRequest) {
  return { type: 'http' as const, url: urlOf(request.timer), payload: toldOf(request) }
}

function toldOf({ number, behaviour }: PlannedRequest) {
  return { revision: number, behaviour }
}

function urlOf({ host }: PlannedTimer): string {
  return `http://${host}/`
}

function keyOf(id: string): string {
  return `key-${id}`
}

function instantText(wish: Wish): string {
  return new Date(wish.type === 'instant' ? wish.atWall : 0).toISOString()
}

function scheduleText(wish: Wish): string {
  if (wish.type === 'instant') return instantText(wish)
  if (wish.type === 'duration') return `PT${wish.ms / 1_000}S`
  return `R${wish.repetitions ?? ''}/PT${wish.intervalMs / 1_000}S`
}
