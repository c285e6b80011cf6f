// What happened to a timer, from what its row remembers: that it was made, its last attempts, how it ended. And how
// punctual its last firing was.

import { iterationOf, repeats } from '../../../../core/time/firings.ts'
import { firingDueAt, Status } from '../../../../core/timer/timer.ts'
import type { Attempt, Millis, Timer } from '../../../../core/timer/timer.ts'
import { isoText } from '../../../../core/time/iso-text.ts'

type Action = 'CREATED' | 'FIRED' | 'RESCHEDULED' | 'FAILED' | 'COMPLETED' | 'CANCELLED'
export type HistoryEntry = { readonly timestamp: string; readonly action: Action; readonly details: string }

export function historyOf(timer: Timer): readonly HistoryEntry[] {
  const { createdAt, finishedAt, attemptLog } = timer
  const created = entry(createdAt, 'CREATED', `scheduled with ${timer.schedule ?? isoText(timer.dueAt)}`)
  const attempts = attemptLog.map((attempt) => entry(attempt.at, ACTIONS[attempt.outcome], outcomeText(attempt)))
  return [created, ...attempts, ...(finishedAt === null ? [] : [ending(timer, finishedAt)])]
}

const ACTIONS: Readonly<Record<Attempt['outcome'], Action>> = {
  delivered: 'FIRED',
  rescheduled: 'RESCHEDULED',
  failed: 'FAILED',
}

function outcomeText({ durationMs, statusCode, error, note }: Attempt): string {
  const answer = error ?? (statusCode === null ? 'done' : `HTTP ${statusCode}`)
  return `${answer} after ${durationMs} ms${note === undefined ? '' : `; ${note}`}`
}

function ending(timer: Timer, at: Millis): HistoryEntry {
  const { status, lastError, iteration } = timer
  if (status === Status.canceled)
    return entry(at, 'CANCELLED', repeats(timer) ? `before iteration ${iteration}` : 'before it fired')
  if (status === Status.failed) return entry(at, 'COMPLETED', `without success: ${lastError}`)
  return entry(at, 'COMPLETED', repeats(timer) ? `fired iteration ${iteration}, the last one` : 'fired')
}

function entry(at: Millis, action: Action, details: string): HistoryEntry {
  return { timestamp: isoText(at), action, details }
}

/** How late the first attempt of the last firing started; null when none is known. */
export function accuracyOf(timer: Timer): Millis | null {
  if (timer.attempts > 0 && timer.firstAttemptAt !== null) return timer.firstAttemptAt - firingDueAt(timer)
  const before = previousDueAt(timer)
  const first = before === null ? undefined : timer.attemptLog.find(({ at }) => at >= before)
  return first === undefined ? null : first.at - before!
}

/** Of a cycle that waits for its next iteration. */
function previousDueAt(timer: Timer): Millis | null {
  return iterationOf(timer, timer.iteration - 1)?.dueAt ?? null
}
