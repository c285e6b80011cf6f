// What a client can ask of one timer, already parsed. Entry points make commands, the service routes them to the
// shard's owner, `decide` judges them there. They are plain values, so that they can cross a network.

import type { Schedule } from '../time/schedule.ts'
import type { RetryPolicy } from '../timer/retry-policy.ts'
import type { RetryChanges } from './retry.ts'
import type { Target } from '../targets/target.ts'
import type { CatchUp, JsonText, Millis, Namespace, Overlap, StreamPlace, TimerId, TimerUuid } from '../timer/timer.ts'

export type TimerSpec = {
  readonly schedule: Schedule
  readonly catchUp: CatchUp
  readonly maxLatenessMs?: Millis | null
  readonly overlap?: Overlap | null
  readonly target: Target
  readonly protocol: string
  readonly payload: JsonText | null
  readonly metadata: JsonText | null
  readonly retry: RetryPolicy
  readonly timeoutMs: number
  readonly traceparent: string | null
  readonly correlationId: string | null
}

/** What happens when the id is taken. A canceled timer never stands in the way. */
export const OnConflict = {
  /** A new timer takes its place, whatever the old one's status. */
  replace: 'replace',
  /**
   * A new timer takes the place of one that has not completed, one that failed included; a completed one stays and is
   * the answer. So does one that waits and is the same already: the command may be an old one, delivered again, and must
   * not make a second firing of one.
   */
  replaceLive: 'replaceLive',
  /** The old timer stays and is the answer. */
  keep: 'keep',
  /** TIMER_ALREADY_EXISTS. */
  reject: 'reject',
  /** The old timer stays: it is the answer if it was made with the same parameters, else TIMER_ALREADY_EXISTS. */
  match: 'match',
} as const
export type OnConflict = (typeof OnConflict)[keyof typeof OnConflict]

/**
 * Of commands that come from a stream. A broker delivers what was put back, or was in the hands of a node that died, behind
 * what was sent later, and to whichever node it likes. So an earlier command does nothing once a later one has decided.
 */
type Sent = { readonly place?: StreamPlace }

type Addressed = {
  readonly namespace: Namespace
  readonly id: TimerId
  readonly uuid: TimerUuid
  /**
   * How long it has waited inside the service, for the next owner of its shard, say. A length and not a time: the clocks of
   * the nodes that it passes may differ.
   */
  readonly waitedMs?: Millis
}

/** Who sends it, where that is a tenant; see `tenantOf`. The service knows that, entry points do not say it. */
type OfTenant = { readonly tenant?: string }

export type CreateCommand = Addressed &
  Sent &
  OfTenant & {
    readonly type: 'create'
    readonly spec: TimerSpec
    readonly onConflict: OnConflict
    /** The due time must be further ahead than this (0: not in the past); null takes past ones too and fires them at once. */
    readonly minLeadMs: Millis | null
    /**
     * Of a create with an idempotency key: a hash of what is asked for. The timer that is there, a canceled one included, is
     * then the answer if the same create made it, and any other create is refused; `onConflict` has no say.
     */
    readonly fingerprint?: string
  }

/** A new target brings its contract's way of delivering with it, and the retries of that way if it is another one. */
export type CallbackChange = {
  readonly target: Target
  readonly protocol: string
  readonly retryOfProtocol?: RetryPolicy
}

/** Only what is given changes. */
export type TimerChanges = {
  readonly schedule?: Schedule
  readonly catchUp?: CatchUp
  /** Null takes it away. */
  readonly maxLatenessMs?: Millis | null
  readonly overlap?: Overlap | null
  readonly callback?: CallbackChange
  readonly payload?: JsonText | null
  readonly metadata?: JsonText | null
  readonly retry?: RetryChanges
  readonly timeoutMs?: number
}

export type UpdateCommand = Addressed &
  OfTenant & {
    readonly type: 'update'
    readonly changes: TimerChanges
    readonly ifVersion: number | null
    readonly minLeadMs: Millis | null
    /** Of a timer that failed, too: with the changes it is pending again, at once unless they say when. */
    readonly retry?: boolean
  }

/** One that comes from a stream is remembered also where there is nothing to cancel: what it cancels may come behind it. */
export type CancelCommand = Addressed & Sent & { readonly type: 'cancel'; readonly ifVersion: number | null }

/** `until`: the pause ends then by itself. */
export type PauseCommand = Addressed & { readonly type: 'pause'; readonly until?: Millis }

/** Fire now; resume; bring a failed timer back. */
export type SimpleCommand = Addressed & { readonly type: 'trigger' | 'resume' | 'retry' }

/** Of the service itself, never of a client; see internal/document.ts. `ifVersion` 0: there is none yet. */
export type DocumentCommand = Addressed & {
  readonly type: 'document'
  readonly document: JsonText
  readonly ifVersion: number
}

export type Command = CreateCommand | UpdateCommand | CancelCommand | PauseCommand | SimpleCommand

/** All that the owner of a shard executes. */
export type ShardCommand = Command | DocumentCommand

/** Where the command lets a timer fire, if it says so. */
export function callbackIn(command: Command): Pick<CallbackChange, 'target' | 'protocol'> | undefined {
  return command.type === 'create' ? command.spec : command.type === 'update' ? command.changes.callback : undefined
}
