// Only the owner of a timer starts its deliveries: from the moment at which the database names another node, the one before
// has stopped. A fence cannot undo a delivery, so this is what leases are for.

import type { Arrival, History, OwnerChange } from '../history.ts'
import { time } from './verdict.ts'
import type { TimerHistory, Violation } from './verdict.ts'

export function checkOwners(timer: TimerHistory, history: History): Violation[] {
  return timer.arrivals.flatMap((arrival): Violation[] => {
    const named = ownerAt(arrival, history)
    const owner = named?.owner ?? null
    if (owner === arrival.node || isByForgottenClaim(arrival, history)) return []
    const text = `${arrival.node} started a delivery of revision ${arrival.revision} at ${time(arrival.startedAt)}, but ${owner ?? 'nobody'} owned the timer since ${time(named?.at ?? 0)}`
    return [{ promise: 'owner', timer: timer.name, text }]
  })
}

/** After a fail-over a node may believe in a claim that the database has forgotten, until it has beaten, or its lease is over. */
export function isByForgottenClaim(arrival: Arrival, history: History): boolean {
  const { startedAt, node } = arrival
  const { faults, settings } = history
  return (
    ownerAt(arrival, history)?.owner !== node &&
    faults.some(({ kind, at }) => kind === 'failOver' && at <= startedAt && startedAt <= at + settings.leaseMs)
  )
}

/** By the word of the database when the delivery was started. */
function ownerAt({ timer, startedAt }: Arrival, { owners, shardOf }: History): OwnerChange | undefined {
  const shard = shardOf.get(timer)
  return owners.findLast((change) => change.shard === shard && change.at < startedAt)
}
