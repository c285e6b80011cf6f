// What the clients of a crashing service did and were told: the evidence that the checker judges. Every write carries
// a revision in its payload, so a delivery says by itself which write it belongs to.

import type { Delivery } from '../receiver.ts'

export type OperationType = 'create' | 'update' | 'cancel' | 'pause' | 'resume'

/**
 * `acknowledged`: a 2xx arrived. `inDoubt`: the connection broke, so it happened or it did not. `refused`: another
 * answer arrived. `notSent`: nobody was there to take it.
 */
export type Outcome = 'acknowledged' | 'inDoubt' | 'refused' | 'notSent'

export type Refusal = { readonly status: number; readonly code: string; readonly timerStatus: string | null }

export type Cycle = { readonly repetitions: number; readonly intervalMs: number }

export type Operation = {
  readonly type: OperationType
  /** Creates and updates only: the revision in their payload, growing from 1 for each timer. */
  readonly revision: number | null
  /** When a created or updated timer is due; for a cycle, when its first iteration is, as far as it was answered. */
  readonly dueAt: number | null
  readonly cycle: Cycle | null
  readonly sentAt: number
  readonly endedAt: number
  readonly outcome: Outcome
  readonly refusal: Refusal | null
}

/** What the service says about the timer when everything is over; null when it does not know it. */
export type FinalState = { readonly status: string; readonly revision: number }

export type TimerHistory = {
  readonly id: string
  /** In order: a timer has one client, which waits for each answer. */
  readonly operations: readonly Operation[]
  readonly deliveries: readonly Delivery[]
  readonly final: FinalState | null
}

/** The process died between these two moments. */
export type Kill = { readonly sentAt: number; readonly goneAt: number }

export type Payload = { readonly revision: number; readonly behaviour: Behaviour }

/** How the receiver treats a delivery; carried in the payload so that it needs no memory of its own. */
export type Behaviour =
  | { readonly type: 'answer'; readonly afterMs: number }
  | { readonly type: 'fail'; readonly attempts: number }
  | { readonly type: 'reschedule'; readonly byMs: number }

export function revisionOf(delivery: Delivery): number {
  return (delivery.body.payload as Payload).revision
}

export function isOk(delivery: Delivery): boolean {
  const body = delivery.answered?.reply.body
  return typeof body === 'object' && body !== null && 'ok' in body && body.ok === true
}

/** The receiver's own wish for another time, if that is what it answered. */
export function rescheduledTo(delivery: Delivery): number | null {
  const body = delivery.answered?.reply.body
  return typeof body === 'object' && body !== null && 'nextExecuteAt' in body
    ? Date.parse(String(body.nextExecuteAt))
    : null
}

/** One line per event, in order, for whoever has to find out what went wrong. */
export function describeHistory({ id, operations, deliveries, final }: TimerHistory, kills: readonly Kill[]): string {
  const events = [
    ...operations.map((operation) => ({ at: operation.sentAt, text: describeOperation(operation) })),
    ...deliveries.map((delivery) => ({ at: delivery.firedAt, text: describeDelivery(delivery) })),
  ]
  const first = Math.min(...events.map(({ at }) => at))
  const last = Math.max(...events.map(({ at }) => at))
  for (const { sentAt, goneAt } of kills) {
    if (sentAt >= first && sentAt <= last) events.push({ at: sentAt, text: `KILLED, gone by ${clock(goneAt)}` })
  }
  const lines = events.toSorted((a, b) => a.at - b.at).map(({ at, text }) => `  ${clock(at)}  ${text}`)
  const end = final === null ? 'unknown to the service' : `${final.status}, revision ${final.revision}`
  return [`timer ${id}`, ...lines, `  in the end: ${end}`].join('\n')
}

function describeOperation({ type, revision, dueAt, cycle, endedAt, outcome, refusal }: Operation): string {
  const write = revision === null ? '' : ` revision ${revision} due ${dueAt === null ? '?' : clock(dueAt)}`
  const repeats = cycle === null ? '' : ` R${cycle.repetitions}/${cycle.intervalMs}ms`
  const why = refusal === null ? '' : ` (${refusal.status} ${refusal.code} ${refusal.timerStatus ?? ''})`
  return `${type}${write}${repeats}: ${outcome}${why} at ${clock(endedAt)}`
}

function describeDelivery(delivery: Delivery): string {
  const { attempt, deliveryId, dueAt, arrivedAt, answered, body } = delivery
  const iteration = body.iteration === undefined ? '' : ` iteration ${body.iteration}`
  const answer =
    answered === null
      ? 'not answered'
      : `answered ${answered.reply.status} ${JSON.stringify(answered.reply.body)} at ${clock(answered.at)}`
  const what = `attempt ${attempt} of ${deliveryId} (revision ${revisionOf(delivery)}${iteration} due ${clock(dueAt)})`
  return `delivered ${what}, arrived ${clock(arrivedAt)}, ${answer}`
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 23)
}
