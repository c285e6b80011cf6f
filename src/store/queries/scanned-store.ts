// A whole store from what an engine can do that reads rows in order, counts, and no more: people's questions are answered by
// the shared queries, and after the end every call is refused. For engines whose adapter keeps nothing open but a client.

import { moveByCommits } from '../layout/move-by-commits.ts'
import { OPERATIONS } from '../measured-store.ts'
import type { Operation } from '../measured-store.ts'
import { StoreError } from '../store.ts'
import type { Store, TimerQueries, TimerStore } from '../store.ts'
import { ScanQueries } from './scan-queries.ts'
import type { ScanSource } from './scan-queries.ts'

export type ScannedEngine = Omit<TimerStore, 'close' | 'scan' | 'move'> &
  Pick<TimerQueries, 'countEvents'> & {
    readonly source: ScanSource
    /** Where the engine has a better way than commits. */
    readonly move?: TimerStore['move']
    /** Called once, when nothing is under way any more. */
    readonly disconnect: () => void | Promise<void>
    /** Why there is no backup by this program. */
    readonly noBackup: string
  }

export function scannedStore(engine: ScannedEngine): Store {
  const queries = new ScanQueries(engine.source)
  const underWay = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null
  const operations: Pick<Store, Operation> = {
    move: (move) => moveByCommits(engine, move),
    ...engine,
    scan: (scan) => engine.source.scan(scan),
    list: (query) => queries.list(query),
    page: (query) => queries.page(query),
    stats: (scope = {}) => queries.stats(scope),
    tallies: (query) => queries.tallies(query),
    upcoming: (query) => queries.upcoming(query),
  }
  const guarded = (operation: (argument: never) => Promise<unknown>) => async (argument: never) => {
    if (closing !== null) throw StoreError.lasting('the store is closed')
    const answer = operation(argument)
    underWay.add(answer)
    try {
      return await answer
    } finally {
      underWay.delete(answer)
    }
  }
  return {
    ...(Object.fromEntries(OPERATIONS.map((name) => [name, guarded(operations[name])])) as Pick<Store, Operation>),
    capabilities: engine.capabilities,
    close: () => (closing ??= Promise.allSettled(underWay).then(() => engine.disconnect())),
    backup: async () => {
      throw StoreError.lasting(engine.noBackup)
    },
  }
}
