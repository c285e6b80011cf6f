// Only the owner of a timer starts its deliveries: from the moment at which the database names another node, the one before
// has stopped. A fence cannot undo a delivery, so this is what leases are for.

import type { Arrival, History, OwnerChange } from '../history.ts'
import { time } from './verdict.ts'
import type { TimerHistory, Violation } from './verdict.ts'

export function checkOwners(timer: TimerHistory, history: History): Violation[] {
  return timer.arrivals.flatMap((arrival): Violation[] => {
    if (isByOwner(arrival, history) || isByForgottenClaim(arrival, history)) return []
    const { owner, at } = namedFor(arrival, history).at(-1) ?? { owner: null, at: 0 }
    const text = `${arrival.node} started a delivery of revision ${arrival.revision} at ${time(arrival.startedAt)}, but ${owner ?? 'nobody'} owned the timer since ${time(at)}`
    return [{ promise: 'owner', timer: timer.name, text }]
  })
}

/** After a fail-over a node may believe in a claim that the database has forgotten, until it has beaten, or its lease is over. */
export function isByForgottenClaim(arrival: Arrival, history: History): boolean {
  const { startedAt } = arrival
  const { faults, settings } = history
  return (
    !isByOwner(arrival, history) &&
    faults.some(({ kind, at }) => kind === 'failOver' && at <= startedAt && startedAt <= at + settings.leaseMs)
  )
}

function isByOwner(arrival: Arrival, history: History): boolean {
  return namedFor(arrival, history).some(({ owner }) => owner === arrival.node)
}

/** By the word of the database when the delivery was started, for each of the shards where the timer may have been. */
function namedFor({ timer, startedAt }: Arrival, { owners, shardsOf }: History): OwnerChange[] {
  const before = owners.filter(({ at }) => at < startedAt)
  return shardsOf.get(timer)!.flatMap((shard) => before.findLast((change) => change.shard === shard) ?? [])
}
