// One command on all timers that match a filter, page by page.

import type { Command } from '../core/rules/command.ts'
import { DuetimeError, ErrorCode } from '../core/errors.ts'
import { Status } from '../core/timer/timer.ts'
import type { Timer } from '../core/timer/timer.ts'
import type { Executed } from '../engine/shard-commands.ts'
import { TIMER_PARTS } from '../store/store.ts'
import type { ListFilter, ListPage, ListQuery } from '../store/store.ts'

export type BulkCommand = 'cancel' | 'retry'

/** What it did. `more`: the limit was reached before the last match; ask again. */
export type BulkResult = {
  readonly matched: number
  readonly changed: number
  readonly tooLate: number
  readonly more: boolean
}

export type BulkSurroundings = {
  /** Only count them. */
  readonly dryRun: boolean
  readonly list: (query: ListQuery) => Promise<ListPage>
  readonly execute: (command: Command) => Promise<Executed>
}

const BULK_PAGE = 500
export const BULK_TIMERS_MAX = 10_000 // keeps one request to some seconds; `more` says when to send another

/** In which statuses a timer can be given it. */
const STATUSES: Readonly<Record<BulkCommand, readonly Status[]>> = {
  cancel: [Status.pending, Status.paused],
  retry: [Status.failed],
}

export async function bulkCommand(
  type: BulkCommand,
  filter: ListFilter,
  { dryRun, list, execute }: BulkSurroundings,
): Promise<BulkResult> {
  const statuses = STATUSES[type].filter((status) => filter.statuses?.includes(status) ?? true)
  if (statuses.length === 0) return { matched: 0, changed: 0, tooLate: 0, more: false }
  let [matched, changed, tooLate] = [0, 0, 0]
  let page: ListPage = { timers: [], next: null }
  do {
    const limit = Math.min(BULK_PAGE, BULK_TIMERS_MAX - matched)
    page = await list({ filter: { ...filter, statuses }, after: page.next, limit, omit: TIMER_PARTS })
    matched += page.timers.length
    if (dryRun) continue
    const done = await Promise.all(page.timers.map((timer) => isChanged(execute(commandOn(type, timer)))))
    changed += done.filter(Boolean).length
    tooLate += done.length - done.filter(Boolean).length
  } while (page.next !== null && matched < BULK_TIMERS_MAX)
  return { matched, changed, tooLate, more: page.next !== null }
}

function commandOn(type: BulkCommand, { namespace, id, uuid }: Timer): Command {
  return type === 'cancel' ? { type, namespace, id, uuid, ifVersion: null } : { type, namespace, id, uuid }
}

/** False when the timer went on before its turn came, which is no failure of the whole. */
async function isChanged(executed: Promise<Executed>): Promise<boolean> {
  try {
    await executed
    return true
  } catch (error) {
    const code = error instanceof DuetimeError ? error.code : null
    if (code === ErrorCode.timerNotPending || code === ErrorCode.timerNotFound) return false
    throw error
  }
}
