// What a program's function is told about a firing and what it may answer, and how both are understood.

import { repeats } from '../core/time/firings.ts'
import type { DeliveryOutcome, Firing as CoreFiring } from '../core/timer/delivery.ts'
import { failedDelivery } from '../core/timer/delivery.ts'
import { DELAY_MAX_YEARS } from '../core/limits.ts'
import type { DurationFields } from '../core/time/written-duration.ts'
import { firingDueAt } from '../core/timer/timer.ts'
import type { Millis } from '../core/timer/timer.ts'
import type { Metadata } from '../language/metadata.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { OngoingCall, TimerFunction } from '../targets/function/function-target.ts'
import { parsed } from './shown-timer.ts'
import { instantMs } from './input/when.ts'
import type { InstantLike } from './input/when.ts'

export type Firing<Payload = unknown> = {
  readonly id: string
  readonly namespace: string
  /** What the timer was created with; null when that was nothing. */
  readonly payload: Payload
  /** The payload as JSON, as it is stored: JavaScript rounds integers beyond 2^53. */
  readonly payloadText: string | null
  readonly metadata: Metadata | null
  readonly dueAt: Date
  /** When this attempt started; never before `dueAt`. */
  readonly firedAt: Date
  /** From 1. */
  readonly attempt: number
  /** The same on every attempt of this firing: do the work once for each. */
  readonly deliveryId: string
  /** Of a cycle: which iteration this is, from 1. */
  readonly iteration: number | null
  /** Of a cycle: it fires once more, beside its schedule, because somebody asked for it; the iteration is the one that comes next. */
  readonly triggered: boolean
  readonly schedule: string | null
  /** Aborts when nobody waits for the handler any more: its time is over, or the program closes. A copy of the firing does not have it. */
  readonly signal: AbortSignal
}

/** The answer that moves the timer to another time, as a new firing. */
export type Reschedule = { readonly reschedule: InstantLike | DurationFields }

/**
 * Returning means done. Throwing means that it failed: it is tried again by the timer's retry policy, unless it is a
 * FinalFailure. What is returned counts only if it is a Reschedule.
 */
export type Handler<Payload = unknown> = (firing: Firing<Payload>) => Promise<Reschedule | void> | Reschedule | void

/** `return reschedule('10m')`, `return reschedule(new Date(…))`: fire again then, instead of being done. */
export function reschedule(to: InstantLike | DurationFields): Reschedule {
  return { reschedule: to }
}

export function timerFunction<Payload>(handler: Handler<Payload>, clock: Clock): TimerFunction {
  return async (firing, call) => {
    const answer: unknown = await handler(new CalledFiring<Payload>(firing, call))
    const isReschedule = typeof answer === 'object' && answer !== null && 'reschedule' in answer
    return isReschedule ? rescheduled(answer as Reschedule, clock.now()) : { type: 'delivered', statusCode: null }
  }
}

/** A class, because an object with a getter of its own costs twice as much as all the rest of it. */
class CalledFiring<Payload> implements Firing<Payload> {
  readonly id: string
  readonly namespace: string
  readonly payload: Payload
  readonly payloadText: string | null
  readonly metadata: Metadata | null
  readonly dueAt: Date
  readonly firedAt: Date
  readonly attempt: number
  readonly deliveryId: string
  readonly iteration: number | null
  readonly triggered: boolean
  readonly schedule: string | null
  readonly #call: OngoingCall

  constructor({ timer, deliveryId, attempt, firedAt }: CoreFiring, call: OngoingCall) {
    this.id = timer.id
    this.namespace = timer.namespace
    this.payload = parsed(timer.payload) as Payload
    this.payloadText = timer.payload
    this.metadata = parsed(timer.metadata) as Metadata | null
    this.dueAt = new Date(firingDueAt(timer))
    this.firedAt = new Date(firedAt)
    this.attempt = attempt
    this.deliveryId = deliveryId
    this.iteration = repeats(timer) ? timer.iteration : null
    this.triggered = timer.extra !== null
    this.schedule = timer.schedule
    this.#call = call
  }

  /** Made when it is asked for. */
  get signal(): AbortSignal {
    return this.#call.signal
  }
}

const DELAY_MAX_MS = DELAY_MAX_YEARS * 366 * 86_400_000

function rescheduled({ reschedule: to }: Reschedule, now: Millis): DeliveryOutcome {
  const nextAt = instantMs(to, 'reschedule', now)
  if (nextAt <= now)
    return failedDelivery(`the handler asked for ${new Date(nextAt).toISOString()}, which is not in the future`)
  if (nextAt - now > DELAY_MAX_MS)
    return failedDelivery(`the handler asked for a time more than ${DELAY_MAX_YEARS} years ahead`)
  return { type: 'rescheduled', nextAt, statusCode: null }
}
