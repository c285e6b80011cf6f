// The promises that must hold whatever was killed when, checked on one timer's whole history:
//   never lost · never early · a cancel, an update and a pause are final once acknowledged · one delivery id per firing,
//   delivered twice only where a kill explains it · a cycle's iterations all fire, on the grid, in order

import type { Delivery } from '../receiver.ts'
import { isOk, rescheduledTo, revisionOf } from './history.ts'
import type { Cycle, Kill, Operation, TimerHistory } from './history.ts'
import { explainsFinal, statesAfter, UNKNOWN_TIMER } from './possible-states.ts'
import type { PossibleState } from './possible-states.ts'

/**
 * The outcome of an answered delivery still has to be stored, and a kill can come first. This is how long that may
 * take on a busy machine; a duplicate of anything answered earlier is a defect.
 */
const JUST_ANSWERED_MS = 1_000

/** A time that a receiver asked for may be over when a busy node reads the answer: the timer is then due at once, which is this much later at most. */
const READ_WITHIN_MS = 5_000

export type Verdict = {
  readonly violations: readonly string[]
  /** Deliveries that came again although the receiver had answered ok, each explained by a kill. */
  readonly duplicates: number
}

export function checkHistory(history: TimerHistory, kills: readonly Kill[]): Verdict {
  const deliveries = history.deliveries.toSorted((a, b) => a.firedAt - b.firedAt || a.arrivedAt - b.arrivedAt)
  const repeated = checkRepetitions(deliveries, kills)
  const violations = [
    ...checkStates(history),
    ...deliveries.flatMap((delivery) => checkDelivery(delivery, history)),
    ...checkIdentity(deliveries),
    ...checkCycle(history, deliveries),
    ...repeated.violations,
  ]
  return { violations, duplicates: repeated.duplicates }
}

/** Every answer agrees with those before it, the final state with all of them, and what completed was delivered. */
function checkStates({ operations, deliveries, final }: TimerHistory): string[] {
  let states: readonly PossibleState[] = UNKNOWN_TIMER
  for (const operation of operations) {
    const before = states
    states = statesAfter(before, operation)
    if (states.length > 0) continue
    const answer =
      operation.refusal === null
        ? operation.outcome
        : `refused with ${operation.refusal.status} ${operation.refusal.code}`
    return [`its ${operation.type} was ${answer}, but it can only have been ${namesOf(before)}`]
  }
  const fit = states.filter((state) => explainsFinal(state, final))
  if (fit.length === 0) return [`it ends as ${JSON.stringify(final)}, but should be ${namesOf(states)} and have fired`]
  if (final?.status !== 'completed') return []
  const wasDelivered = deliveries.some((delivery) => revisionOf(delivery) === final.revision && isOk(delivery))
  return wasDelivered
    ? []
    : [`revision ${final.revision} is said to be completed, but no receiver ever answered ok to it`]
}

function namesOf(states: readonly PossibleState[]): string {
  return states
    .map(({ phase, revision }) => (phase === 'absent' ? phase : `${phase} with revision ${revision}`))
    .join(' or ')
}

function checkDelivery(delivery: Delivery, { operations, deliveries }: TimerHistory): string[] {
  const { dueAt, firedAt, arrivedAt } = delivery
  const revision = revisionOf(delivery)
  const at = operations.findIndex((operation) => operation.revision === revision)
  const write = operations[at]
  if (write === undefined || (write.outcome !== 'acknowledged' && write.outcome !== 'inDoubt')) {
    return [`revision ${revision} fired, whose ${write?.type ?? 'write'} was ${write?.outcome ?? 'never made'}`]
  }
  const violations: string[] = []
  if (firedAt < dueAt || arrivedAt < dueAt)
    violations.push(`early: due ${dueAt}, started ${firedAt}, arrived ${arrivedAt}`)
  const wished = deliveries.filter((other) => revisionOf(other) === revision).map(rescheduledTo)
  const isWished = wished.some((time) => time !== null && dueAt >= time && dueAt <= time + READ_WITHIN_MS)
  if (write.cycle === null && dueAt !== write.dueAt && !isWished) {
    violations.push(
      `revision ${revision} fired as due at ${dueAt}, which nobody asked for: it was made for ${write.dueAt}`,
    )
  }
  return [...violations, ...checkFinality(delivery, operations.slice(at + 1))]
}

/** `later` are the operations after the write that this delivery belongs to. */
function checkFinality({ firedAt }: Delivery, later: readonly Operation[]): string[] {
  const violations: string[] = []
  for (const [index, operation] of later.entries()) {
    if (operation.endedAt >= firedAt) continue
    if (endsTheOldVersion(operation))
      violations.push(
        `started at ${firedAt}, after its ${operation.type} was ${operation.outcome} at ${operation.endedAt}`,
      )
    if (operation.type !== 'pause' || operation.outcome !== 'acknowledged') continue
    const awake = later
      .slice(index + 1)
      .find(({ type, outcome }) => (type === 'resume' || type === 'create') && outcome !== 'notSent')
    if (firedAt < (awake?.sentAt ?? Infinity))
      violations.push(`started at ${firedAt}, while paused since ${operation.endedAt}`)
  }
  return violations
}

function endsTheOldVersion({ type, outcome, refusal }: Operation): boolean {
  if (outcome === 'acknowledged') return type === 'create' || type === 'update' || type === 'cancel'
  return outcome === 'refused' && (refusal?.code === 'TIMER_NOT_FOUND' || refusal?.timerStatus === 'canceled')
}

/** A firing has one delivery id and a delivery id one firing; a newer revision is never followed by an older one. */
function checkIdentity(deliveries: readonly Delivery[]): string[] {
  const violations: string[] = []
  const idOf = new Map<string, string>()
  const firingOf = new Map<string, string>()
  let newest = 0
  for (const delivery of deliveries) {
    const revision = revisionOf(delivery)
    const firing = `revision ${revision} due ${delivery.dueAt}`
    const { deliveryId } = delivery
    if ((idOf.get(firing) ?? deliveryId) !== deliveryId)
      violations.push(`${firing} has two delivery ids: ${idOf.get(firing)} and ${deliveryId}`)
    if ((firingOf.get(deliveryId) ?? firing) !== firing)
      violations.push(`${deliveryId} names two firings: ${firingOf.get(deliveryId)} and ${firing}`)
    if (deliveryId !== delivery.body.deliveryId)
      violations.push(`webhook-id ${deliveryId} differs from the body's ${delivery.body.deliveryId}`)
    if (revision < newest) violations.push(`revision ${revision} fired after revision ${newest} had`)
    idOf.set(firing, deliveryId)
    firingOf.set(deliveryId, firing)
    newest = Math.max(newest, revision)
  }
  return violations
}

function checkRepetitions(deliveries: readonly Delivery[], kills: readonly Kill[]): Verdict {
  const violations: string[] = []
  let duplicates = 0
  for (const attempts of Map.groupBy(deliveries, ({ deliveryId }) => deliveryId).values()) {
    for (const [index, next] of attempts.slice(1).entries()) {
      const previous = attempts[index]!
      if (isRetry(previous, next)) continue
      const kill = kills.find((one) => explains(one, previous, next))
      if (kill === undefined)
        violations.push(`${next.deliveryId} came again at ${next.arrivedAt}, and no kill explains it`)
      else if (isOk(previous)) duplicates++
    }
  }
  return { violations, duplicates }
}

/** A failure that is tried again. So is a wish for another time that was over before the service had read it. */
function isRetry(previous: Delivery, next: Delivery): boolean {
  if (previous.answered === null || isOk(previous) || next.attempt !== previous.attempt + 1) return false
  const wishedFor = rescheduledTo(previous)
  return wishedFor === null || wishedFor <= next.firedAt
}

/** The service died after it began the first and before it began the second, and can not have stored what came of the first. */
function explains(kill: Kill, previous: Delivery, next: Delivery): boolean {
  const wasUnderWay = previous.answered === null || previous.answered.at >= kill.sentAt - JUST_ANSWERED_MS
  return (
    previous.firedAt <= kill.goneAt && next.firedAt >= kill.sentAt && wasUnderWay && next.attempt === previous.attempt
  )
}

function checkCycle({ operations, final }: TimerHistory, deliveries: readonly Delivery[]): string[] {
  return operations.flatMap(({ cycle, revision, dueAt }) => {
    if (cycle === null) return []
    const own = deliveries.filter((delivery) => revisionOf(delivery) === revision)
    const mustBeComplete = final?.status === 'completed' && final.revision === revision
    return checkIterations(own, { cycle, firstDueAt: dueAt, mustBeComplete })
  })
}

type Grid = { readonly cycle: Cycle; readonly firstDueAt: number | null; readonly mustBeComplete: boolean }

function checkIterations(deliveries: readonly Delivery[], { cycle, firstDueAt, mustBeComplete }: Grid): string[] {
  const violations: string[] = []
  const anchor = firstDueAt ?? (deliveries[0] === undefined ? 0 : deliveries[0].dueAt)
  let done = 0
  for (const delivery of deliveries) {
    const iteration = delivery.body.iteration ?? 0
    const onGrid = anchor + (iteration - 1) * cycle.intervalMs
    if (delivery.dueAt !== onGrid)
      violations.push(
        `iteration ${iteration} was due at ${delivery.dueAt}, off the grid by ${delivery.dueAt - onGrid} ms`,
      )
    if (iteration > done + 1) violations.push(`iteration ${iteration} fired when only ${done} had been delivered`)
    if (isOk(delivery)) done = Math.max(done, iteration)
  }
  if (done > cycle.repetitions || (mustBeComplete && done < cycle.repetitions)) {
    violations.push(`${done} iterations of ${cycle.repetitions} were delivered`)
  }
  return violations
}
