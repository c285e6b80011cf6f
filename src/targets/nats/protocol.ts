// The seam between the NATS target and the contracts. What a firing looks like on the wire is fixed by the contract that
// made the timer; the target does the rest: where it goes, its delivery id, and whether it arrived.

import type { Firing } from '../../core/timer/delivery.ts'
import type { Timer } from '../../core/timer/timer.ts'

export interface NatsProtocol {
  /** What `timer.protocol` says of the timers that follow it. */
  readonly name: string
  /** Whether only a stream's acknowledgement counts as delivered, or, where there is no stream, the server's receipt as well. */
  readonly confirmedBy: 'stream' | 'any'
  /** Where the message goes, when that is the protocol's to say; absent, the timer's target says it and is judged. */
  readonly subjectFor?: (timer: Timer) => string
  /** The data; empty when there is none. */
  message(firing: Firing): string
}

/** Exactly the payload, and nothing when there is none. */
export function payloadProtocol(name: string): NatsProtocol {
  return { name, confirmedBy: 'any', message: ({ timer }) => timer.payload ?? '' }
}
