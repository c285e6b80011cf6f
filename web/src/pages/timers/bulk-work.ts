// Doing something to many timers: to those that are ticked, a few at a time, or to all that match, by the service's
// own routes for many. Both tell how far they are, and stop when asked to.

import { DuetimeError } from '@duetime/client'
import type { BulkOptions, BulkProgress } from '@duetime/client'
import { duetime, isAbort } from '../../api/client.ts'
import type { Filter, ListedTimer, Status } from '../../api/timer.ts'

export const ACTIONS = {
  cancel: {
    name: 'Cancel',
    done: 'Canceled',
    fits: ({ status }: ListedTimer) => status === 'pending' || status === 'paused',
    call: (timer: ListedTimer) => duetime.cancel(timer),
  },
  retry: {
    name: 'Retry',
    done: 'Retried',
    fits: ({ status }: ListedTimer) => status === 'failed',
    call: (timer: ListedTimer) => duetime.retry(timer),
  },
  pause: {
    name: 'Pause',
    done: 'Paused',
    fits: ({ status }: ListedTimer) => status === 'pending',
    call: (timer: ListedTimer) => duetime.pause(timer),
  },
  resume: {
    name: 'Resume',
    done: 'Resumed',
    fits: ({ status }: ListedTimer) => status === 'paused',
    call: (timer: ListedTimer) => duetime.resume(timer),
  },
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
  timers: readonly ListedTimer[],
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
        await ACTIONS[action].call(timer)
        done++
      } catch (error) {
        failed++
        const message = error instanceof Error ? error.message : String(error)
        if (failures.length < FAILURES_SHOWN) failures.push({ id: timer.id, message })
        // Nobody will be let through with this key: the rest need not be tried.
        if (error instanceof DuetimeError && (error.status === 401 || error.status === 403)) return
      }
      onProgress({ done, failed, failures: [...failures] })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { done, failed, failures }
}

/** Until nothing is left. */
export async function actOnAll(
  filter: Filter,
  action: ManyAction,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Progress> {
  let progress: Progress = { done: 0, failed: 0, failures: [] }
  const note = ({ changed, tooLate }: BulkProgress) => {
    progress = { done: changed, failed: tooLate, failures: [] }
    onProgress(progress)
  }
  try {
    await many(action)(filter, { signal, onProgress: note })
  } catch (error) {
    // Stopped on request: what was done until then is done.
    if (!isAbort(error)) throw error
  }
  return progress
}

/** A dry run. It counts so many at most; what is beyond is counted by a list, where a list can. */
export async function countAll(
  filter: Filter,
  action: ManyAction,
  signal: AbortSignal,
): Promise<{ readonly matched: number; readonly more: boolean }> {
  const { matched, more } = await many(action)(filter, { dryRun: true, signal })
  if (!more || filter.dueFrom !== undefined || filter.dueTo !== undefined) return { matched, more }
  const open: readonly Status[] = action === 'cancel' ? ['pending', 'paused'] : ['failed']
  const status = open.filter((one) => filter.status?.includes(one) ?? true)
  const { total = matched } = await duetime.page({ ...filter, status, sort: 'dueAt', limit: 1 }, { signal })
  return { matched: total, more: false }
}

function many(action: ManyAction) {
  return (filter: Filter, options: BulkOptions) =>
    action === 'cancel' ? duetime.cancelMany({ ...filter, all: true }, options) : duetime.retryMany(filter, options)
}
