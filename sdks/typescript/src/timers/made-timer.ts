// Creates that are sent together are answered with what the client does not know: when the timer fires, when it was made,
// its version and its delivery id. The rest of the timer is what was sent, and what all such timers have in common.

import type { BatchAnswer } from '../generated.ts'
import { parseExactly } from '../transport/payload-text.ts'
import type { ReadyCreate, Timer } from './timer.ts'

export type MadeTimer = NonNullable<BatchAnswer['results'][number]['made']>

/** What timers have in common that are answered so. */
type PlainTimer = Pick<
  Timer,
  'status' | 'retryPolicy' | 'callbackTimeout' | 'callbackTimeoutSeconds' | 'attemptCount' | 'attempts'
>

/** As the service would show it. `sent`: the create as it went, in JSON; the program may have changed its payload since. */
export function wholeTimer(sent: string, made: MadeTimer, plainTimer: unknown): Timer {
  const create = parseExactly(sent) as ReadyCreate & Pick<Timer, 'payloadText'>
  const { id, namespace, callbackUrl, schedule, payload, payloadText } = create
  const plain = plainTimer as PlainTimer
  return {
    id: id!,
    namespace,
    groupId: namespace,
    status: plain.status,
    executeAt: made.executeAt,
    ...(schedule !== undefined && { schedule }),
    callbackUrl: callbackUrl!,
    callback: { type: 'http', url: callbackUrl! },
    // A payload of null is none.
    ...(payload !== undefined && payload !== null && { payload }),
    ...(payloadText !== undefined && { payloadText }),
    retryPolicy: { ...plain.retryPolicy },
    callbackTimeout: plain.callbackTimeout,
    callbackTimeoutSeconds: plain.callbackTimeoutSeconds,
    createdAt: made.createdAt,
    updatedAt: made.createdAt,
    attemptCount: plain.attemptCount,
    attempts: [],
    version: made.version,
    deliveryId: made.deliveryId,
  }
}
