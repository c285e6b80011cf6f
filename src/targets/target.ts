// The target port: makes one attempt to deliver a firing and says what came of it. It decides nothing about
// retries and remembers nothing; the engine bounds how many run at once.

import type { DeliveryOutcome, Firing } from '../core/timer/delivery.ts'
import type { Target } from '../core/targets/target.ts'
import type { Namespace } from '../core/timer/timer.ts'

/** Where a timer fires, and the way of delivering that goes with it. */
export type Callback<T extends Target = Target> = { readonly target: T; readonly protocol: string }

export interface TargetAdapter<T extends Target = Target> {
  readonly type: T['type']

  /** Why timers of the namespace may not have this target, or null when they may. Absent: they always may. */
  refuse?(callback: Callback<T>, namespace: Namespace): string | null

  /** What shares a fate: deliveries of one destination have their own concurrency limit (for HTTP, the host and port). */
  destinationOf(target: T, namespace: Namespace): string

  /**
   * Resolves with what came of the attempt and never rejects for anything the receiver or the network did:
   * that is a `failed` outcome. It always ends, at the latest at the timer's timeout. When `signal` aborts
   * (the service stops and its grace is over) it rejects with the signal's reason, soon.
   */
  deliver(firing: Firing, signal: AbortSignal): Promise<DeliveryOutcome>

  /**
   * Whether deliveries of this destination can start now; absent, they always can. Those that cannot wait where they are, without a
   * slot and without an attempt. Whoever opens a destination tells the engine to look again.
   */
  isOpen?(destination: string): boolean

  /** It runs inside this process: a failure without a status code does not mean that a host is down. */
  readonly isLocal?: boolean

  /** Idempotent; closes idle connections. */
  close(): Promise<void>
}
