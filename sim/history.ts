// What a simulation leaves behind for the checkers: what clients did and were told, what receivers got and answered, which
// faults there were, and how things looked in the end. Nothing of what the nodes thought.
//
// Times are true ones, in milliseconds since the simulation began, unless they end in `Wall`: those are of a node's clock.

import type { FaultKind } from './faults.ts'

export type OperationType = 'create' | 'update' | 'cancel' | 'trigger' | 'pause' | 'resume' | 'retry' | 'get'

/** When a timer is to fire, as its client has said. */
export type Wish =
  | { readonly type: 'instant'; readonly atWall: number }
  | { readonly type: 'duration'; readonly ms: number }
  | {
      readonly type: 'cycle'
      readonly repetitions: number | null
      readonly intervalMs: number
      readonly catchUp: 'all' | 'one'
      readonly overlap?: 'allow'
    }

/** How a receiver behaves; it is told by the timer's payload. */
export type Behaviour = {
  readonly type: 'ok' | 'slow' | 'fail' | 'gone' | 'hang' | 'late' | 'reschedule'
  /** Until it answers. */
  readonly answerMs: number
  /** `fail`: of each firing, so many attempts; the next one is answered well. */
  readonly failures: number
  /** `reschedule`: by so much, once. */
  readonly byMs: number
}

export type Operation = {
  readonly number: number
  readonly timer: string
  readonly type: OperationType
  readonly contract: string
  /** Of what a create or an update writes: a number that its deliveries show. Repeated requests have the same. */
  readonly revision: number | null
  readonly wish: Wish | null
  readonly retry: RetryWish | null
  readonly timeoutMs: number
  /** The version that it was to change; null: any. */
  readonly ifVersion: number | null
  readonly node: string
  readonly sentAt: number
  /** When the client had the answer, or gave up; null at the end of the simulation. */
  endedAt: number | null
  /** `refused`: nothing was done, by the answer. `unknown`: no answer, or one that says that nobody knows. */
  outcome: 'done' | 'refused' | 'unknown'
  /** Of a refusal. */
  code: string | null
  /** The timer's status that a refusal names. */
  refusedStatus: string | null
  /** The version that a refusal names. */
  refusedVersion: number | null
  answer: Answer | null
}

export type RetryWish = { readonly maxAttempts: number; readonly initialMs: number }

/** A timer as a client is shown it. */
export type Answer = {
  readonly version: number
  readonly status: string
  readonly revision: number | null
  readonly dueWall: number
  readonly createdWall: number
  readonly iteration: number
  readonly changed: boolean
}

export type Arrival = {
  readonly timer: string
  /** The process that delivers. */
  readonly node: string
  readonly startedAt: number
  /** The node's clock at that moment. */
  readonly startedWall: number
  readonly deliveryId: string
  readonly attempt: number
  readonly revision: number | null
  /** As the delivery says; null where its contract does not. */
  readonly dueWall: number | null
  readonly iteration: number | null
  readonly isTriggered: boolean
  readonly behaviour: Behaviour
  /** What the node was told, and when; null when it never heard. */
  answeredAt: number | null
  answered: 'ok' | 'failed' | 'gone' | 'rescheduled' | 'timeout' | null
  rescheduledToWall: number | null
}

export type FaultRecord = {
  readonly kind: FaultKind
  readonly at: number
  readonly until: number
  /** Null: of all nodes. */
  readonly node: string | null
  readonly about: string
  /** One of many, of one message. */
  readonly isSmall?: true
}

/** An event as somebody who follows the timers got it. */
export type PublishedEvent = {
  readonly at: number
  readonly id: string
  readonly timer: string
  readonly version: number
  readonly type: string
}

export type FinalTimer = Answer & { readonly nextWall: number }

export type FinalState = {
  readonly at: number
  readonly atWall: number
  /** By timer; null where there is none. */
  readonly timers: ReadonlyMap<string, FinalTimer | null>
  /** Shards that have no owner, or one that lives and does not have them open. */
  readonly unopenedShards: readonly string[]
  /** `counted` are the statistics that clients are shown, `stored` what a list finds; both by namespace and status. */
  readonly counts: { readonly counted: ReadonlyMap<string, number>; readonly stored: ReadonlyMap<string, number> }
  readonly eventsLeft: number
}

export type MemoryPeak = {
  readonly node: string
  readonly at: number
  readonly what: string
  readonly value: number
  readonly limit: number
}

/** As the cluster page shows it. */
export type OwnerChange = { readonly at: number; readonly shard: number; readonly owner: string | null }

export type History = {
  readonly seed: number
  readonly operations: readonly Operation[]
  readonly arrivals: readonly Arrival[]
  readonly faults: readonly FaultRecord[]
  readonly events: readonly PublishedEvent[]
  readonly owners: readonly OwnerChange[]
  /** Where a timer was, one after the other: a reshard may have moved it. */
  readonly shardsOf: ReadonlyMap<string, readonly number[]>
  /** Values above their limits. */
  readonly excesses: readonly MemoryPeak[]
  /** What would have ended a process. */
  readonly fatal: readonly string[]
  /** When the last fault was over. */
  readonly healedAt: number
  readonly final: FinalState
  readonly settings: HistorySettings
}

export type HistorySettings = {
  readonly leaseMs: number
  readonly retentionMs: Readonly<Record<string, number>>
  readonly withEvents: boolean
  /** The clocks of the machines differ by seconds. */
  readonly isSkewed: boolean
  /** Nothing fails. */
  readonly isCalm: boolean
  /** Nothing fails but targets, and tenants that ask for much. */
  readonly isOnlyTargets: boolean
  /** Memory has room for more timers than there are tenants, and namespaces without one, that share it. */
  readonly hasRoomForAll: boolean
}
