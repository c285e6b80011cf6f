// How timers made through `v1` (and `groups`, which delivers the same way) call back: the body they send and the
// answers they understand. The payload and the metadata are JSON text already and go in as they are.

import { repeats } from '../../../core/time/firings.ts'
import type { DeliveryOutcome, Firing } from '../../../core/timer/delivery.ts'
import { DELAY_MAX_YEARS, ERROR_CHARS_KEPT } from '../../../core/limits.ts'
import { isoText } from '../../../core/time/iso-text.ts'
import { parseInstant } from '../../../core/time/schedule.ts'
import { firingDueAt, isShifted } from '../../../core/timer/timer.ts'
import type { Millis } from '../../../core/timer/timer.ts'
import { failedAnswer, failedStatus, isSuccess } from '../../../targets/http/protocol.ts'
import type { HttpProtocol, HttpResponse } from '../../../targets/http/protocol.ts'
import { NATIVE_PROTOCOL } from '../../../language/callback.ts'

const QUOTED_CHARS_MAX = 80 // of an answer that nobody expects: enough to recognise it
const BEGINS_WITH_NO = /^\s*\{\s*"ok"\s*:\s*false\b/
const REASON_CHARS_MAX = ERROR_CHARS_KEPT - 100
const DELAY_MAX_MS = DELAY_MAX_YEARS * 366 * 86_400_000

export const v1Delivery: HttpProtocol = {
  name: NATIVE_PROTOCOL,
  request: (firing) => ({ body: callbackBody(firing) }),
  judge: judgeAnswer,
}

/** Written by hand: parsing a payload of 256 KiB in order to serialize it again would cost a millisecond on the thread that fires. */
function callbackBody({ timer, deliveryId, attempt, firedAt }: Firing): string {
  const namespace = JSON.stringify(timer.namespace)
  let body = `{"id":${JSON.stringify(timer.id)},"namespace":${namespace},"groupId":${namespace},"payload":${timer.payload ?? 'null'}`
  body += `,"executeAt":"${isoText(firingDueAt(timer))}","firedAt":"${isoText(firedAt)}","attempt":${attempt},"deliveryId":"${deliveryId}"`
  if (isShifted(timer) && timer.extra === null) body += `,"nominalAt":"${isoText(timer.nominalAt)}"`
  if (timer.schedule !== null) body += `,"schedule":${JSON.stringify(timer.schedule)}`
  if (repeats(timer)) body += `,"iteration":${timer.iteration}`
  if (timer.extra !== null) body += ',"triggered":true'
  if (timer.metadata !== null) body += `,"metadata":${timer.metadata}`
  return `${body}}`
}

/** Any 2xx is success, as every sender of webhooks has it, unless the answer says otherwise in so many words. */
function judgeAnswer(response: HttpResponse, _firing: Firing, now: Millis): DeliveryOutcome {
  if (!isSuccess(response)) return failedStatus(response, now)
  // Nearly every answer is this one, to the letter.
  if (response.body === '{"ok":true}') return delivered(response)
  const body = response.body.trim()
  if (response.truncated !== null) {
    if (BEGINS_WITH_NO.test(body))
      return failedAnswer(`the receiver answered ok: false, ${response.truncated}`, response, now)
    return delivered(response, `answered ${response.truncated}${body === '' ? '' : `: ${quoted(body)}`}`)
  }
  if (body === '') return delivered(response)
  const answer = parseAnswer(body)
  if (answer === null) return delivered(response, `answered: ${quoted(body)}`)
  if (answer.ok) return delivered(response)
  if (answer.nextExecuteAt === undefined || answer.nextExecuteAt === null)
    return failedAnswer(refusal(answer), response, now)
  return judgeReschedule(answer.nextExecuteAt, response, now)
}

type Answer = {
  readonly ok: boolean
  readonly nextExecuteAt?: unknown
  readonly error?: unknown
  readonly message?: unknown
}

function parseAnswer(body: string): Answer | null {
  try {
    const value: unknown = JSON.parse(body)
    const isAnswer = typeof value === 'object' && value !== null && 'ok' in value && typeof value.ok === 'boolean'
    return isAnswer ? (value as Answer) : null
  } catch {
    return null
  }
}

function judgeReschedule(wanted: unknown, response: HttpResponse, now: Millis): DeliveryOutcome {
  const nextAt = typeof wanted === 'string' ? instantOrNull(wanted) : null
  const asked = `the answer's nextExecuteAt ${quoted(JSON.stringify(wanted))}`
  if (nextAt === null) return failedAnswer(`${asked} is not an ISO 8601 instant with an offset`, response, now)
  if (nextAt <= now) return failedAnswer(`${asked} is not in the future`, response, now)
  if (nextAt - now > DELAY_MAX_MS)
    return failedAnswer(`${asked} is more than ${DELAY_MAX_YEARS} years ahead`, response, now)
  return { type: 'rescheduled', nextAt, statusCode: response.status }
}

function instantOrNull(text: string): Millis | null {
  try {
    return parseInstant(text)
  } catch {
    return null
  }
}

function delivered({ status }: HttpResponse, note?: string): DeliveryOutcome {
  return { type: 'delivered', statusCode: status, ...(note !== undefined && { note }) }
}

/** A receiver that says why is quoted. */
function refusal({ error, message }: Answer): string {
  const reason = [error, message].filter((text) => typeof text === 'string').find((text) => text.trim() !== '')
  return `the receiver answered ok: false${reason === undefined ? '' : `: ${shortened(reason, REASON_CHARS_MAX)}`}`
}

function quoted(text: string): string {
  return shortened(text.replaceAll(/\s+/g, ' ').trim(), QUOTED_CHARS_MAX)
}

function shortened(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…`.toWellFormed() : text
}
