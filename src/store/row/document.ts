// Everything of a timer that no store has to key, order or search, as one JSON document. What most timers have in common is
// left out, and read as the stored default: those are part of the format, so they are frozen here and are not the defaults
// that new timers get (core/rules/retry.ts, core/limits.ts), which may change.

import { DEFAULT_RETRY, sameRetryPolicy, SINGLE_ATTEMPT } from '../../core/rules/retry.ts'
import type { RetryPolicy } from '../../core/timer/retry-policy.ts'
import type { FiringRules } from '../../core/time/firing-rules.ts'
import { CatchUp, isFinished, NO_ATTEMPTS } from '../../core/timer/timer.ts'
import { targetTypeOf, withAbsentFields } from '../../core/targets/target.ts'
import type { Target } from '../../core/targets/target.ts'
import type {
  Attempt,
  ExtraFiring,
  JsonText,
  Millis,
  Overlap,
  RunningFirings,
  StreamPlace,
  Timer,
} from '../../core/timer/timer.ts'
import { shared } from './shared-texts.ts'

/** The fields of a timer that are columns, or follow from them. */
type Columns =
  | 'namespace' | 'id' | 'uuid' | 'version' | 'status' | 'dueAt' | 'wakeAt' | 'createdAt' | 'tenant' | 'payload' | 'metadata' // oxfmt-ignore
export type Documented = Omit<Timer, Columns>

const STORED_RETRY: RetryPolicy = Object.freeze({
  maxAttempts: 4,
  initialIntervalMs: 30_000,
  multiplier: 2,
  maxIntervalMs: 600_000,
  maxDurationMs: 86_400_000,
})
const STORED_TIMEOUT_MS = 30_000
const STORED_PROTOCOL = 'v1'
/** Of a target that says none. A document without a target has a function's, which is nothing but its type. */
const STORED_TARGET_TYPE = 'http'
const STORED_TARGET: Target = Object.freeze({ type: 'function' })

type StoredRetry = readonly [
  maxAttempts: number,
  initialMs: number,
  multiplier: number,
  maxMs: number,
  durationMs: number,
]
type StoredAttempt = readonly [
  at: number,
  durationMs: number,
  outcome: Attempt['outcome'],
  status: number | null,
  error: string | null,
  note?: string | null,
  firing?: number,
  iteration?: number,
]

type StoredTarget = Omit<Target, 'type'> & { readonly type?: Target['type'] }

/** As it is written; a field that is left out has its stored default. */
type Document = {
  target?: StoredTarget
  protocol?: string
  schedule?: string
  timeZone?: string
  rules?: FiringRules
  nominalAt?: Millis
  zoned?: readonly [data: string, offsetMs: Millis]
  anchorAt?: Millis
  iteration?: number
  catchUp?: CatchUp
  maxLatenessMs?: Millis
  overlap?: Overlap
  skipped?: number
  retry?: StoredRetry
  timeoutMs?: number
  updatedAt?: Millis
  executedAt?: Millis | null
  finishedAt?: Millis | null
  firing?: number
  attempts?: number
  firstAttemptAt?: Millis | null
  lastError?: string
  attemptLog?: readonly StoredAttempt[]
  traceparent?: string
  correlationId?: string
  extra?: ExtraFiring
  running?: RunningFirings
  lastCommand?: StreamPlace
  fingerprint?: string
}

export function writeDocument(timer: Timer): JsonText {
  const document: Document = {}
  if (timer.target.type !== STORED_TARGET.type) document.target = writtenTarget(timer.target)
  if (timer.protocol !== STORED_PROTOCOL) document.protocol = timer.protocol
  if (timer.schedule !== null) document.schedule = timer.schedule
  if (timer.timeZone !== null) document.timeZone = timer.timeZone
  if (timer.rules !== null) document.rules = timer.rules
  if (timer.nominalAt !== timer.dueAt) document.nominalAt = timer.nominalAt
  if (timer.zoned !== null) document.zoned = [timer.zoned.data, timer.zoned.offsetMs]
  if (timer.anchorAt !== null) document.anchorAt = timer.anchorAt
  if (timer.iteration !== 1) document.iteration = timer.iteration
  if (timer.catchUp !== CatchUp.all) document.catchUp = timer.catchUp
  if (timer.maxLatenessMs !== null) document.maxLatenessMs = timer.maxLatenessMs
  if (timer.overlap !== null) document.overlap = timer.overlap
  if (timer.skipped !== 0) document.skipped = timer.skipped
  if (!sameRetryPolicy(timer.retry, STORED_RETRY)) document.retry = writtenRetry(timer.retry)
  if (timer.timeoutMs !== STORED_TIMEOUT_MS) document.timeoutMs = timer.timeoutMs
  if (timer.updatedAt !== timer.createdAt) document.updatedAt = timer.updatedAt
  if (timer.executedAt !== usualExecutedAt(timer.attemptLog)) document.executedAt = timer.executedAt
  if (timer.finishedAt !== usualFinishedAt(timer)) document.finishedAt = timer.finishedAt
  if (timer.firing !== 1) document.firing = timer.firing
  if (timer.attempts !== 0) document.attempts = timer.attempts
  if (timer.firstAttemptAt !== usualFirstAttemptAt(timer)) document.firstAttemptAt = timer.firstAttemptAt
  if (timer.lastError !== null) document.lastError = timer.lastError
  if (timer.attemptLog.length > 0) document.attemptLog = timer.attemptLog.map(writtenAttempt)
  if (timer.extra !== null) document.extra = timer.extra
  if (timer.running !== null) document.running = timer.running
  if (timer.traceparent !== null) document.traceparent = timer.traceparent
  if (timer.correlationId !== null) document.correlationId = timer.correlationId
  if (timer.lastCommand !== null) document.lastCommand = timer.lastCommand
  if (timer.fingerprint !== null) document.fingerprint = timer.fingerprint
  return JSON.stringify(document) as JsonText
}

type KnownColumns = Pick<Timer, 'createdAt' | 'dueAt' | 'status'>

export function readDocument(text: string, { createdAt, dueAt, status }: KnownColumns): Documented {
  const document = JSON.parse(text) as Document
  const { updatedAt = createdAt, attempts = 0 } = document
  const attemptLog = document.attemptLog?.map(readAttempt) ?? NO_ATTEMPTS
  const { executedAt = usualExecutedAt(attemptLog) } = document
  return {
    target: readTarget(document.target),
    protocol: document.protocol === undefined ? STORED_PROTOCOL : shared(document.protocol),
    schedule: document.schedule ?? null,
    timeZone: document.timeZone ?? null,
    rules: document.rules ?? null,
    nominalAt: document.nominalAt ?? dueAt,
    zoned: document.zoned === undefined ? null : { data: shared(document.zoned[0]), offsetMs: document.zoned[1] },
    anchorAt: document.anchorAt ?? null,
    iteration: document.iteration ?? 1,
    catchUp: document.catchUp ?? CatchUp.all,
    maxLatenessMs: document.maxLatenessMs ?? null,
    overlap: document.overlap ?? null,
    skipped: document.skipped ?? 0,
    retry: readRetry(document.retry),
    timeoutMs: document.timeoutMs ?? STORED_TIMEOUT_MS,
    updatedAt,
    executedAt,
    finishedAt: document.finishedAt === undefined ? usualFinishedAt({ status, updatedAt }) : document.finishedAt,
    firing: document.firing ?? 1,
    attempts,
    firstAttemptAt:
      document.firstAttemptAt === undefined ? usualFirstAttemptAt({ attempts, executedAt }) : document.firstAttemptAt,
    lastError: document.lastError ?? null,
    attemptLog,
    extra: document.extra ?? null,
    running: document.running ?? null,
    traceparent: document.traceparent ?? null,
    correlationId: document.correlationId ?? null,
    lastCommand: document.lastCommand ?? null,
    fingerprint: document.fingerprint ?? null,
  }
}

// Three times of a timer that has fired, as they nearly always are: its row grows less when it finishes. NULL is written where
// there is none although there usually is.

function usualExecutedAt(attemptLog: Timer['attemptLog']): Millis | null {
  return attemptLog.at(-1)?.at ?? null
}

function usualFinishedAt({ status, updatedAt }: Pick<Timer, 'status' | 'updatedAt'>): Millis | null {
  return isFinished({ status }) ? updatedAt : null
}

/** Of a first attempt that is also the last one. */
function usualFirstAttemptAt({ attempts, executedAt }: Pick<Timer, 'attempts' | 'executedAt'>): Millis | null {
  return attempts === 0 ? null : executedAt
}

function writtenTarget(target: Target): StoredTarget {
  const written: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(target))
    if (value !== null && !(field === 'type' && value === STORED_TARGET_TYPE)) written[field] = value
  return written
}

function readTarget(stored: StoredTarget | undefined): Target {
  if (stored === undefined) return STORED_TARGET
  const type: string = stored.type ?? STORED_TARGET_TYPE
  if (targetTypeOf(type) === undefined)
    throw new Error(`unknown target type ${type}: was this row written by a newer version?`)
  return withAbsentFields({ type: STORED_TARGET_TYPE, ...stored } as Target)
}

function writtenRetry(retry: RetryPolicy): StoredRetry {
  return [retry.maxAttempts, retry.initialIntervalMs, retry.multiplier, retry.maxIntervalMs, retry.maxDurationMs]
}

/** Most timers share one of two policies: they share the objects, too, as long as these mean the same. */
function readRetry(stored: StoredRetry | undefined): RetryPolicy {
  if (stored === undefined) return sameRetryPolicy(DEFAULT_RETRY, STORED_RETRY) ? DEFAULT_RETRY : STORED_RETRY
  const [maxAttempts, initialIntervalMs, multiplier, maxIntervalMs, maxDurationMs] = stored
  const retry = { maxAttempts, initialIntervalMs, multiplier, maxIntervalMs, maxDurationMs }
  return sameRetryPolicy(retry, SINGLE_ATTEMPT) ? SINGLE_ATTEMPT : retry
}

function writtenAttempt({ at, durationMs, outcome, statusCode, error, note, of }: Attempt): StoredAttempt {
  if (of !== undefined) return [at, durationMs, outcome, statusCode, error, note ?? null, of.firing, of.iteration]
  return note === undefined
    ? [at, durationMs, outcome, statusCode, error]
    : [at, durationMs, outcome, statusCode, error, note]
}

function readAttempt([at, durationMs, outcome, statusCode, error, note, firing, iteration]: StoredAttempt): Attempt {
  return {
    at,
    durationMs,
    outcome,
    statusCode,
    error,
    ...(note !== undefined && note !== null && { note }),
    ...(firing !== undefined && iteration !== undefined && { of: { firing, iteration } }),
  }
}
