// Only the owner of a timer starts its deliveries: from the moment at which the database names another node, the one before
// has stopped. A fence cannot undo a delivery, so this is what leases are for.

import type { Arrival, History } from '../history.ts'
import { time } from './verdict.ts'
import type { TimerHistory, Violation } from './verdict.ts'

export function checkOwners(timer: TimerHistory, history: History): Violation[] {
  const shard = history.shardOf.get(timer.name)!
  const changes = history.owners.filter((change) => change.shard === shard)
  return timer.arrivals.flatMap((arrival): Violation[] => {
    const named = changes.findLast(({ at }) => at < arrival.startedAt)
    const owner = named?.owner ?? null
    if (owner === arrival.node || isForgotten(arrival, history)) return []
    const text = `${arrival.node} started a delivery of revision ${arrival.revision} at ${time(arrival.startedAt)}, but ${owner ?? 'nobody'} owned the timer since ${time(named?.at ?? 0)}`
    return [{ promise: 'owner', timer: timer.name, text }]
  })
}

/** After a fail-over a node may believe in a claim that the database has forgotten, until it has beaten, or its lease is over. */
function isForgotten({ startedAt }: Arrival, { faults, settings }: History): boolean {
  return faults.some(({ kind, at }) => kind === 'failOver' && at <= startedAt && startedAt <= at + settings.leaseMs)
}
