// The receivers of the timers' callbacks, and the way to them. A payload says how its receiver behaves. The request is made,
// and the answer judged, by the real way of delivering of the contract that made the timer.

import type { SeededRandom } from '../../test/support/seeded-random.ts'
import { failedDelivery } from '../../src/core/timer/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../src/core/timer/delivery.ts'
import { cyclesDelivery } from '../../src/http/contracts/cycles/delivery.ts'
import { platformDelivery } from '../../src/http/contracts/platform/delivery.ts'
import { v1Delivery } from '../../src/http/contracts/v1/delivery.ts'
import type { Clock } from '../../src/runtime/clock/clock.ts'
import type { HttpProtocol, HttpResponse } from '../../src/targets/http/protocol.ts'
import type { TargetAdapter } from '../../src/targets/target.ts'
import type { Arrival, Behaviour } from '../history.ts'
import { neverAnswered } from './incarnation.ts'
import type { Incarnation } from './incarnation.ts'
import { EPOCH } from './node-clock.ts'
import type { Scheduler } from './scheduler.ts'

const PROTOCOLS = new Map<string, HttpProtocol>(
  [v1Delivery, cyclesDelivery, platformDelivery].map((protocol) => [protocol.name, protocol]),
)
const OK_BEHAVIOUR: Behaviour = { type: 'ok', answerMs: 1, failures: 0, byMs: 0 }
const LATENCY_MS = 1

type Told = { readonly revision: number; readonly behaviour: Behaviour }
type Body = {
  readonly payload?: Told
  readonly metadata?: Told
  readonly executeAt?: string
  readonly scheduled_at?: string
  readonly iteration?: number
  readonly triggered?: boolean
}

export class Receivers {
  readonly arrivals: Arrival[] = []
  readonly #scheduler: Scheduler
  /** Of each revision that is to be put off, the firing that was. */
  readonly #putOff = new Map<number, string>()

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  /** For one process. */
  target(incarnation: Incarnation, clock: Clock, random: SeededRandom): TargetAdapter {
    return {
      type: 'http',
      destinationOf: (target) => (target.type === 'http' ? new URL(target.url).host : ''),
      deliver: (firing, signal) => {
        if (!incarnation.mayAct()) return neverAnswered()
        const arrival = this.#arrive(firing, incarnation, clock)
        return this.#answer(firing, arrival, { incarnation, clock, random, signal })
      },
      close: () => Promise.resolve(),
    }
  }

  #arrive(firing: Firing, incarnation: Incarnation, clock: Clock): Arrival {
    const body = JSON.parse(protocolOf(firing).request(firing).body ?? '{}') as Body & Told
    const told = body.payload ?? body.metadata ?? body
    const due = body.executeAt ?? body.scheduled_at
    const arrival: Arrival = {
      timer: `${firing.timer.namespace}/${firing.timer.id}`,
      node: incarnation.name,
      startedAt: this.#scheduler.now,
      startedWall: clock.now(),
      deliveryId: firing.deliveryId,
      attempt: firing.attempt,
      revision: told.revision ?? null,
      dueWall: due === undefined ? null : Date.parse(due),
      iteration: body.iteration ?? null,
      isTriggered: body.triggered === true,
      behaviour: told.behaviour ?? OK_BEHAVIOUR,
      answeredAt: null,
      answered: null,
      rescheduledToWall: null,
    }
    this.arrivals.push(arrival)
    return arrival
  }

  #answer(
    firing: Firing,
    arrival: Arrival,
    {
      incarnation,
      clock,
      random,
      signal,
    }: { incarnation: Incarnation; clock: Clock; random: SeededRandom; signal: AbortSignal },
  ): Promise<DeliveryOutcome> {
    const { behaviour } = arrival
    const { timeoutMs } = firing.timer
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = (tell: () => void): void => {
        if (isOver) return
        isOver = true
        cancelTimeout()
        signal.removeEventListener('abort', onAbort)
        tell()
      }
      const onAbort = (): void => end(() => reject(signal.reason as Error))
      const cancelTimeout = clock.after(timeoutMs, () => end(() => this.#timedOut(arrival, resolve)))
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      if (behaviour.type === 'hang') return
      const answerMs = behaviour.type === 'late' ? timeoutMs + 20 + behaviour.answerMs : behaviour.answerMs
      this.#scheduler.after(LATENCY_MS * random.next() + answerMs, () => {
        const response = this.#responseTo(arrival)
        this.#scheduler.after(LATENCY_MS * random.next(), () =>
          incarnation.enter(() =>
            end(() => {
              const outcome = protocolOf(firing).judge(response, firing, clock.now())
              this.#told(arrival, outcome)
              resolve(outcome)
            }),
          ),
        )
      })
    })
  }

  #timedOut(arrival: Arrival, resolve: (outcome: DeliveryOutcome) => void): void {
    arrival.answeredAt = this.#scheduler.now
    arrival.answered = 'timeout'
    resolve(failedDelivery('timed out'))
  }

  #told(arrival: Arrival, outcome: DeliveryOutcome): void {
    arrival.answeredAt = this.#scheduler.now
    if (outcome.type === 'delivered') arrival.answered = 'ok'
    else if (outcome.type === 'failed') arrival.answered = outcome.final ? 'gone' : 'failed'
    else {
      arrival.answered = 'rescheduled'
      arrival.rescheduledToWall = outcome.nextAt
    }
  }

  #responseTo({ behaviour, attempt, revision, deliveryId }: Arrival): HttpResponse {
    switch (behaviour.type) {
      case 'fail':
        return attempt <= behaviour.failures ? answered(500, '') : answered(200, '{"ok":true}')
      case 'gone':
        return answered(410, '')
      case 'reschedule': {
        const first = this.#putOff.get(revision ?? 0) ?? deliveryId
        this.#putOff.set(revision ?? 0, first)
        if (first !== deliveryId) return answered(200, '{"ok":true}')
        const next = new Date(Math.round(EPOCH + this.#scheduler.now + behaviour.byMs)).toISOString()
        return answered(200, JSON.stringify({ ok: false, nextExecuteAt: next }))
      }
      case 'ok':
      case 'slow':
      case 'late':
      case 'hang':
        return answered(200, '{"ok":true}')
    }
  }
}

function protocolOf({ timer }: Firing): HttpProtocol {
  return PROTOCOLS.get(timer.protocol)!
}

function answered(status: number, body: string): HttpResponse {
  return { status, body, header: () => undefined, truncated: null }
}
