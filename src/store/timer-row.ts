// How a timer is written into one flat row: the codec all SQL stores share. A row is a run of cells, one per
// column of TIMER_COLUMNS, so that a batch of rows is one flat array: cheap to hand to another thread.
// What most timers have in common is NULL: it costs no bytes on disk and decodes to a shared constant.

import { TIMEOUT_DEFAULT_MS } from '../core/limits.ts'
import { DEFAULT_RETRY, sameRetryPolicy, SINGLE_ATTEMPT } from '../core/retry.ts'
import type { RetryPolicy } from '../core/retry.ts'
import { CatchUp, isFinished, NO_ATTEMPTS, Status } from '../core/timer.ts'
import type { Attempt, ExtraFiring, JsonText, Namespace, Target, Timer, TimerId, TimerUuid } from '../core/timer.ts'
import { TimerKind } from '../core/timer-kind.ts'
import type { TimerPart } from './store.ts'

export type Cell = string | number | null

export const RowType = { shard: 1, live: 2, finished: 3 } as const

/** In the order of the cells. The first five are never NULL. */
export const TIMER_COLUMNS = [
  'row_type',
  'timer_execute_at', // Timer.wakeAt
  'timer_uuid', // 32 hex digits here; a store may keep the 16 bytes
  'timer_namespace',
  'timer_id',
  'timer_version',
  'timer_status',
  'timer_due_at', // NULL: the same as timer_execute_at, and the timer is live
  'timer_protocol',
  'timer_target_type',
  'timer_target_address', // URL or topic
  'timer_target_options', // JSON: headers and key, NULL when there are none
  'timer_payload',
  'timer_metadata',
  'timer_retry_policy', // JSON, NULL: DEFAULT_RETRY
  'timer_callback_timeout_ms', // NULL: TIMEOUT_DEFAULT_MS
  'timer_created_at',
  'timer_updated_at', // NULL: the same as timer_created_at
  'timer_executed_at',
  'timer_finished_at',
  'timer_firing',
  'timer_attempts',
  'timer_progress', // JSON: first attempt, last error, attempt log, extra firing; NULL when there is none of them
  'timer_schedule',
  'timer_cycle', // JSON: time zone, anchor, iteration, catch-up; NULL for a one-shot in UTC
  'timer_traceparent',
  'timer_message', // JSON: correlation id, last command; NULL when there is neither
  'timer_fingerprint',
  'timer_tenant',
] as const

export const CELLS_PER_TIMER = TIMER_COLUMNS.length

type Column = (typeof TIMER_COLUMNS)[number]

/** NULL in each of them reads as a timer without that part. */
const PART_COLUMNS: Readonly<Record<TimerPart, Column>> = {
  payload: 'timer_payload',
  metadata: 'timer_metadata',
  headers: 'timer_target_options',
  attempts: 'timer_progress',
}

/** The texts that make a row large. The others are bounded to some hundred bytes. */
const SIZED_COLUMNS: readonly Column[] = ['timer_id', 'timer_target_address', ...Object.values(PART_COLUMNS)]
const SIZED_CELLS = SIZED_COLUMNS.map((column) => TIMER_COLUMNS.indexOf(column))

export function omitsColumn(column: Column, omit: readonly TimerPart[]): boolean {
  return omit.some((part) => PART_COLUMNS[part] === column)
}

/** The size of a row in a SELECT list, without what is omitted. Databases know the length of a text without reading it. */
export function rowBytesSql(omit: readonly TimerPart[]): string {
  const sized = SIZED_COLUMNS.filter((column) => !omitsColumn(column, omit))
  return sized.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')
}

/** The same of cells that were read. */
export function rowBytes(cells: readonly Cell[], offset = 0): number {
  return SIZED_CELLS.reduce((sum, index) => sum + Buffer.byteLength((cells[offset + index] as string | null) ?? ''), 0)
}

// Codes are stored: they never change their meaning, new ones are added at the end.
const STATUSES = [Status.pending, Status.paused, Status.executing, Status.completed, Status.failed, Status.canceled] as const
const STATUS_CODES = Object.fromEntries(STATUSES.map((status, code) => [status, code])) as Readonly<Record<Status, number>>
const KINDS = [TimerKind.once, TimerKind.limited, TimerKind.infinite] as const
const KIND_CODES = Object.fromEntries(KINDS.map((kind, code) => [kind, code])) as Readonly<Record<TimerKind, number>>
const TargetCode = { none: 0, http: 1, nats: 2, function: 3 } as const

export function statusCode(status: Status): number {
  return STATUS_CODES[status]
}

export function statusOf(code: Cell): Status {
  const status = STATUSES[code as number]
  if (status === undefined) throw new Error(`unknown timer status ${code}: was this row written by a newer version?`)
  return status
}

export function kindCode(kind: TimerKind): number {
  return KIND_CODES[kind]
}

export function kindAt(code: Cell): TimerKind {
  const kind = KINDS[code as number]
  if (kind === undefined) throw new Error(`unknown kind of timer ${code}: was this row written by a newer version?`)
  return kind
}

/** Appends the timer's cells. One function without intermediate objects: it runs for every write, beside the HTTP server. */
export function appendCells(cells: Cell[], timer: Timer): void {
  const { target } = timer
  const finished = isFinished(timer)
  cells.push(
    finished ? RowType.finished : RowType.live,
    timer.wakeAt,
    timer.uuid,
    timer.namespace,
    timer.id,
    timer.version,
    STATUS_CODES[timer.status],
    // Finished timers are listed by it, so it is there even where retention happens to end at the due time.
    timer.dueAt === timer.wakeAt && !finished ? null : timer.dueAt,
    timer.protocol,
    TargetCode[target.type],
    target.type === 'http' ? target.url : target.type === 'nats' ? target.topic : null,
    target.type === 'http' || target.type === 'nats' ? optionsCell(target) : null,
    timer.payload,
    timer.metadata,
    retryCell(timer.retry),
    timer.timeoutMs === TIMEOUT_DEFAULT_MS ? null : timer.timeoutMs,
    timer.createdAt,
    timer.updatedAt === timer.createdAt ? null : timer.updatedAt,
    timer.executedAt,
    timer.finishedAt,
    timer.firing,
    timer.attempts,
    progressCell(timer),
    timer.schedule,
    cycleCell(timer),
    timer.traceparent,
    messageCell(timer),
    timer.fingerprint,
    timer.tenant,
  )
}

/** The timer whose cells begin at `offset`. */
export function timerAt(cells: readonly Cell[], offset: number): Timer {
  const wakeAt = cells[offset + 1] as number
  const createdAt = cells[offset + 16] as number
  const progress = cells[offset + 22] === null ? NO_PROGRESS : readProgress(cells[offset + 22] as string)
  const cycle = cells[offset + 24] === null ? NO_CYCLE : readCycle(cells[offset + 24] as string)
  const message = cells[offset + 26] === null ? NO_MESSAGE : readMessage(cells[offset + 26] as string)
  return {
    namespace: shared(cells[offset + 3] as string) as Namespace,
    id: cells[offset + 4] as TimerId,
    uuid: cells[offset + 2] as TimerUuid,
    version: cells[offset + 5] as number,
    status: statusOf(cells[offset + 6]!),
    schedule: cells[offset + 23] as string | null,
    timeZone: cycle.timeZone,
    anchorAt: cycle.anchorAt,
    iteration: cycle.iteration,
    catchUp: cycle.catchUp,
    dueAt: (cells[offset + 7] as number | null) ?? wakeAt,
    wakeAt,
    target: readTarget(cells[offset + 9]!, cells[offset + 10] as string, cells[offset + 11] as string | null),
    protocol: shared(cells[offset + 8] as string),
    payload: cells[offset + 12] as JsonText | null,
    metadata: cells[offset + 13] as JsonText | null,
    retry: readRetry(cells[offset + 14] as string | null),
    timeoutMs: (cells[offset + 15] as number | null) ?? TIMEOUT_DEFAULT_MS,
    createdAt,
    updatedAt: (cells[offset + 17] as number | null) ?? createdAt,
    executedAt: cells[offset + 18] as number | null,
    finishedAt: cells[offset + 19] as number | null,
    firing: cells[offset + 20] as number,
    attempts: cells[offset + 21] as number,
    firstAttemptAt: progress.firstAttemptAt,
    extra: progress.extra,
    lastError: progress.lastError,
    attemptLog: progress.attemptLog,
    traceparent: cells[offset + 25] as string | null,
    correlationId: message.correlationId,
    lastCommand: message.lastCommand,
    fingerprint: cells[offset + 27] as string | null,
    tenant: cells[offset + 28] === null ? null : shared(cells[offset + 28] as string),
  }
}

export function timersOf(cells: readonly Cell[]): Timer[] {
  const timers: Timer[] = []
  for (let offset = 0; offset < cells.length; offset += CELLS_PER_TIMER) timers.push(timerAt(cells, offset))
  return timers
}

function optionsCell(target: Extract<Target, { headers: unknown }>): string | null {
  const key = target.type === 'nats' ? target.key : null
  if (target.headers === null && key === null) return null
  return JSON.stringify({ headers: target.headers ?? undefined, key: key ?? undefined })
}

function readTarget(code: Cell, address: string, options: string | null): Target {
  if (code === TargetCode.none) return NO_TARGET
  if (code === TargetCode.function) return FUNCTION_TARGET
  const { headers = null, key = null } = options === null ? NO_OPTIONS : (JSON.parse(options) as TargetOptions)
  if (code === TargetCode.http) return { type: 'http', url: address, headers }
  if (code === TargetCode.nats) return { type: 'nats', topic: address, key, headers }
  throw new Error(`unknown target type ${code}: was this row written by a newer version?`)
}

type TargetOptions = { readonly headers?: Readonly<Record<string, string>>; readonly key?: string }
const NO_TARGET: Target = Object.freeze({ type: 'none' })
const FUNCTION_TARGET: Target = Object.freeze({ type: 'function' })
const NO_OPTIONS: TargetOptions = {}

function retryCell(retry: RetryPolicy): string | null {
  if (sameRetryPolicy(retry, DEFAULT_RETRY)) return null
  return JSON.stringify([retry.maxAttempts, retry.initialIntervalMs, retry.multiplier, retry.maxIntervalMs, retry.maxDurationMs])
}

const SINGLE_ATTEMPT_CELL = retryCell(SINGLE_ATTEMPT)

function readRetry(cell: string | null): RetryPolicy {
  if (cell === null) return DEFAULT_RETRY
  if (cell === SINGLE_ATTEMPT_CELL) return SINGLE_ATTEMPT
  const [maxAttempts, initialIntervalMs, multiplier, maxIntervalMs, maxDurationMs] = JSON.parse(cell) as [number, number, number, number, number]
  return { maxAttempts, initialIntervalMs, multiplier, maxIntervalMs, maxDurationMs }
}

type Progress = Pick<Timer, 'firstAttemptAt' | 'lastError' | 'attemptLog' | 'extra'>
type LoggedAttempt = [at: number, durationMs: number, outcome: Attempt['outcome'], statusCode: number | null, error: string | null, note?: string]
type StoredProgress = { readonly first?: number; readonly error?: string; readonly log: readonly LoggedAttempt[]; readonly extra?: ExtraFiring }
const NO_PROGRESS: Progress = { firstAttemptAt: null, lastError: null, attemptLog: NO_ATTEMPTS, extra: null }

function progressCell({ firstAttemptAt, lastError, attemptLog, extra }: Progress): string | null {
  if (firstAttemptAt === null && lastError === null && attemptLog.length === 0 && extra === null) return null
  const log = attemptLog.map((made): LoggedAttempt => {
    const { at, durationMs, outcome, statusCode: code, error, note } = made
    return note === undefined ? [at, durationMs, outcome, code, error] : [at, durationMs, outcome, code, error, note]
  })
  return JSON.stringify({ first: firstAttemptAt ?? undefined, error: lastError ?? undefined, log, extra: extra ?? undefined })
}

function readProgress(cell: string): Progress {
  const { first = null, error = null, log, extra = null } = JSON.parse(cell) as StoredProgress
  const attemptLog = log.map(([at, durationMs, outcome, code, failure, note]): Attempt => {
    return { at, durationMs, outcome, statusCode: code, error: failure, ...(note !== undefined && { note }) }
  })
  return { firstAttemptAt: first, lastError: error, attemptLog: attemptLog.length === 0 ? NO_ATTEMPTS : attemptLog, extra }
}

type Cycle = Pick<Timer, 'timeZone' | 'anchorAt' | 'iteration' | 'catchUp'>
const NO_CYCLE: Cycle = { timeZone: null, anchorAt: null, iteration: 1, catchUp: CatchUp.all }

function cycleCell(timer: Cycle): string | null {
  const { timeZone, anchorAt, iteration, catchUp } = timer
  if (timeZone === null && anchorAt === null && iteration === 1 && catchUp === CatchUp.all) return null
  return JSON.stringify({ timeZone, anchorAt, iteration, catchUp })
}

function readCycle(cell: string): Cycle {
  return JSON.parse(cell) as Cycle
}

type Message = Pick<Timer, 'correlationId' | 'lastCommand'>
type MessageJson = { readonly correlationId?: string; readonly stream?: string; readonly sequence?: number }
const NO_MESSAGE: Message = { correlationId: null, lastCommand: null }

function messageCell({ correlationId, lastCommand }: Message): string | null {
  if (correlationId === null && lastCommand === null) return null
  const json: MessageJson = { ...(correlationId !== null && { correlationId }), ...lastCommand }
  return JSON.stringify(json)
}

function readMessage(cell: string): Message {
  const { correlationId = null, stream, sequence } = JSON.parse(cell) as MessageJson
  return { correlationId, lastCommand: stream === undefined || sequence === undefined ? null : { stream: shared(stream), sequence } }
}

/**
 * One string object for each namespace, protocol, stream and tenant instead of one per decoded timer: a loaded window holds
 * tens of thousands. Bounded, because namespaces come from clients.
 */
function shared(text: string): string {
  const known = sharedTexts.get(text)
  if (known !== undefined) return known
  if (sharedTexts.size >= SHARED_TEXTS_MAX) sharedTexts.clear()
  sharedTexts.set(text, text)
  return text
}

const sharedTexts = new Map<string, string>()
const SHARED_TEXTS_MAX = 1_000
