// How many timers a namespace has in each status: kept with every commit, because counting a million rows takes
// a second. Changes gather during a transaction and are written once per namespace and status at its end.

import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class TimerCounts {
  readonly #changes = new Map<string, number[]>()
  readonly #add: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(`
      INSERT INTO timer_counts (timer_namespace, timer_status, timer_count) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET timer_count = timer_count + excluded.timer_count`)
  }

  add(namespace: string, status: number, count: number): void {
    let byStatus = this.#changes.get(namespace)
    if (byStatus === undefined) this.#changes.set(namespace, (byStatus = []))
    byStatus[status] = (byStatus[status] ?? 0) + count
  }

  flush(): void {
    for (const [namespace, byStatus] of this.#changes) {
      for (const [status, count] of byStatus.entries()) {
        if (count !== undefined && count !== 0) this.#add.run(namespace, status, count)
      }
    }
    this.#changes.clear()
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#changes.clear()
  }
}
