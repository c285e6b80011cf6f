// The timer: one value, immutable, the same in memory, in every store and behind every contract.
// Everything that changes a timer makes a new value in `decide.ts` or `settle.ts`.

import type { Brand } from '../brand.ts'
import type { JsonText } from '../json/json-text.ts'
import type { RetryPolicy } from './retry-policy.ts'
import type { Target } from '../targets/target.ts'
import type { FiringRules } from '../time/firing-rules.ts'
import type { Millis } from '../time/millis.ts'

export type { JsonText, Millis }
export { NEVER } from '../time/millis.ts'

export type Namespace = Brand<string, 'Namespace'>
export type TimerId = Brand<string, 'TimerId'>
/** 128 bits of a hash of namespace and id, as 32 hex digits: text order is byte order is the order in every store. */
export type TimerUuid = Brand<string, 'TimerUuid'>
export type ShardId = Brand<number, 'ShardId'>
/** Grows by one with every claim of a shard; a write that carries an older one is refused. */
export type Epoch = Brand<number, 'Epoch'>
/** Where a command stands in the stream it came from: of two of one stream, the one with the higher number was sent later. */
export type StreamPlace = { readonly stream: string; readonly sequence: number }

export const Status = {
  pending: 'pending',
  paused: 'paused',
  executing: 'executing',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
} as const
export type Status = (typeof Status)[keyof typeof Status]

/**
 * What to do with the iterations of a schedule that were missed while the service was down: deliver every one of them, one
 * after the other; one for all of them; none; or the last so many.
 */
export const CatchUp = { all: 'all', one: 'one', none: 'none' } as const
export type CatchUp = (typeof CatchUp)[keyof typeof CatchUp] | number

/**
 * What to do with iterations that come due while the last one is not over: skip them, let the last one of them wait, or
 * deliver each beside the others.
 */
export const Overlap = { skip: 'skip', queue: 'queue', allow: 'allow' } as const
export type Overlap = (typeof Overlap)[keyof typeof Overlap]

export type AttemptOutcome = 'delivered' | 'rescheduled' | 'failed'
export type Attempt = {
  /** When the delivery started. */
  readonly at: Millis
  readonly durationMs: number
  readonly outcome: AttemptOutcome
  readonly statusCode: number | null
  readonly error: string | null
  /** What people should know although it is no failure: an unexpected answer, a wait that was changed. */
  readonly note?: string
  /** Of a firing that ran beside others: which one. */
  readonly of?: { readonly firing: number; readonly iteration: number }
}

/** A firing that has begun and is not over, although the timer has gone on to its next iteration. See running-firings.ts. */
export type RunningFiring = Pick<
  Timer,
  'firing' | 'iteration' | 'nominalAt' | 'dueAt' | 'wakeAt' | 'attempts' | 'firstAttemptAt'
>

/** `wakeAt`: when the timer would wake without them. `isEnding`: no iteration follows, and the timer ends with the last of them. */
export type RunningFirings = {
  readonly wakeAt: Millis
  readonly firings: readonly RunningFiring[]
  readonly isEnding?: true
}

/** While a timer has one, its `wakeAt`, `attempts` and `firstAttemptAt` are about it, and `dueAt` is about the schedule's next firing still. */
export type ExtraFiring = {
  /** When it was asked for, by a trigger or by the receiver: it is due from then on. */
  readonly dueAt: Millis
  /** The receiver has put it off until `dueAt`. */
  readonly moved?: true
  /** Names it in its delivery id: the version of the timer that it came with. */
  readonly number: number
  /** What the timer goes on with when it is over. */
  readonly regular: Pick<Timer, 'status' | 'wakeAt' | 'attempts' | 'firstAttemptAt'>
}

export type ZoneStamp = { readonly data: string; readonly offsetMs: Millis }

export type Timer = {
  readonly namespace: Namespace
  readonly id: TimerId
  readonly uuid: TimerUuid
  /** Grows with every stored change, and goes on growing when a new timer replaces an old one of the same id. */
  readonly version: number
  readonly status: Status

  /** The schedule as written by the client; null for a plain instant, which `dueAt` says already. */
  readonly schedule: string | null
  readonly timeZone: string | null
  /** What was said beside the schedule; null when that was nothing. */
  readonly rules: FiringRules | null
  /** From where a cycle's grid is counted; null for one-shots. */
  readonly anchorAt: Millis | null
  /** Which iteration of the cycle is next, from 1; stays 1 for one-shots. */
  readonly iteration: number
  readonly catchUp: CatchUp
  /** A firing that would begin later than this after its due time is not made; null is no limit. */
  readonly maxLatenessMs: Millis | null
  /** Null: every one of them follows, one after the other. */
  readonly overlap: Overlap | null
  /** How many iterations were not fired, since the timer was made. */
  readonly skipped: number

  /** When the schedule says that the current firing is. The next one follows from this, whatever moves `dueAt`. */
  readonly nominalAt: Millis
  /** Of a schedule on the clocks of a zone: by which zone data `nominalAt` was computed, and the offset there then. Null for others. */
  readonly zoned: ZoneStamp | null
  /** When the schedule's current firing is due: `nominalAt`, or later by the spread, or where the receiver moved it. Retries do not move it. */
  readonly dueAt: Millis
  /**
   * The row's place in the order of its shard. Live: when to start the next attempt (`dueAt`, or later
   * for a retry; while paused, when the pause ends, or NEVER), or of one of its running firings, if that is before. Finished:
   * when its retention is over and it may be pruned.
   */
  readonly wakeAt: Millis

  readonly target: Target
  /** Names the contract whose way of delivering (body, what counts as success) this timer follows. */
  readonly protocol: string
  readonly payload: JsonText | null
  readonly metadata: JsonText | null
  readonly retry: RetryPolicy
  readonly timeoutMs: number

  readonly createdAt: Millis
  readonly updatedAt: Millis
  /** When the last attempt started. */
  readonly executedAt: Millis | null
  readonly finishedAt: Millis | null

  /** Counts this id's firings. With `uuid` and `createdAt` it makes the delivery id; see `deliveryId`. */
  readonly firing: number
  /** Attempts made of the current firing. */
  readonly attempts: number
  readonly firstAttemptAt: Millis | null
  /** The current firing, if it is one that somebody asked for beside the schedule's; see extra-firing.ts. */
  readonly extra: ExtraFiring | null
  /** With `overlap: allow`: the firings that go on beside the current one; null when there are none. */
  readonly running: RunningFirings | null
  readonly lastError: string | null
  /** The last ATTEMPTS_KEPT attempts, oldest first, over all firings. */
  readonly attemptLog: readonly Attempt[]

  readonly traceparent: string | null
  readonly correlationId: string | null
  /** Of a timer that was made with an idempotency key: a hash of what was asked for, by which a repeated create is recognised. */
  readonly fingerprint: string | null
  /** The last command from a stream that was judged for this id. One that was sent before it and comes later is ignored. */
  readonly lastCommand: StreamPlace | null
  /** Whose share of the deliveries it takes: the key that gave it its schedule or target; null where that was no tenant's. See `tenantOf`. */
  readonly tenant: string | null
}

export const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([])

/** When the firing that is next was due, or will be. */
export function firingDueAt({ dueAt, extra }: Pick<Timer, 'dueAt' | 'extra'>): Millis {
  return extra === null ? dueAt : extra.dueAt
}

/** Between its attempts, or before its first one: the same firing, so the same delivery id. */
export function isSameFiring(a: Timer, b: Timer): boolean {
  return a.firing === b.firing && a.extra?.number === b.extra?.number
}

export function isFinished(timer: { readonly status: Status }): boolean {
  return timer.status === Status.completed || timer.status === Status.failed || timer.status === Status.canceled
}

/** Its schedule says another time than the one that it is due at: firings are spread, or a calendar has moved this one. */
export function isShifted({ rules, nominalAt, dueAt }: Pick<Timer, 'rules' | 'nominalAt' | 'dueAt'>): boolean {
  return nominalAt !== dueAt && (rules?.spreadMs !== undefined || rules?.calendar !== undefined)
}
