// Nothing is lost, and nothing is left lying: what was acknowledged and not taken back has been delivered in the end, and
// the timer is in the state that its last change and its last delivery lead to.

import type { Arrival, FinalTimer, History, Operation } from '../history.ts'
import { attemptsAt, endOf, isDone, isWrite, mayHaveHappened, time } from './verdict.ts'
import type { TimerHistory, Violation } from './verdict.ts'

const BEHIND_MS = 2_000
const FAR_AHEAD_MS = 60_000 // no timer here waits so long by itself

export function checkCompleteness(timer: TimerHistory, history: History): Violation[] {
  const { operations } = timer
  const last = operations.filter((operation) => isLast(operation, operations))
  return last
    .flatMap((operation): Violation[] => {
      if (isWrite(operation)) return [...written(operation, timer, history), ...iterations(operation, timer)]
      if (operation.type === 'cancel') return stays('canceled', operation, timer)
      if (operation.type === 'pause') return stays('paused', operation, timer)
      return operation.type === 'get' ? [] : wokenUp(operation, timer, history)
    })
    .concat(completed(timer))
}

/** It was acknowledged, and nothing that may have happened came after it or at the same time. */
function isLast(operation: Operation, operations: readonly Operation[]): boolean {
  if (!isDone(operation)) return false
  return !operations.some(
    (other) => other !== operation && other.type !== 'get' && mayHaveHappened(other) && endOf(other) > operation.sentAt,
  )
}

function written(write: Operation, timer: TimerHistory, { final: { atWall } }: History): Violation[] {
  const { final } = timer
  const violation = (promise: Violation['promise'], text: string): Violation[] => [{ promise, timer: timer.name, text }]
  const what = `revision ${write.revision}, acknowledged at ${time(write.endedAt!)},`
  // An update does not wake a timer that sleeps.
  if (write.answer!.status === 'paused') return stays('paused', write, timer)
  const own = timer.arrivals.filter(({ revision }) => revision === write.revision)
  if (final === null && (!timer.isForgotten || own.length === 0))
    return violation('lost', `${what} is not there any more`)
  const isEndless = write.wish?.type === 'cycle' && write.wish.repetitions === null
  if (isEndless && final !== null && final.status !== 'canceled' && goesOn(final, atWall)) return []
  if (own.length === 0)
    return violation('lost', `${what} was never delivered: the timer is ${final?.status} in the end`)
  if (final === null || final.status === 'completed' || final.status === 'failed') return []
  return violation('live', `${what} is ${final.status} in the end, due ${Math.round(atWall - final.nextWall)} ms ago`)
}

/** What was resumed, brought back or fired by hand has been delivered since, and goes on. */
function wokenUp(operation: Operation, timer: TimerHistory, { final: { atWall } }: History): Violation[] {
  const { final, arrivals, name, isForgotten } = timer
  const { type, sentAt } = operation
  const what = `its ${type}, acknowledged at ${time(operation.endedAt!)},`
  const last = arrivals.at(-1)
  // The clock may have been ahead when it was resumed, and have been set right since.
  const isDueLater = type === 'resume' && operation.answer!.dueWall > atWall
  if ((last === undefined || last.startedAt < sentAt) && !isDueLater && !(final === null && isForgotten))
    return [{ promise: 'lost', timer: name, text: `${what} was followed by no delivery: it is ${final?.status}` }]
  if (final === null ? isForgotten : final.status === 'completed' || final.status === 'failed') return []
  if (final?.status === 'paused' && type === 'trigger') return []
  return final !== null && goesOn(final, atWall)
    ? []
    : [{ promise: 'live', timer: name, text: `${what} left it ${final?.status}` }]
}

function goesOn({ nextWall }: FinalTimer, atWall: number): boolean {
  return nextWall > atWall - BEHIND_MS && nextWall < atWall + FAR_AHEAD_MS
}

function stays(status: string, operation: Operation, { name, final, isForgotten }: TimerHistory): Violation[] {
  if (final?.status === status || (final === null && isForgotten)) return []
  // What was in flight when the pause was stored may end the timer.
  if (status === 'paused' && (final?.status === 'completed' || final?.status === 'failed')) return []
  const text = `its ${operation.type} was acknowledged at ${time(operation.endedAt!)}, but it is ${final?.status ?? 'not there'} in the end`
  return [{ promise: status === 'canceled' ? 'final' : 'durable', timer: name, text }]
}

/** The end of a timer comes from a delivery that ended so. */
function completed(timer: TimerHistory): Violation[] {
  const { final, name } = timer
  if (final === null || (final.status !== 'completed' && final.status !== 'failed')) return []
  const own = timer.arrivals.filter(({ revision }) => revision === final.revision)
  const isSo = final.status === 'completed' ? ended : failed
  if (own.some((arrival) => isSo(arrival, timer))) return []
  return [
    {
      promise: 'lost',
      timer: name,
      text: `it is ${final.status} in the end, but no delivery of revision ${final.revision} ended so`,
    },
  ]
}

/** A cycle completes also when its last iteration is given up. */
function ended(arrival: Arrival, timer: TimerHistory): boolean {
  const wish = attemptsAt(timer, arrival.revision)[0]?.wish
  return arrival.answered === 'ok' || (wish?.type === 'cycle' && failed(arrival, timer))
}

function failed({ answered, attempt, revision }: Arrival, timer: TimerHistory): boolean {
  if (answered === null || answered === 'ok') return false
  const [first] = attemptsAt(timer, revision)
  const attempts = first?.contract === 'v1' ? first.retry!.maxAttempts : 1
  return answered === 'gone' || attempt >= attempts || first?.wish?.type === 'cycle'
}

/** Of a cycle that nobody has touched since it was made: every iteration, in order, or one for those that were missed. */
function iterations(write: Operation, timer: TimerHistory): Violation[] {
  const { wish, revision, sentAt } = write
  if (wish?.type !== 'cycle' || attemptsAt(timer, revision).length > 1) return []
  if (timer.operations.some((other) => other.sentAt > sentAt && other.type !== 'get' && mayHaveHappened(other)))
    return []
  const own = timer.arrivals.filter((arrival) => arrival.revision === revision)
  const violation = (text: string): Violation[] => [{ promise: 'lost', timer: timer.name, text }]
  if (wish.overlap === 'allow') return besideEachOther(write, timer)
  let last = 0
  const seen = new Set<string>()
  for (const { iteration, deliveryId } of own) {
    // One that comes again, which needs an explanation of its own, may come behind later ones.
    if (iteration === null || seen.has(deliveryId)) continue
    seen.add(deliveryId)
    if (iteration < last)
      return violation(`iteration ${iteration} of revision ${revision} came after iteration ${last}`)
    if (wish.catchUp === 'all' && iteration > last + 1)
      return violation(
        `iteration ${iteration} of revision ${revision} came after iteration ${last}: some were left out`,
      )
    last = iteration
  }
  const isWhole = wish.catchUp === 'one' || wish.repetitions === null || last === wish.repetitions
  if (timer.final?.status !== 'completed' || isWhole) return []
  return violation(`revision ${revision} is completed after ${last} iterations of ${wish.repetitions}`)
}

/** They have no order; none is left out of a timer that has ended. */
function besideEachOther({ wish, revision }: Operation, timer: TimerHistory): Violation[] {
  if (wish?.type !== 'cycle' || timer.final?.status !== 'completed') return []
  const seen = new Set(timer.arrivals.filter((one) => one.revision === revision).map(({ iteration }) => iteration))
  if (seen.size === wish.repetitions) return []
  const text = `revision ${revision} is completed after ${seen.size} iterations of ${wish.repetitions}`
  return [{ promise: 'lost', timer: timer.name, text }]
}
