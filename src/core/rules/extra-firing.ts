// A firing that somebody asked for beside those of the schedule: `trigger` on a cycle. It is due at once, has a delivery id
// and attempts of its own, and leaves everything else about the timer as it is: its grid, its next iteration, a retry that
// waits, a pause. A timer has one delivery at a time, so the extra firing comes first and the timer then goes on where it was.
//
// A regular firing never waits for an extra one that was put off, by a retry or by the receiver: where the regular one is due
// first, the extra one is over. Retries of iterations have the same rule (see `retryOf` in settle.ts).

import type { ExtraFiring, Millis, Timer } from '../timer/timer.ts'

/** The timer with a firing more, now. Of one that has an extra firing already, that one is brought forward, with its delivery id. */
export function withExtraFiring(timer: Timer, now: Millis): Timer {
  const version = timer.version + 1
  const { extra, attempts } = timer
  if (extra !== null) {
    // What has been tried keeps its due time, which every attempt of a firing tells.
    const current: ExtraFiring = attempts > 0 ? extra : { dueAt: now, number: extra.number, regular: extra.regular }
    return { ...timer, version, updatedAt: now, wakeAt: Math.max(now, current.dueAt), extra: current }
  }
  const added: ExtraFiring = { dueAt: now, number: version, regular: regularPart(timer) }
  return { ...timer, version, updatedAt: now, wakeAt: now, attempts: 0, firstAttemptAt: null, extra: added }
}

function regularPart({ status, wakeAt, attempts, firstAttemptAt }: Timer): ExtraFiring['regular'] {
  return { status, wakeAt, attempts, firstAttemptAt }
}

/** The timer as if its extra firing were over, or had never been. */
export function withoutExtraFiring(timer: Timer): Timer {
  return timer.extra === null ? timer : { ...timer, ...timer.extra.regular, extra: null }
}

/**
 * The timer after a change of its regular part, with the extra firing that it had. `isNew`: what is delivered has changed,
 * so it is another firing. It is over if it was put off and would go on waiting into the next regular firing.
 */
export function keepExtraFiring(before: Timer, after: Timer, { isNew }: { isNew: boolean }): Timer {
  const { extra, wakeAt, attempts, firstAttemptAt } = before
  if (extra === null || (isPutOff(before) && wakeAt >= after.wakeAt)) return after
  const kept: ExtraFiring = { ...extra, number: isNew ? after.version : extra.number, regular: regularPart(after) }
  return isNew
    ? { ...after, wakeAt, attempts: 0, firstAttemptAt: null, extra: kept }
    : { ...after, wakeAt, attempts, firstAttemptAt, extra: kept }
}

/** It waits for a retry (which an update turns into the first attempt of another firing), or for the time that the receiver named. */
export function isPutOff({ extra, wakeAt, attempts }: Timer): boolean {
  return extra !== null && (attempts > 0 || wakeAt > extra.dueAt || extra.moved === true)
}

/** The extra firing is over, however it ended: the timer goes on where it was. */
export function endExtraFiring(tried: Timer, now: Millis): Timer {
  return { ...withoutExtraFiring(tried), version: tried.version + 1, updatedAt: now }
}

/** The receiver asked to be called again then; null when the next regular firing comes first. */
export function moveExtraFiring(tried: Timer, extra: ExtraFiring, at: Millis, now: Millis): Timer | null {
  if (at >= extra.regular.wakeAt) return null
  const version = tried.version + 1
  const { status } = extra.regular
  return {
    ...tried,
    version,
    status,
    updatedAt: now,
    wakeAt: at,
    attempts: 0,
    firstAttemptAt: null,
    extra: { ...extra, dueAt: at, moved: true, number: version },
  }
}
