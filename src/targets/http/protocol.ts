// The seam between the HTTP target and the contracts. How a firing is delivered is fixed by the contract that
// made the timer: what is sent, and which answer counts as what. The target does everything else (connections,
// time limits, signatures, egress) and knows no contract.

import { failedDelivery } from '../../core/timer/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import type { Millis } from '../../core/timer/timer.ts'
import { parseRetryAfter } from './retry-after.ts'

export interface HttpProtocol {
  /** What `timer.protocol` says of the timers that follow it. */
  readonly name: string
  /** What to send; always a POST. The headers here beat the target's defaults, and a timer's own headers beat both. */
  request(firing: Firing): HttpProtocolRequest
  /** What the answer means. Pure: the same answer at the same time gives the same outcome. */
  judge(response: HttpResponse, firing: Firing, now: Millis): DeliveryOutcome
}

export type HttpProtocolRequest = { readonly body: string | null; readonly headers?: Readonly<Record<string, string>> }

/** A complete answer, or the beginning of one that was too long, broke off or did not end in time. */
export interface HttpResponse {
  readonly status: number
  /** By its lower-case name; the first value when the header came several times. */
  header(name: string): string | undefined
  readonly body: string
  /** How the answer came when this is not all of its body, in words that follow "answered"; null for a complete one. */
  readonly truncated: string | null
}

export function isSuccess(response: HttpResponse): boolean {
  return response.status >= 200 && response.status < 300
}

/** The failure that a status outside 2xx is in every contract: the receiver's wish to wait is kept, and 410 ends it for good. */
export function failedStatus(response: HttpResponse, now: Millis): DeliveryOutcome {
  const isRedirect = response.status >= 300 && response.status < 400 && response.header('location') !== undefined
  return failedAnswer(`HTTP ${response.status}${isRedirect ? ' (redirects are not followed)' : ''}`, response, now)
}

/** A failure that the answer itself announced, whatever its status. */
export function failedAnswer(error: string, response: HttpResponse, now: Millis): DeliveryOutcome {
  return failedDelivery(error, {
    statusCode: response.status,
    retryAfterMs: parseRetryAfter(response.header('retry-after'), now),
    final: response.status === 410,
  })
}
