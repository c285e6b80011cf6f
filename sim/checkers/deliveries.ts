// Every delivery by itself: it was asked for, it did not start before its time, and not after a change was acknowledged that
// takes its place.

import type { Arrival, History, Operation } from '../history.ts'
import { EPOCH } from '../world/node-clock.ts'
import { isByForgottenClaim } from './owners.ts'
import { attemptsAt, endOf, isDone, isWrite, mayHaveHappened, time } from './verdict.ts'
import type { TimerHistory, Violation } from './verdict.ts'

const CLAMPED_MS = 250 // a wish for less than the least time is granted as that
const BACKOFF_MAX_MS = 2_000
const STEADY_CLOCK_MS = 60 // how far clocks differ that nobody has set
const UNSTEADY_CLOCK_MS = 40_000

export function checkDeliveries(timer: TimerHistory, history: History): Violation[] {
  const isSet = history.faults.some(({ kind }) => kind === 'clockStep' || kind === 'suspend')
  const hasSteadyClocks = !isSet && !history.settings.isSkewed
  const clockMs = hasSteadyClocks ? STEADY_CLOCK_MS : UNSTEADY_CLOCK_MS
  return timer.arrivals.flatMap((arrival) => [
    ...named('durable', timer, wanted(arrival, timer)),
    ...named('early', timer, early(arrival)),
    ...named('early', timer, dueTime(arrival, timer, clockMs)),
    ...named('early', timer, hasSteadyClocks ? retryWait(arrival, timer) : []),
    // A change that the owner has stored cannot reach a node which the database has forgotten, before it looks.
    ...(isByForgottenClaim(arrival, history)
      ? []
      : named('final', timer, [...superseded(arrival, timer), ...whilePaused(arrival, timer)])),
  ])
}

function named(promise: Violation['promise'], { name }: TimerHistory, texts: readonly string[]): Violation[] {
  return texts.map((text) => ({ promise, timer: name, text }))
}

/** Somebody asked for it, and was not told that nothing was stored. */
function wanted(arrival: Arrival, timer: TimerHistory): string[] {
  const attempts = attemptsAt(timer, arrival.revision)
  if (attempts.some((operation) => operation.outcome !== 'refused' && operation.sentAt <= arrival.startedAt)) return []
  return [`${nameOf(arrival)} was delivered, whose write was ${attempts[0]?.outcome ?? 'never made'}`]
}

function early(arrival: Arrival): string[] {
  const { startedWall, dueWall } = arrival
  if (dueWall === null || startedWall >= dueWall) return []
  return [`${nameOf(arrival)} started ${dueWall - startedWall} ms before it was due, by the clock of ${arrival.node}`]
}

function dueTime(arrival: Arrival, timer: TimerHistory, clockMs: number): string[] {
  const { dueWall, revision, isTriggered, iteration } = arrival
  const attempts = attemptsAt(timer, revision).filter(({ outcome }) => outcome !== 'refused')
  if (attempts.length === 0 || isTriggered) return []
  const wish = attempts[0]!.wish!
  const startedWall = arrival.startedWall
  if (dueWall === null)
    return wish.type === 'instant' && startedWall < wish.atWall ? [`${nameOf(arrival)} started before it was due`] : []
  const isTriggeredNow = timer.operations.some(
    ({ type, outcome, sentAt }) => type === 'trigger' && outcome !== 'refused' && sentAt <= arrival.startedAt,
  )
  const isPutOff = timer.arrivals.some(
    ({ rescheduledToWall: to, revision: other }) =>
      to !== null && other === revision && dueWall >= to && dueWall <= to + CLAMPED_MS + clockMs,
  )
  if (isTriggeredNow || isPutOff) return []
  const offset = `as due at ${dueWall - EPOCH} ms, which nobody asked for`
  switch (wish.type) {
    case 'instant':
      return dueWall === wish.atWall ? [] : [`${nameOf(arrival)} came ${offset}: ${wish.atWall - EPOCH} ms was`]
    case 'duration':
      return isWithin(dueWall - wish.ms, attempts, clockMs) ? [] : [`${nameOf(arrival)} came ${offset}`]
    case 'cycle': {
      const anchor = dueWall - wish.intervalMs * (iteration ?? 1)
      return isWithin(anchor, attempts, clockMs) ? [] : [`iteration ${iteration} of ${nameOf(arrival)} came ${offset}`]
    }
  }
}

/** The moment at which a write came to the service: between its request and its answer. */
function isWithin(wall: number, attempts: readonly Operation[], clockMs: number): boolean {
  const at = wall - EPOCH
  return attempts.some(({ sentAt, endedAt, outcome }) => {
    const until = outcome === 'done' ? endedAt! : Infinity
    return at >= sentAt - clockMs && at <= until + clockMs
  })
}

/** The next attempt waits for as long as the retry policy says. */
function retryWait(arrival: Arrival, timer: TimerHistory): string[] {
  const { attempt, deliveryId, startedAt, revision } = arrival
  const retry = attemptsAt(timer, revision)[0]?.retry
  if (attempt === 1 || retry === null || retry === undefined || attemptsAt(timer, revision)[0]!.contract !== 'v1')
    return []
  const previous = timer.arrivals.filter(
    (other) => other.deliveryId === deliveryId && other.attempt === attempt - 1 && other.startedAt < startedAt,
  )
  // Of an attempt that was made twice, nobody knows which was counted.
  const answeredAt = Math.min(...previous.map((other) => other.answeredAt ?? 0))
  // Who resumes a timer, or fires it by hand, does not wait for the rest of its retry.
  const isHurried = timer.operations.some(
    (one) =>
      (one.type === 'resume' || one.type === 'trigger') &&
      one.outcome !== 'refused' &&
      one.sentAt <= startedAt &&
      endOf(one) >= answeredAt,
  )
  if (isHurried) return []
  const waitMs = Math.min(retry.initialMs * 2 ** (attempt - 2), BACKOFF_MAX_MS)
  const waitedMs = startedAt - answeredAt
  // Clocks that nobody has set are right when the faults end, which can shorten a wait by as much.
  return waitedMs >= waitMs * 0.99 - STEADY_CLOCK_MS
    ? []
    : [`attempt ${attempt} of ${nameOf(arrival)} came after ${waitedMs.toFixed(0)} ms; its policy says ${waitMs} ms`]
}

/** An acknowledged create, update or cancel ends what was there before, for good. */
function superseded(arrival: Arrival, timer: TimerHistory): string[] {
  const own = attemptsAt(timer, arrival.revision).filter(mayHaveHappened)
  const ownEnd = Math.max(...own.map(endOf))
  const found: string[] = []
  for (const operation of timer.operations) {
    if (operation.revision === arrival.revision && operation.revision !== null) continue
    if (!(isWrite(operation) || operation.type === 'cancel') || !isDone(operation)) continue
    if (operation.sentAt < ownEnd || operation.endedAt! >= arrival.startedAt) continue
    found.push(
      `${nameOf(arrival)} started at ${time(arrival.startedAt)}, but the ${operation.type} #${operation.number} had been acknowledged at ${time(operation.endedAt!)}`,
    )
  }
  found.push(...goneByWhatWasShown(arrival, timer, ownEnd))
  // A newer revision that has been delivered has taken effect, whether its write was acknowledged or not.
  const newer = timer.arrivals.find(
    (other) =>
      other.startedAt < arrival.startedAt &&
      other.revision !== arrival.revision &&
      attemptsAt(timer, other.revision).length > 0 &&
      attemptsAt(timer, other.revision).every(({ sentAt }) => sentAt >= ownEnd),
  )
  if (newer !== undefined)
    found.push(
      `${nameOf(arrival)} started at ${time(arrival.startedAt)}, after revision ${newer.revision} had been delivered`,
    )
  return found
}

/** Whoever was shown that the timer is canceled, or has a newer revision, can rely on it, whatever its client was told. */
function goneByWhatWasShown(arrival: Arrival, timer: TimerHistory, ownEnd: number): string[] {
  const { operations } = timer
  const seen = operations.find((operation) => {
    if (operation.endedAt === null || operation.endedAt >= arrival.startedAt || operation.sentAt < ownEnd) return false
    if (operation.outcome === 'unknown') return false
    const shown = operation.answer?.revision ?? null
    if (shown !== null && shown !== arrival.revision)
      return attemptsAt(timer, shown).every(({ sentAt }) => sentAt >= ownEnd)
    return operation.answer?.status === 'canceled' || operation.refusedStatus === 'canceled'
  })
  if (seen === undefined) return []
  return [
    `${nameOf(arrival)} started at ${time(arrival.startedAt)}, but the ${seen.type} #${seen.number} had shown at ${time(seen.endedAt!)} that it is ${seen.answer?.status ?? 'canceled'}, revision ${seen.answer?.revision ?? '?'}`,
  ]
}

/** Until somebody resumes the timer, makes it anew, or fires it by hand. A firing by hand goes on during a pause. */
function whilePaused(arrival: Arrival, timer: TimerHistory): string[] {
  if (arrival.isTriggered) return []
  return timer.operations.flatMap((pause) => {
    if (pause.type !== 'pause' || pause.outcome !== 'done' || pause.endedAt! >= arrival.startedAt) return []
    const isAwake = timer.operations.some(
      (other) =>
        (other.type === 'resume' || other.type === 'create' || other.type === 'trigger' || other.type === 'retry') &&
        other.outcome !== 'refused' &&
        endOf(other) > pause.sentAt &&
        other.sentAt < arrival.startedAt,
    )
    return isAwake
      ? []
      : [`${nameOf(arrival)} started at ${time(arrival.startedAt)}, while paused since ${time(pause.endedAt!)}`]
  })
}

function nameOf({ revision, deliveryId, attempt }: Arrival): string {
  return `revision ${revision} (${deliveryId.slice(33)}, attempt ${attempt})`
}
