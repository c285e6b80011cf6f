// A firing has one delivery id, and is delivered once unless something explains that it came again: an answer that asks for
// another attempt, somebody who asked for it, or a fault that cut off the node that made it.

import type { Arrival, FaultRecord, History } from '../history.ts'
import { attemptsAt, endOf, time } from './verdict.ts'
import type { TimerHistory, Violation } from './verdict.ts'

export function checkRepetitions(timer: TimerHistory, history: History): Violation[] {
  const found = [...repeated(timer, history), ...identities(timer)]
  return found.map((text) => ({ promise: 'once', timer: timer.name, text }))
}

function repeated(timer: TimerHistory, history: History): string[] {
  return Array.from(Map.groupBy(timer.arrivals, ({ deliveryId }) => deliveryId).values()).flatMap((attempts) =>
    attempts.slice(1).flatMap((next, index) => {
      const previous = attempts[index]!
      if (isNextAttempt(previous, next) || isAskedFor(previous, next, timer)) return []
      // The attempt before it may itself have come twice: one outcome of it is enough.
      const before = attempts.slice(0, index)
      if (before.some((one) => isNextAttempt(one, next)) && !before.some(({ attempt }) => attempt === next.attempt))
        return []
      if (history.faults.some((fault) => explains(fault, previous, next, history))) return []
      return [
        `attempt ${next.attempt} of ${next.deliveryId.slice(33)} (revision ${next.revision}) came again at ${time(next.startedAt)} from ${next.node}, after ${previous.answered ?? 'no answer'} at ${time(previous.startedAt)} to ${previous.node}; nothing explains it`,
      ]
    }),
  )
}

function isNextAttempt(previous: Arrival, next: Arrival): boolean {
  const mayFollow = previous.answered === 'failed' || previous.answered === 'timeout'
  return mayFollow && next.attempt === previous.attempt + 1 && previous.answeredAt! <= next.startedAt
}

/** A retry gives a failed firing more attempts. */
function isAskedFor(previous: Arrival, next: Arrival, { operations }: TimerHistory): boolean {
  return operations.some(
    (operation) =>
      operation.type === 'retry' &&
      operation.outcome !== 'refused' &&
      operation.sentAt <= next.startedAt &&
      endOf(operation) >= previous.startedAt,
  )
}

/**
 * The node that made the first one, or one that owned the timer since and was to hear of its end, was cut off before the
 * outcome was stored. Where nobody but that node owned the timer, only its own troubles count.
 */
function explains(fault: FaultRecord, previous: Arrival, next: Arrival, history: History): boolean {
  const since = previous.startedAt - history.settings.leaseMs
  if (fault.at > next.startedAt || fault.until < since) return false
  const owners = ownersBetween(since, next.startedAt, history.shardsOf.get(next.timer)!, history)
  switch (fault.kind) {
    // A node that leaves in order gives up what has not ended when its grace is over.
    case 'leave':
      return fault.node === previous.node && previous.answered === null
    case 'crash':
    case 'crashAtEffect':
    case 'freeze':
    case 'suspend':
    case 'stall':
    case 'cutDatabase':
    case 'failOver': {
      const involved = new Set([previous.node, ...owners])
      return (
        fault.node === null ||
        Array.from(involved).some((node) => node === fault.node || machineOf(node) === fault.node)
      )
    }
    // The next owner was not told of the delivery, or of its end.
    case 'lostMessages':
    case 'slowMessages':
    case 'cutLinks':
    // Or nobody knew who that was, or not in time.
    case 'lostAnswers':
    case 'slowDatabase':
      return new Set(owners).size > 1
    default:
      return false
  }
}

function ownersBetween(from: number, to: number, shards: readonly number[], { owners }: History): string[] {
  const changes = owners.filter((change) => shards.includes(change.shard) && change.at <= to)
  const before = changes.findLast(({ at }) => at < from)
  return [before, ...changes.filter(({ at }) => at >= from)].flatMap((change) => change?.owner ?? [])
}

function machineOf(node: string): string {
  return node.slice(0, node.indexOf('#'))
}

/** Of a revision that was written once. */
function identities(timer: TimerHistory): string[] {
  const found: string[] = []
  const idOf = new Map<string, string>()
  const firingOf = new Map<string, string>()
  for (const { revision, dueWall, iteration, deliveryId, isTriggered } of timer.arrivals) {
    if (dueWall === null || isTriggered) continue
    if (attemptsAt(timer, revision).filter(({ outcome }) => outcome !== 'refused').length > 1) continue
    const firing = `revision ${revision} due ${dueWall} iteration ${iteration}`
    if ((idOf.get(firing) ?? deliveryId) !== deliveryId)
      found.push(`${firing} has two delivery ids: ${idOf.get(firing)} and ${deliveryId}`)
    if ((firingOf.get(deliveryId) ?? firing) !== firing)
      found.push(`${deliveryId} names two firings: ${firingOf.get(deliveryId)} and ${firing}`)
    idOf.set(firing, deliveryId)
    firingOf.set(deliveryId, firing)
  }
  return found
}
