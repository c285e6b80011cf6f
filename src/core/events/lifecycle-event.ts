// What is told to those who follow timers: one function says which events a stored change stands for. They are made from
// the row before and the row after, so an event can be written with its change, in the same commit, or not at all.
//
// The body is a CloudEvent (JSON format, 1.0). It leaves out the payload and the target: both may hold secrets and be large,
// and whoever may follow a namespace's timers need not be allowed to read what they carry.

import { isoText } from '../time/iso-text.ts'
import { repeats } from '../time/firings.ts'
import { deliveryId } from '../timer/ids.ts'
import { isOnlyRemembered } from '../rules/sent-commands.ts'
import { deliveredIn, withoutRunning } from '../timer/running-firings.ts'
import { firingDueAt, isFinished, Status } from '../timer/timer.ts'
import type { Attempt, JsonText, Millis, Namespace, Timer, TimerUuid } from '../timer/timer.ts'

export const LifecycleEventType = {
  created: 'created',
  /** Rescheduled, changed, paused, resumed, triggered or brought back after it failed. */
  updated: 'updated',
  /** An attempt to deliver a firing has ended, well or not: its start is not stored, so nothing earlier can be promised. */
  fired: 'fired',
  /** Iterations were not fired: too late, or the last one was not over. */
  missed: 'missed',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
} as const
export type LifecycleEventType = (typeof LifecycleEventType)[keyof typeof LifecycleEventType]

export type LifecycleEvent = {
  /** The same whenever it is published; no other event has it. */
  readonly id: string
  readonly type: LifecycleEventType
  readonly namespace: Namespace
  readonly uuid: TimerUuid
  /** When the change was decided. */
  readonly at: Millis
  readonly body: JsonText
}

/** In the order in which they happened. `before` is the row that `after` takes the place of. */
export function lifecycleEvents(
  before: Timer | null,
  after: Timer,
  wanted: ReadonlySet<LifecycleEventType>,
): readonly LifecycleEvent[] {
  const types = withMissed(typesOf(before, after), before, after).filter((type) => wanted.has(type))
  return types.map((type) => ({
    id: eventId(type, after),
    type,
    namespace: after.namespace,
    uuid: after.uuid,
    at: after.updatedAt,
    body: bodyOf(type, before, after),
  }))
}

function typesOf(before: Timer | null, after: Timer): readonly LifecycleEventType[] {
  if (isOnlyRemembered(before, after)) return NONE
  if (before === null || isReplaced(before, after)) return CREATED
  if (newAttempt(before, after) !== null) {
    if (!isFinished(after)) return FIRED
    return after.status === Status.completed ? FIRED_AND_COMPLETED : FIRED_AND_FAILED
  }
  if (after.status === Status.canceled) return CANCELED
  // A mark for those who look into the store, or an iteration that begins: not a change that somebody made.
  return after.status === Status.executing || hasBegun(before, after) || isRestamped(before, after) ? NONE : UPDATED
}

/** Beside what happened, or instead of an update that nobody asked for. */
function withMissed(
  types: readonly LifecycleEventType[],
  before: Timer | null,
  after: Timer,
): readonly LifecycleEventType[] {
  if (before === null || types === CREATED || after.skipped <= before.skipped) return types
  if (types !== UPDATED) return [...types, 'missed']
  if (!isFinished(after)) return after.status === before.status ? ['missed'] : ['updated', 'missed']
  return ['missed', after.status === Status.failed ? 'failed' : 'completed']
}

const NONE: readonly LifecycleEventType[] = []
const CREATED = ['created'] as const
const UPDATED = ['updated'] as const
const CANCELED = ['canceled'] as const
const FIRED = ['fired'] as const
const FIRED_AND_COMPLETED = ['fired', 'completed'] as const
const FIRED_AND_FAILED = ['fired', 'failed'] as const

/** Its time is right by other zone data, too. */
function isRestamped(before: Timer, after: Timer): boolean {
  return before.zoned?.data !== after.zoned?.data && after.firing === before.firing
}

/** The next one waits, and this one runs beside it. */
function hasBegun(before: Timer, after: Timer): boolean {
  return (after.running?.firings.length ?? 0) > (before.running?.firings.length ?? 0)
}

/** A timer that takes the place of another one is new, too. Within one millisecond only the status can tell. */
function isReplaced(before: Timer, after: Timer): boolean {
  return before.createdAt !== after.createdAt || before.status === Status.completed || before.status === Status.canceled
}

/** Versions of an id go on growing until it is pruned; the time of creation tells what comes after that. */
function eventId(type: LifecycleEventType, { uuid, createdAt, version }: Timer): string {
  return `${uuid}-${createdAt.toString(36)}-${version}-${type}`
}

/** What is carried over from the row before is the very same value. */
function newAttempt(before: Timer, after: Timer): Attempt | null {
  const last = after.attemptLog.at(-1)
  return last === undefined || last === before.attemptLog.at(-1) ? null : last
}

/** Written by hand around the metadata, which are text already and must come out as they went in. */
function bodyOf(type: LifecycleEventType, before: Timer | null, after: Timer): JsonText {
  const envelope = {
    specversion: '1.0',
    id: eventId(type, after),
    source: `/namespaces/${after.namespace}`,
    type: `duetime.timer.${type}`,
    subject: after.id,
    time: isoText(after.updatedAt),
    datacontenttype: 'application/json',
    ...(after.traceparent !== null && { traceparent: after.traceparent }),
  }
  const data = JSON.stringify({ ...stateOf(after), ...detailsOf(type, before, after) })
  const metadata = after.metadata === null ? '' : `,"metadata":${after.metadata}`
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${data.slice(0, -1)}${metadata}}}` as JsonText
}

function stateOf(row: Timer): object {
  const timer = withoutRunning(row)
  const isWaiting = timer.status === Status.pending && timer.wakeAt !== firingDueAt(timer)
  return {
    namespace: timer.namespace,
    id: timer.id,
    version: timer.version,
    status: timer.status,
    dueAt: isoText(timer.dueAt),
    ...(timer.schedule !== null && { schedule: timer.schedule }),
    ...(repeats(timer) && { iteration: timer.iteration }),
    ...(timer.extra !== null && { triggeredAt: isoText(timer.extra.dueAt) }),
    ...(isWaiting && { nextAttemptAt: isoText(timer.wakeAt) }),
    createdAt: isoText(timer.createdAt),
    ...(timer.finishedAt !== null && { finishedAt: isoText(timer.finishedAt) }),
    ...(timer.correlationId !== null && { correlationId: timer.correlationId }),
  }
}

function detailsOf(type: LifecycleEventType, before: Timer | null, after: Timer): object {
  if (before === null) return {}
  if (type === 'created') return { replacedVersion: before.version }
  if (type === 'fired') {
    const attempt = newAttempt(before, after)!
    return { attempt: attemptOf(deliveredIn(before, attempt), attempt) }
  }
  if (type === 'missed') return { missed: after.skipped - before.skipped, missedDueAt: isoText(before.dueAt) }
  return type === 'failed' && after.lastError !== null ? { error: after.lastError } : {}
}

/** Of the firing that was delivered: the row after may already be about the next one. */
function attemptOf(before: Timer, { at, durationMs, outcome, statusCode, error }: Attempt): object {
  return {
    number: before.attempts + 1,
    deliveryId: deliveryId(before),
    dueAt: isoText(firingDueAt(before)),
    ...(before.extra !== null && { triggered: true }),
    startedAt: isoText(at),
    lateMs: Math.max(0, at - before.wakeAt),
    durationMs,
    outcome,
    ...(statusCode !== null && { statusCode }),
    ...(error !== null && { error }),
  }
}
