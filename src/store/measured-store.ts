// Tells how long every operation of a store took, and whether it failed: one decorator for all engines.

import type { Clock } from '../runtime/clock/clock.ts'
import type { Store } from './store.ts'

/** All but those that end it, or are for one engine. */
export type Operation = Exclude<keyof Store, 'capabilities' | 'close' | 'backup'>

export type OperationEnd = {
  readonly operation: Operation
  readonly outcome: 'done' | 'failed'
  readonly durationMs: number
}

export function measuredStore(store: Store, clock: Clock, tell: (end: OperationEnd) => void): Store {
  const measured = (operation: Operation) => async (argument: never) => {
    const startedAt = clock.monotonic()
    let outcome: OperationEnd['outcome'] = 'failed'
    try {
      const answer = await (store[operation] as (given: never) => Promise<unknown>).call(store, argument)
      outcome = 'done'
      return answer
    } finally {
      tell({ operation, outcome, durationMs: clock.monotonic() - startedAt })
    }
  }
  return {
    ...(Object.fromEntries(OPERATIONS.map((name) => [name, measured(name)])) as unknown as Pick<Store, Operation>),
    capabilities: store.capabilities,
    close: () => store.close(),
    backup: (options) => store.backup(options),
  }
}

export const OPERATIONS = Object.keys({
  ping: 0,
  claim: 0,
  release: 0,
  shards: 0,
  beat: 0,
  clusterSecret: 0,
  commit: 0,
  getMany: 0,
  due: 0,
  dueShards: 0,
  expired: 0,
  scan: 0,
  move: 0,
  forgetCounters: 0,
  readEvents: 0,
  removeEvents: 0,
  list: 0,
  page: 0,
  stats: 0,
  tallies: 0,
  upcoming: 0,
  countEvents: 0,
} satisfies Record<Operation, 0>) as Operation[]
