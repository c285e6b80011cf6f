// How many timers a namespace has of each status and kind: kept with every commit, because counting a million rows takes
// a second. Changes gather during a transaction and are written once for each at its end.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { NamespaceScope } from '../store.ts'
import { rangesOf } from './namespaces.ts'

/** Status and kind by their codes. */
export type Count = { readonly namespace: string; readonly status: number; readonly kind: number; readonly count: number }

/** Parameters: the first and the last name. */
export const COUNTS_SQL = `
  SELECT timer_namespace AS namespace, timer_status AS status, timer_kind AS kind, timer_count AS count FROM timer_counts
  WHERE timer_namespace BETWEEN ? AND ? AND timer_count > 0`

/** Those of these namespaces, each once, without reading those of others. */
export function countsIn(counts: StatementSync, scope: NamespaceScope): readonly Count[] {
  const found = new Map<string, readonly Count[]>()
  for (const range of rangesOf(scope)) {
    for (const [namespace, some] of Map.groupBy(counts.all(...range) as unknown as Count[], (one) => one.namespace)) found.set(namespace, some)
  }
  return [...found.values()].flat()
}

const ONCE = 0
const KINDS = 3

export class TimerCounts {
  readonly #changes = new Map<string, number[]>()
  readonly #add: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(`
      INSERT INTO timer_counts (timer_namespace, timer_status, timer_kind, timer_count) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET timer_count = timer_count + excluded.timer_count`)
  }

  /** Status and kind by their codes. */
  add(namespace: string, status: number, count: number, kind = ONCE): void {
    let changes = this.#changes.get(namespace)
    if (changes === undefined) this.#changes.set(namespace, (changes = []))
    const at = status * KINDS + kind
    changes[at] = (changes[at] ?? 0) + count
  }

  flush(): void {
    for (const [namespace, changes] of this.#changes) {
      for (const [at, count] of changes.entries()) {
        if (count !== undefined && count !== 0) this.#add.run(namespace, Math.floor(at / KINDS), at % KINDS, count)
      }
    }
    this.#changes.clear()
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#changes.clear()
  }
}
