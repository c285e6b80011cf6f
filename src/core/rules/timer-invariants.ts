// What is true of every timer that the rules produce, and of every step from one to the next. For tests, simulations
// and timers that come from a file; the service itself does not call it.

import { isPutOff, withoutExtraFiring } from './extra-firing.ts'
import { deliveryId, timerUuid } from '../timer/ids.ts'
import { ATTEMPTS_KEPT, ERROR_CHARS_KEPT } from '../limits.ts'
import { firingOf, isRepeating } from '../time/firings.ts'
import { parseSchedule } from '../time/schedule.ts'
import { isOnlyRemembered } from './sent-commands.ts'
import { withoutRunning, withRunning } from '../timer/running-firings.ts'
import { NEVER, Status, firingDueAt, isFinished } from '../timer/timer.ts'
import type { Timer } from '../timer/timer.ts'
import { TRANSITIONS } from '../timer/transitions.ts'

/**
 * Throws when the timer cannot be. `before` is the version it was made from, null for a new one, with the status
 * that the outside saw (executing while it was being delivered); without it only the timer itself is looked at.
 */
export function assertTimerInvariants(timer: Timer, before?: Timer | null): void {
  const fault =
    faultIn(timer) ?? (before === undefined ? null : before === null ? faultInFirst(timer) : faultInStep(before, timer))
  if (fault !== null) throw new Error(`${fault}: ${JSON.stringify({ before, timer })}`)
}

/** The first fact that does not hold, as a sentence. */
export function faultIn(row: Timer): string | null {
  const timer = withoutRunning(row)
  const { status, dueAt, wakeAt, attempts, extra, running } = timer
  const isLive = status === Status.pending || status === Status.executing
  const facts: readonly (readonly [boolean, string])[] = [
    [timer.uuid === timerUuid(timer.namespace, timer.id), 'the uuid is the hash of namespace and id'],
    [[dueAt, wakeAt, timer.createdAt, timer.updatedAt].every(Number.isSafeInteger), 'times are whole milliseconds'],
    [
      isCount(timer.version) && isCount(timer.firing) && isCount(timer.iteration),
      'version, firing and iteration count from 1',
    ],
    [timer.firing <= timer.version, 'a new firing is a new version'],
    [dueAt < NEVER, 'a timer is due some day'],
    [
      !isLive || (wakeAt >= firingDueAt(timer) && (wakeAt < NEVER || running?.isEnding === true)),
      'no attempt is planned before the due time, or for never',
    ],
    [status !== Status.paused || extra === null || wakeAt < NEVER, 'an extra firing of a paused timer is some day'],
    [extra === null || !isFinished(timer), 'a finished timer has no firing left'],
    [
      extra === null || status === Status.executing || status === extra.regular.status,
      'an extra firing leaves the status alone',
    ],
    [
      extra === null || !isPutOff(timer) || wakeAt < extra.regular.wakeAt,
      'an extra firing is not put off into the next regular one',
    ],
    [isFinished(timer) === (timer.finishedAt !== null), 'a timer is finished when it has a finishing time'],
    [timer.finishedAt === null || wakeAt >= timer.finishedAt, 'retention begins when the timer finishes'],
    [(attempts === 0) === (timer.firstAttemptAt === null), 'the first attempt has a time'],
    [attempts === 0 || timer.executedAt !== null, 'an attempt has a time'],
    [isFinished(timer) || attempts < timer.retry.maxAttempts, 'a live timer has an attempt left'],
    [attempts <= timer.retry.maxAttempts, 'no more attempts than the policy allows'],
    [timer.attemptLog.length <= ATTEMPTS_KEPT, 'the log of attempts is bounded'],
    [(timer.lastError?.length ?? 0) <= ERROR_CHARS_KEPT, 'the last error is bounded'],
    [status !== Status.failed || timer.lastError !== null, 'a failed timer says why'],
    [running === null || !isFinished(timer), 'a finished timer has nothing running'],
    [running === null || isSameRow(row, withRunning(timer)), 'a timer wakes for the first of its running firings'],
    [
      running === null ||
        running.firings.every(({ firing, attempts: made }) => firing < timer.firing && made < timer.retry.maxAttempts),
      'a running firing has begun before the current one and has an attempt left',
    ],
    [isScheduleSound(timer), 'a cycle has an anchor and an iteration within its repetitions, a one-shot neither'],
  ]
  return facts.find(([holds]) => !holds)?.[1] ?? null
}

function faultInFirst(timer: Timer): string | null {
  const isNew = timer.status === Status.pending || isOnlyRemembered(null, timer)
  return timer.version === 1 && timer.firing === 1 && isNew ? null : 'a new timer is pending, version 1, firing 1'
}

function faultInStep(before: Timer, after: Timer): string | null {
  const isNewFiring = after.firing === before.firing + 1
  const isExtra = before.extra?.number !== after.extra?.number
  const facts: readonly (readonly [boolean, string])[] = [
    [after.uuid === before.uuid, 'a timer keeps its uuid'],
    [after.version === before.version + 1, 'a version grows by one'],
    [
      TRANSITIONS[before.status].includes(after.status) || isOnlyRemembered(before, after),
      `${before.status} can become ${after.status}`,
    ],
    [isNewFiring || after.firing === before.firing, 'a firing is followed by itself or by the next'],
    [
      (isNewFiring && after.extra === null) || isExtra === (deliveryId(after) !== deliveryId(before)),
      'another firing has another delivery id, another attempt the same',
    ],
    [!isNewFiring || withoutExtraFiring(after).attempts === 0, 'a new firing has no attempts yet'],
    [
      isNewFiring || (after.dueAt === before.dueAt && after.iteration === before.iteration),
      'a firing keeps its due time and iteration',
    ],
    [isNewFiring || after.createdAt === before.createdAt, 'a new timer is a new firing'],
    [!isFinished(after) || !isNewFiring, 'a timer that ends does not begin a firing'],
    [!isSameGrid(before, after) || after.iteration >= before.iteration, 'a cycle does not go back'],
  ]
  return facts.find(([holds]) => !holds)?.[1] ?? null
}

function isSameRow(a: Timer, b: Timer): boolean {
  return a.wakeAt === b.wakeAt && a.running?.wakeAt === b.running?.wakeAt
}

function isSameGrid(a: Timer, b: Timer): boolean {
  return a.schedule === b.schedule && a.anchorAt === b.anchorAt && a.createdAt === b.createdAt
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

function isScheduleSound({ schedule, timeZone, rules, anchorAt, iteration }: Timer): boolean {
  const parsed = schedule === null ? null : parseSchedule(schedule, timeZone, rules)
  if (parsed === null || !isRepeating(parsed)) return anchorAt === null && iteration === 1
  if (iteration > (rules?.lastIteration ?? Infinity)) return false
  if (parsed.kind !== 'cycle') return anchorAt !== null
  return anchorAt !== null && firingOf(parsed, anchorAt, iteration) !== null
}
