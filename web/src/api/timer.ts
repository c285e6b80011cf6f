// The timer as the service answers it: the SDK's types, and what this page reads off them.

import type { Callback, Metadata, OnConflict, PageQuery, Status, Timer, TimerFilter } from '@duetime/client'

export type { Callback, Metadata, OnConflict, Status, Timer }

export const STATUSES = [
  'pending',
  'executing',
  'paused',
  'completed',
  'failed',
  'canceled',
] as const satisfies readonly Status[]

export type Attempt = Timer['attempts'][number]
export type RetryPolicy = Timer['retryPolicy']

/** What the rows of a list show, and what their actions need. Payloads, which may be large, are not asked for. */
export const LISTED_FIELDS = [
  'id',
  'namespace',
  'status',
  'executeAt',
  'schedule',
  'callback',
  'createdAt',
  'nextAttemptAt',
  'attemptCount',
  'lastError',
  'version',
] as const
export type ListedField = (typeof LISTED_FIELDS)[number]
export type ListedTimer = Pick<Timer, ListedField>

/** Which timers are meant, by lists and by changes of many. */
export type Filter = TimerFilter & Pick<PageQuery, 'search'>
export type SortField = NonNullable<PageQuery['sort']>

export function isLive(status: Status): boolean {
  return status === 'pending' || status === 'paused' || status === 'executing'
}

/** The attempts of the firing that is under way or was the last; those before belong to earlier iterations. */
export function currentAttempts({
  attempts,
  attemptCount,
}: Pick<Timer, 'attempts' | 'attemptCount'>): readonly Attempt[] {
  return attemptCount === 0 ? [] : attempts.slice(-attemptCount)
}

/** How late the current firing's first attempt started; null when it has not, or it is too long ago to be known. */
export function latenessMs(timer: Pick<Timer, 'attempts' | 'attemptCount' | 'executeAt'>): number | null {
  const [first] = currentAttempts(timer)
  const isKnown = first !== undefined && timer.attemptCount <= timer.attempts.length
  return isKnown ? Date.parse(first.at) - Date.parse(timer.executeAt) : null
}
