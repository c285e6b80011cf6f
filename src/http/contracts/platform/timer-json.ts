// The timer as clients of `platform` see it: every field is there, null when it has no value. The payload and the metadata
// are JSON text already and go in as they are.

import { Status } from '../../../core/timer/timer.ts'
import { targetFields } from '../../../core/targets/target.ts'
import type { Target } from '../../../core/targets/target.ts'
import type { Millis, Timer } from '../../../core/timer/timer.ts'
import { callbackJson } from '../../../language/callback.ts'
import { isoText } from '../../../core/time/iso-text.ts'

/** As in lists, and as the answer to a create. */
export function summaryJson(timer: Timer): string {
  return `{${summaryFields(timer)}}`
}

/** The answer to an update. */
export function updatedJson(timer: Timer): string {
  return `{${summaryFields(timer)},"updated_at":"${isoText(timer.updatedAt)}"}`
}

export function canceledJson(timer: Timer): string {
  return `{"id":${JSON.stringify(timer.id)},"status":"${statusOf(timer)}"}`
}

/** Header values are shown as they are: whoever may not see them is not given them by the service. */
export function detailJson(timer: Timer): string {
  const lastError = timer.lastError === null ? 'null' : JSON.stringify(errorText(timer.lastError))
  return (
    `{${summaryFields(timer)},"updated_at":"${isoText(timer.updatedAt)}","callback_config":${configJson(timer.target, timer.payload)}` +
    `,"last_error":${lastError},"metadata":${timer.metadata ?? 'null'}}`
  )
}

function summaryFields(timer: Timer): string {
  return (
    `"id":${JSON.stringify(timer.id)},"created_at":"${isoText(timer.createdAt)}","execute_at":"${isoText(timer.dueAt)}"` +
    `,"callback_type":"${timer.target.type}","status":"${statusOf(timer)}","executed_at":${instantJson(executedAt(timer))}`
  )
}

/** This contract knows no pause: a paused timer is one that has not fired yet. */
export function statusOf({ status }: Pick<Timer, 'status'>): Exclude<Status, 'paused'> {
  return status === Status.paused ? Status.pending : status
}

/** When the one execution ended; a timer that will fire again has not been executed yet. */
function executedAt({ status, finishedAt }: Timer): Millis | null {
  return status === Status.completed || status === Status.failed ? finishedAt : null
}

function instantJson(at: Millis | null): string {
  return at === null ? 'null' : `"${isoText(at)}"`
}

/** As clients of this contract give it: they know only targets that have an address. */
function configJson(target: Target, payload: string | null): string {
  const json = targetFields(target.type).length === 0 ? null : callbackJson(target, { secrets: true })
  if (json === null) return 'null'
  return payload === null ? json : `${json.slice(0, -1)},"payload":${payload}}`
}

/** Its clients know a time limit by these words, whatever it was that took too long. */
function errorText(lastError: string): string {
  return lastError.startsWith('timed out') ? 'Connection timeout' : lastError
}
