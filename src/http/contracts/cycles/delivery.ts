// How timers made through `cycles` call back: a small JSON body, any 2xx is success whatever it says, and the default
// retries.

import type { DeliveryOutcome, Firing } from '../../../core/timer/delivery.ts'
import { firingDueAt } from '../../../core/timer/timer.ts'
import type { Millis } from '../../../core/timer/timer.ts'
import { failedStatus, isSuccess } from '../../../targets/http/protocol.ts'
import type { HttpProtocol, HttpResponse } from '../../../targets/http/protocol.ts'
import { isoText } from '../../../core/time/iso-text.ts'

/** Names this way of delivering in the timers that follow it. */
export const CYCLES_PROTOCOL = 'cycles'

export const cyclesDelivery: HttpProtocol = {
  name: CYCLES_PROTOCOL,
  request: (firing) => ({ body: callbackBody(firing) }),
  judge: (response, _firing, now) => judgeAnswer(response, now),
}

function callbackBody({ timer, firedAt }: Firing): string {
  return (
    `{"timer_id":${JSON.stringify(timer.id)},"tenant_id":${JSON.stringify(timer.namespace)},"status":"FIRED"` +
    `,"fired_at":"${isoText(firedAt)}","scheduled_at":"${isoText(firingDueAt(timer))}","iteration":${timer.iteration}${timer.extra === null ? '' : ',"triggered":true'}` +
    `,"metadata":${timer.metadata ?? '{}'}}`
  )
}

function judgeAnswer(response: HttpResponse, now: Millis): DeliveryOutcome {
  return isSuccess(response) ? { type: 'delivered', statusCode: response.status } : failedStatus(response, now)
}
