// What the service tells about itself: for dashboards and for people who ask why a timer is late.

import type { CallbackTestAnswer, CallbackTestBody, ForecastAnswer, OverviewAnswer } from './generated.ts'
import type { ForecastQuery as WireForecastQuery } from './generated.ts'

export type Overview = OverviewAnswer
export type Forecast = ForecastAnswer
export type ForecastQuery = Omit<WireForecastQuery, 'steps'> & {
  /** How many. Default 60. */ readonly steps?: number | undefined
}
export type CallbackTest = CallbackTestBody
export type CallbackTestResult = CallbackTestAnswer

export type Cluster = {
  readonly node: string
  /** False while the node cannot be sure that its shards are still its own: it starts no deliveries then. */
  readonly isCertain: boolean
  readonly nodes: readonly {
    readonly node: string
    readonly address: string | null
    readonly leaving: boolean
    readonly labels: readonly string[]
    readonly silentMs: number
    readonly clockSkewMs: number
  }[]
  readonly shards: readonly {
    readonly shard: number
    readonly epoch: number
    readonly owner: string | null
    /** Of the shards of the node that answers. */
    readonly own: { readonly windowTimers: number; readonly inFlight: number; readonly lagMs: number } | null
  }[]
  /** Timers are being moved between shards; see `reshard`. */
  readonly resharding: boolean
  /** How far that is; null when none is under way. `online`: timers go on firing meanwhile. */
  readonly reshard: {
    readonly online: boolean
    readonly done: number
    readonly total: number
    readonly shards: number
  } | null
  /** Ranges of shards, whose timers are in them, and which nodes may own them. */
  readonly groups: readonly {
    /** Null for all namespaces that have no shards of their own. */
    readonly namespace: string | null
    readonly first: number
    readonly count: number
    /** Nodes with this label own the shards; null: all nodes. */
    readonly label: string | null
    readonly whenNoneLives: 'wait' | 'others'
  }[]
}
