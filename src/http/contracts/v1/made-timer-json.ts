// The short answer to a create, for a client that asks for it: only what the client did not know when it asked. It goes for plain
// timers, which nearly all are: new, one firing, a URL, and the defaults for everything else. A whole
// timer is five times as long, and most of it repeats the request.

import { TIMEOUT_DEFAULT_MS } from '../../../core/limits.ts'
import { DEFAULT_RETRY, sameRetryPolicy } from '../../../core/rules/retry.ts'
import { repeats } from '../../../core/time/firings.ts'
import { formatInterval } from '../../../core/time/interval.ts'
import { isoText } from '../../../core/time/iso-text.ts'
import { deliveryId } from '../../../core/timer/ids.ts'
import { Status } from '../../../core/timer/timer.ts'
import type { Timer } from '../../../core/timer/timer.ts'
import { callbackUrlOf } from '../../../language/callback.ts'
import { retryPolicyJson } from '../../../language/retry-policy.ts'

/** What all plain timers have in common besides; once for all of an answer. */
export const PLAIN_TIMER_JSON =
  `{"status":"${Status.pending}","retryPolicy":${retryPolicyJson(DEFAULT_RETRY)}` +
  `,"callbackTimeout":"${formatInterval(TIMEOUT_DEFAULT_MS)}","callbackTimeoutSeconds":${TIMEOUT_DEFAULT_MS / 1_000}` +
  `,"attemptCount":0,"attempts":[]}`

type Asked = { readonly id?: string; readonly callbackUrl?: string; readonly schedule?: string }

/** Whether all that a whole answer would have is in the request, in the short answer, or common to plain timers. */
export function isPlain(timer: Timer, asked: Asked): boolean {
  const { target } = timer
  return (
    timer.version === 1 &&
    timer.status === Status.pending &&
    timer.updatedAt === timer.createdAt &&
    asked.id === timer.id &&
    timer.schedule === (asked.schedule ?? null) &&
    !repeats(timer) &&
    timer.timeZone === null &&
    timer.rules === null &&
    timer.maxLatenessMs === null &&
    timer.overlap === null &&
    timer.metadata === null &&
    sameRetryPolicy(timer.retry, DEFAULT_RETRY) && // a copy of it where the timer comes from another thread
    timer.timeoutMs === TIMEOUT_DEFAULT_MS &&
    timer.correlationId === null &&
    target.type === 'http' &&
    target.headers === null &&
    asked.callbackUrl === callbackUrlOf(target)
  )
}

export function madeTimerJson(timer: Timer): string {
  return `{"executeAt":"${isoText(timer.dueAt)}","createdAt":"${isoText(timer.createdAt)}","version":${timer.version},"deliveryId":"${deliveryId(timer)}"}`
}
