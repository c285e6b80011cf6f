// A delivery that goes on at the node that started it, although the timer's shard has moved to another owner. The owner is
// told of it when the shard moves, keeps the timer from firing, and stores the outcome that the other node reports.

import type { EndedAttempt } from '../../core/rules/settle.ts'
import { isRunningOne } from '../../core/timer/running-firings.ts'
import type { Millis, Namespace, ShardId, Timer, TimerId, TimerUuid } from '../../core/timer/timer.ts'
import { attemptIdentity } from './same-write.ts'
import type { AttemptIdentity } from './same-write.ts'

export type RemoteDelivery = AttemptIdentity & {
  readonly namespace: Namespace
  readonly id: TimerId
  readonly uuid: TimerUuid
  /** How long the receiver has to answer. */
  readonly timeoutMs: Millis
  /** Of one that runs beside others of its timer. */
  readonly firing?: number
  /** The node that delivers. */
  readonly node: string
}

/** `waitedMs`: since it ended, until it was reported. The clocks of the two nodes may differ. */
export type ReportedAttempt = EndedAttempt & { readonly waitedMs: Millis }

/** How a remote delivery ended. `ended` is null when there is nothing to store: its node has stored the outcome, or has given up. */
export type DeliveryReport = {
  readonly shard: ShardId
  readonly delivery: RemoteDelivery
  readonly ended: ReportedAttempt | null
}

/** A shard that is being handed over, as the node that gives it away sees it. */
export type Handover = {
  /** The shard has its owner, a new one or this node again: the deliveries that are still in flight. */
  readonly deliveries: () => readonly RemoteDelivery[]
  /** The owner knows of them, or cannot be told. */
  readonly end: () => void
}

const LEASES_TO_REPORT = 2 // a node that has the outcome and could not report it for that long is cut off from the owner

export function remoteDelivery(timer: Timer, node: string): RemoteDelivery {
  const { namespace, id, uuid, timeoutMs } = timer
  const running = isRunningOne(timer) ? { firing: timer.firing } : null
  return { namespace, id, uuid, ...attemptIdentity(timer), timeoutMs, ...running, node }
}

/** From the handover on: after that the new owner does not wait for the report, and the delivering node need not send it. */
export function reportedWithinMs({ timeoutMs }: RemoteDelivery, leaseMs: Millis): Millis {
  return timeoutMs + LEASES_TO_REPORT * leaseMs
}
