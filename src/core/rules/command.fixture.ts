// Commands and timers for the tests of the rules: valid values with everything at its default, but for what a test names.

import type { Command, CreateCommand, TimerSpec } from './command.ts'
import { decide } from './decide.ts'
import type { Decision, RuleContext } from './steps.ts'
import type { DeliveryOutcome } from '../timer/delivery.ts'
import { failedDelivery } from '../timer/delivery.ts'
import { DuetimeError } from '../errors.ts'
import { timerUuid } from '../timer/ids.ts'
import { DEFAULT_RETRY } from './retry.ts'
import { parseSchedule } from '../time/schedule.ts'
import { CatchUp, NEVER, Status } from '../timer/timer.ts'
import type { Millis, Namespace, Timer, TimerId } from '../timer/timer.ts'

export const NOW: Millis = Date.UTC(2026, 0, 31, 10)
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const RETENTION_MS = 7 * 24 * 60 * MINUTE

export const at = (now: Millis): RuleContext => ({ now, retentionMs: RETENTION_MS })

const namespace = 'shop' as Namespace
const id = 'order-1' as TimerId
export const KEY = { namespace, id, uuid: timerUuid(namespace, id) }

export const DELIVERED: DeliveryOutcome = { type: 'delivered', statusCode: 200 }
export const FAILED: DeliveryOutcome = failedDelivery('HTTP 500', { statusCode: 500 })
export const GONE: DeliveryOutcome = failedDelivery('HTTP 410', { statusCode: 410, final: true })

export function specOf(schedule: string, changes: Partial<TimerSpec> = {}): TimerSpec {
  return {
    schedule: parseSchedule(schedule),
    catchUp: CatchUp.all,
    target: { type: 'none' },
    protocol: 'v1',
    payload: null,
    metadata: null,
    retry: DEFAULT_RETRY,
    timeoutMs: 30 * SECOND,
    traceparent: null,
    correlationId: null,
    ...changes,
  }
}

export function createOf(spec: TimerSpec, changes: Partial<CreateCommand> = {}): CreateCommand {
  return { type: 'create', ...KEY, spec, onConflict: 'replace', minLeadMs: null, ...changes }
}

/** A timer as a create at `now` makes it. */
export function timerOf(schedule: string, changes: Partial<TimerSpec> = {}, now: Millis = NOW): Timer {
  return decide(null, createOf(specOf(schedule, changes)), at(now)).timer
}

/** The same timer in another status, as it would have got there. */
export function inStatus(timer: Timer, status: Status): Timer {
  switch (status) {
    case Status.pending:
    case Status.executing:
      return { ...timer, status }
    case Status.paused:
      return { ...timer, status, wakeAt: NEVER }
    case Status.completed:
    case Status.canceled:
      return { ...timer, status, finishedAt: timer.updatedAt, wakeAt: timer.updatedAt + RETENTION_MS }
    case Status.failed:
      return {
        ...timer,
        status,
        finishedAt: timer.updatedAt,
        wakeAt: timer.updatedAt + RETENTION_MS,
        lastError: 'HTTP 500',
      }
  }
}

type Refusal = { readonly type: 'refused'; readonly code: string }

/** What `decide` answers, or the code of its refusal; anything else that it throws is a defect. */
export function tryDecide(existing: Timer | null, command: Command, now: Millis): Decision | Refusal {
  try {
    return decide(existing, command, at(now))
  } catch (error) {
    if (!(error instanceof DuetimeError)) throw error
    return { type: 'refused', code: error.code }
  }
}
