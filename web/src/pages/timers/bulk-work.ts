// Doing something to many timers: to those that are ticked, a few at a time, or to all that match, by the service's
// own routes for many. Both tell how far they are, and stop when asked to.

import { ApiError } from '../../api/http.ts'
import { timersApi } from '../../api/timers.ts'
import type { Filter } from '../../api/timers.ts'
import { nameOf } from '../../api/timer.ts'
import type { Status, Timer } from '../../api/timer.ts'

export const ACTIONS = {
  cancel: {
    name: 'Cancel',
    done: 'Canceled',
    fits: ({ status }: Timer) => status === 'pending' || status === 'paused',
    call: timersApi.cancel,
  },
  retry: { name: 'Retry', done: 'Retried', fits: ({ status }: Timer) => status === 'failed', call: timersApi.retry },
  pause: { name: 'Pause', done: 'Paused', fits: ({ status }: Timer) => status === 'pending', call: timersApi.pause },
  resume: { name: 'Resume', done: 'Resumed', fits: ({ status }: Timer) => status === 'paused', call: timersApi.resume },
} as const
export type ActionName = keyof typeof ACTIONS
/** What the service does to all that match. */
export type ManyAction = 'cancel' | 'retry'

export type Progress = {
  readonly done: number
  readonly failures: readonly { readonly id: string; readonly message: string }[]
  readonly failed: number
}

const AT_ONCE = 6 // browsers open no more connections to one host
const FAILURES_SHOWN = 50

export async function actOnEach(
  timers: readonly Timer[],
  action: ActionName,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Progress> {
  const failures: { id: string; message: string }[] = []
  let done = 0
  let failed = 0
  const rest = timers.values()
  const work = async () => {
    for (const timer of rest) {
      if (signal.aborted) return
      try {
        await ACTIONS[action].call(nameOf(timer))
        done++
      } catch (error) {
        failed++
        const message = error instanceof Error ? error.message : String(error)
        if (failures.length < FAILURES_SHOWN) failures.push({ id: timer.id, message })
        // Nobody will be let through with this key: the rest need not be tried.
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return
      }
      onProgress({ done, failed, failures: [...failures] })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { done, failed, failures }
}

/** One request changes so many at most: it is repeated until nothing is left. */
export async function actOnAll(
  filter: Filter,
  action: ManyAction,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Progress> {
  let done = 0
  let failed = 0
  for (;;) {
    const { matched, tooLate, more, canceled = 0, retried = 0 } = await send(filter, action, false, signal)
    done += canceled + retried
    failed += tooLate
    onProgress({ done, failed, failures: [] })
    if (!more || matched === 0 || canceled + retried === 0) return { done, failed, failures: [] }
  }
}

/** A dry run. It counts so many at most; what is beyond is counted by a list, where a list can. */
export async function countAll(
  filter: Filter,
  action: ManyAction,
  signal: AbortSignal,
): Promise<{ readonly matched: number; readonly more: boolean }> {
  const { matched, more } = await send(filter, action, true, signal)
  if (!more || filter.dueFrom !== undefined || filter.dueTo !== undefined) return { matched, more }
  const open: readonly Status[] = action === 'cancel' ? ['pending', 'paused'] : ['failed']
  const status = open.filter((one) => filter.status?.includes(one) ?? true)
  const { total } = await timersApi.page({ ...filter, status, sort: 'dueAt', order: 'asc', offset: 0, limit: 1 }, signal)
  return { matched: total, more: false }
}

function send(filter: Filter, action: ManyAction, dryRun: boolean, signal: AbortSignal) {
  return action === 'cancel' ? timersApi.cancelMany(filter, dryRun, signal) : timersApi.retryMany(filter, dryRun, signal)
}
