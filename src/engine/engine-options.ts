// What a node is made of, as whoever puts it together says.

import type { Millis, Namespace } from '../core/timer/timer.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import type { TimerStore } from '../store/store.ts'
import type { TargetAdapter } from '../targets/target.ts'
import type { Neighbours } from './cluster/handover.ts'
import type { CommitObserver } from './commit/commit-queue.ts'
import type { Outbox } from './commit/outbox.ts'
import type { DispatcherLimits } from './delivery/dispatcher.ts'
import type { DeliveryObserver } from './delivery/in-flight-deliveries.ts'
import type { WindowLimits } from './window/shares.ts'

export type EngineOptions = {
  readonly store: TimerStore
  readonly targets: readonly TargetAdapter[]
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: EngineObserver
  /** Names this run of this process in the store. */
  readonly node: string
  /** Left out where the store is for one node. */
  readonly cluster?: ClusterOptions
  readonly retentionMs: (namespace: Namespace) => Millis
  /** How soon a receiver can have itself called again at the earliest. */
  readonly rescheduleMinMs: Millis
  readonly window: WindowLimits
  readonly deliveries: DispatcherLimits
  /** How many missed iterations of a namespace begin in a second, on all nodes together; none: as many as there are slots for. */
  readonly catchUpPerSecond?: number
  readonly commitQueue: { readonly lengthMax: number; readonly batchMax: number }
  readonly pollIntervalMs: Millis
  /** Whether timers are stored whose time was computed with other zone data than the runtime has. Absent where nobody can tell. */
  readonly hasOtherZoneData?: () => Promise<boolean>
  /** Absent where nobody wants lifecycle events. */
  readonly outbox?: Outbox
}

export type ClusterOptions = {
  /** Where other nodes reach this one. */
  readonly address: () => string
  readonly leaseMs: Millis
  /** What rules of the layout may ask for; none unless they are given. */
  readonly labels?: readonly string[]
  readonly neighbours: Neighbours
  /** True only for a node whose process has surely ended, such as the one in whose place this one was started. Left out where nobody can tell. */
  readonly hasEnded?: (node: string) => Promise<boolean>
}

export type EngineObserver = DeliveryObserver & CommitObserver
