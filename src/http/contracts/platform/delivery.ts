// How timers made through `platform` call back: the payload and nothing else, and any 2xx is success whatever its body.

import type { DeliveryOutcome } from '../../../core/timer/delivery.ts'
import type { Millis } from '../../../core/timer/timer.ts'
import { VERSION } from '../../../runtime/version.ts'
import { failedAnswer, isSuccess } from '../../../targets/http/protocol.ts'
import type { HttpProtocol, HttpResponse } from '../../../targets/http/protocol.ts'

/** Names this way of delivering in the timers that follow it, over HTTP and over NATS. */
export const PLATFORM_PROTOCOL = 'platform'

/** Also with a request that has no body, as its receivers have always seen it. */
const HEADERS = { 'content-type': 'application/json', 'user-agent': `timer-platform/${VERSION}` }

export const platformDelivery: HttpProtocol = {
  name: PLATFORM_PROTOCOL,
  request: ({ timer }) => ({ body: timer.payload, headers: HEADERS }),
  judge: (response, _firing, now) => judgeAnswer(response, now),
}

function judgeAnswer(response: HttpResponse, now: Millis): DeliveryOutcome {
  if (isSuccess(response)) return { type: 'delivered', statusCode: response.status }
  return failedAnswer(`HTTP ${response.status}`, response, now)
}
