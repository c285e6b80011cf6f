// A store whose due scans are answered when the test says so, from what is stored at the beginning or at the end of
// the scan: the two extremes of what a database may do while commits go on beside it.

import { shareGroupOf } from '../../core/timer/share-group.ts'
import { compareKeys } from '../../core/timer/order.ts'
import { isFinished } from '../../core/timer/timer.ts'
import type { Timer, TimerUuid } from '../../core/timer/timer.ts'
import type { DueScan, Store } from '../../store/store.ts'

export type Scan = {
  readonly scan: DueScan
  /** The rows as they are now, not as they were when the scan began. */
  answerLate(): void
  answer(): void
  fail(error: Error): void
}

export class PagedStore implements Pick<Store, 'due'> {
  readonly rows = new Map<TimerUuid, Timer>()
  /** Begun and not answered yet. */
  readonly scans: Scan[] = []
  /** Answer at once. */
  isPrompt = true
  /** How many scans there were. */
  reads = 0

  put(...timers: readonly Timer[]): void {
    for (const timer of timers) this.rows.set(timer.uuid, timer)
  }

  due(scan: DueScan): Promise<readonly Timer[]> {
    this.reads++
    const rows = this.#page(scan)
    if (this.isPrompt) return Promise.resolve(rows)
    return new Promise((resolve, reject) => {
      const ended =
        <Args extends unknown[]>(end: (...args: Args) => void) =>
        (...args: Args): void => {
          this.scans.splice(this.scans.indexOf(pending), 1)
          end(...args)
        }
      const pending: Scan = {
        scan,
        answer: ended(() => resolve(rows)),
        answerLate: ended(() => resolve(this.#page(scan))),
        fail: ended(reject),
      }
      this.scans.push(pending)
    })
  }

  #page({ after, until, limit, group, except = [] }: DueScan): Timer[] {
    return [...this.rows.values()]
      .filter((row) => !isFinished(row) && row.wakeAt <= until && (after === null || compareKeys(row, after) > 0))
      .filter((row) => (group === undefined || shareGroupOf(row) === group) && !except.includes(shareGroupOf(row)))
      .toSorted(compareKeys)
      .slice(0, limit)
  }
}
