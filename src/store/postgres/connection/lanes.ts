// The connections of a node to PostgreSQL, one kind for each lane.

import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import { laneSizes } from '../../sql/server/lanes.ts'
import type { Lane } from '../../sql/server/lanes.ts'
import { Connections } from './connections.ts'

const IDLE_MS = 60_000

export type Lanes = Readonly<Record<Lane, Connections>>
type LaneOptions = { readonly poolSize: number; readonly statementTimeoutMs: number; readonly beatWithinMs: number }

export function lanesFor(location: PostgresLocation, options: LaneOptions): Lanes {
  const { poolSize, statementTimeoutMs, beatWithinMs } = options
  const shared = { location, statementTimeoutMs, plans: 'once' } as const
  // The server gives up first, and says so.
  const beats = { statementTimeoutMs: Math.round(beatWithinMs * 0.8), patienceMs: beatWithinMs }
  const max = laneSizes(poolSize)
  return {
    commits: new Connections({ ...shared, max: max.commits, idleMs: 0, pipelined: true }),
    ownership: new Connections({ ...shared, ...beats, max: max.ownership, idleMs: 0 }),
    reads: new Connections({ ...shared, max: max.reads, idleMs: IDLE_MS }),
    slow: new Connections({ ...shared, max: max.slow, idleMs: IDLE_MS }),
    pages: new Connections({ ...shared, max: max.pages, idleMs: IDLE_MS, plans: 'each time' }),
  }
}
