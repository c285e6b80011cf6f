// The event that says that a timer's time has come. Everything in it but the times of the attempt is the same on every
// attempt, its id included: whoever sees it twice can tell.

import crypto from 'node:crypto'
import type { Firing } from '../../core/timer/delivery.ts'
import type { Millis } from '../../core/timer/timer.ts'
import type { NatsProtocol } from '../../targets/nats/protocol.ts'
import type { Subjects } from '../subjects.ts'

/** Names the way of delivering of timers that commands made. No other entry point can give it to a timer. */
export const MESSAGES_PROTOCOL = 'messages'

/** Events go where the settings say now, whatever they said when the timer was made: the event is the service's, not a client's. */
export function dueTimeReached(subjects: Subjects, eventsSubject: string): NatsProtocol {
  return {
    name: MESSAGES_PROTOCOL,
    confirmedBy: 'stream',
    subjectFor: ({ namespace }) => subjects.of(namespace, eventsSubject),
    message: envelopeText,
  }
}

/** Written by hand, as the bodies of callbacks are: tens of thousands of these may be due at once. */
function envelopeText({ timer, deliveryId, firedAt }: Firing): string {
  const tenantId = JSON.stringify(timer.namespace)
  const serviceCallId = JSON.stringify(timer.id)
  let text = `{"id":"${eventId(timer.dueAt, deliveryId)}","type":"DueTimeReached","tenantId":${tenantId},"aggregateId":${serviceCallId}`
  text += `,"timestampMs":${firedAt}`
  if (timer.correlationId !== null) text += `,"correlationId":${JSON.stringify(timer.correlationId)}`
  const reachedAt = new Date(firedAt).toISOString()
  return `${text},"payload":{"tenantId":${tenantId},"serviceCallId":${serviceCallId},"reachedAt":"${reachedAt}"}}`
}

const TIME_BITS = 48

/** A UUIDv7 whose time is the due time and whose random bits are a hash of the delivery id. */
function eventId(dueAt: Millis, deliveryId: string): string {
  const time = Math.min(Math.max(dueAt, 0), 2 ** TIME_BITS - 1)
    .toString(16)
    .padStart(TIME_BITS / 4, '0')
  const bits = crypto.hash('sha256', deliveryId, 'hex')
  const variant = ((Number.parseInt(bits[3]!, 16) & 0b0011) | 0b1000).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(0, 3)}-${variant}${bits.slice(4, 7)}-${bits.slice(7, 19)}`
}
