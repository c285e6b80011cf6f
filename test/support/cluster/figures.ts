// What the receiver saw of a fault: how late it made timers, and what came twice.

import { isOk, revisionOf } from '../crash/history.ts'
import type { Kill } from '../crash/history.ts'
import type { WorkTimer } from '../crash/workload.ts'
import type { Delivery } from '../receiver.ts'

/** From the moment it began until nothing of it was left but its consequences. */
export type Fault = Kill & { readonly name: string }

export type Lateness = { readonly firings: number; readonly p50: number; readonly p99: number; readonly max: number }

/** Of first deliveries due in the span, against the due time or, where that was later, the answer to the write. */
export function lateness(
  deliveries: readonly Delivery[],
  timers: ReadonlyMap<string, WorkTimer>,
  from: number,
  to: number,
): Lateness {
  const late = firstOnes(deliveries)
    .filter(({ dueAt }) => dueAt >= from && dueAt <= to)
    .map((delivery) => delivery.firedAt - Math.max(delivery.dueAt, writtenAt(delivery, timers)))
    .toSorted((a, b) => a - b)
  const at = (share: number) => late[Math.min(late.length - 1, Math.floor(share * late.length))] ?? 0
  return { firings: late.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

function writtenAt({ timerId, ...delivery }: Delivery, timers: ReadonlyMap<string, WorkTimer>): number {
  const revision = revisionOf({ timerId, ...delivery })
  const operations = timers.get(timerId)?.operations ?? []
  const write = operations.find((operation) => operation.revision === revision)
  // Whatever was done to the timer later can have held it back, too.
  const until = operations
    .filter(({ sentAt }) => sentAt <= delivery.firedAt)
    .map(({ endedAt }) => Math.min(endedAt, delivery.firedAt))
  return Math.max(write?.endedAt ?? 0, ...until)
}

function firstOnes(deliveries: readonly Delivery[]): Delivery[] {
  const first = new Map<string, Delivery>()
  for (const delivery of deliveries) {
    if (delivery.attempt === 1 && !first.has(delivery.deliveryId)) first.set(delivery.deliveryId, delivery)
  }
  return [...first.values()]
}

/** Deliveries that came again after the receiver had answered ok, by the fault before them. */
export function duplicatesPerFault(deliveries: readonly Delivery[], faults: readonly Fault[]): Map<string, number> {
  const counts = new Map(faults.map(({ name }) => [name, 0]))
  for (const attempts of Map.groupBy(deliveries, ({ deliveryId, attempt }) => `${deliveryId} ${attempt}`).values()) {
    for (const [index, next] of attempts.slice(1).entries()) {
      const fault = faults.findLast(({ sentAt }) => sentAt <= next.firedAt)
      if (fault !== undefined && isOk(attempts[index]!)) counts.set(fault.name, counts.get(fault.name)! + 1)
    }
  }
  return counts
}
