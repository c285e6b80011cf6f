// Changes of all timers that match a filter, however many: the service changes a bounded number at a time.

import { invalidInput } from '../errors.ts'
import type { CancelAnswer, RetryAnswer, TimerAnswer } from '../generated.ts'
import type { TimerFilter } from './timer-list.ts'
import type { CallOptions } from '../transport/transport.ts'

/** So far: how many matched, and of these were changed, or could not be any more. */
export type BulkProgress = { readonly matched: number; readonly tooLate: number; readonly changed: number }
export type BulkOptions = CallOptions & {
  /** Only count what would change. */
  readonly dryRun?: boolean | undefined
  /** Told after every request: the service changes a bounded number at a time. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined
}
export type BulkFilter = TimerFilter & {
  /** Without any other filter: every timer of the namespace. */ readonly all?: boolean | undefined
}
/** `more` after a dry run: there are more than it counted. Otherwise: what is left matches, but it is too late for it. */
export type Canceled = CancelAnswer
/** As for those canceled. */
export type Retried = Exclude<RetryAnswer, TimerAnswer>

const CANCEL_NEEDS = ['namespace', 'metadataKey', 'dueFrom', 'dueTo'] as const

/** The server asks for this too, but takes the client's own namespace, which is always sent, for an answer. */
export function checkCancelFilter(filter: BulkFilter): void {
  if (filter.all === true || CANCEL_NEEDS.some((name) => filter[name] !== undefined)) return
  const ways = CANCEL_NEEDS.join(', ')
  throw invalidInput('all', `say which timers: ${ways}, or all: true for every timer of the namespace`)
}

/** Asks until the service says that there are no more. */
export async function askWhileMore(
  ask: () => Promise<Canceled | Retried>,
  { dryRun, onProgress }: Pick<BulkOptions, 'dryRun' | 'onProgress'>,
): Promise<BulkProgress & { readonly more: boolean }> {
  const sums = { matched: 0, tooLate: 0, changed: 0 }
  for (;;) {
    const answer = await ask()
    const changed = 'canceled' in answer ? answer.canceled : answer.retried
    sums.matched += answer.matched
    sums.tooLate += answer.tooLate
    sums.changed += changed
    onProgress?.({ ...sums })
    // Nothing changed although there are more: they are too late, and asking again would find the same ones.
    if (!answer.more || dryRun === true || changed === 0) return { ...sums, more: answer.more }
  }
}
