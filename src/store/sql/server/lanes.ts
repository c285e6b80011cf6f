// The connections of a node, by what they are for: commits, beats, reads and slow work do not wait for each other.

import type { QuestionName } from '../questions/questions.ts'

export type Lane =
  /** One connection, pipelined: commits are done in their order. */
  | 'commits'
  /** One connection for beats and claims, which must not wait for anything. */
  | 'ownership'
  /** Short reads that timers and requests wait for. */
  | 'reads'
  /** What may take a while: lists, statistics, pruning, adding up what was counted. */
  | 'slow'
  /** What may take long: pages with exact totals. */
  | 'pages'

export const POOL_SIZE_MIN = 5 // one of each kind

const IDLE_MS = 60_000

export type Lanes<Connections> = Readonly<Record<Lane, Connections>>
export type LaneTimes = {
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly beatWithinMs: number
}
export type LaneOptions = {
  /** How many connections. */
  readonly max: number
  readonly statementTimeoutMs: number
  /** For a connection, and for an answer; longer than the statement's own time. */
  readonly patienceMs?: number
  /** How long an idle connection is kept; forever when 0. */
  readonly idleMs: number
}

export function lanesOf<Connections>(
  { poolSize, statementTimeoutMs, beatWithinMs }: LaneTimes,
  make: (options: LaneOptions, lane: Lane) => Connections,
): Lanes<Connections> {
  const sizes = laneSizes(poolSize)
  const lane = (name: Lane, idleMs: number, times: Partial<LaneOptions> = {}) =>
    make({ max: sizes[name], statementTimeoutMs, idleMs, ...times }, name)
  // The server gives up first, and says so.
  const beats = { statementTimeoutMs: Math.round(beatWithinMs * 0.8), patienceMs: beatWithinMs }
  return {
    commits: lane('commits', 0),
    ownership: lane('ownership', 0, beats),
    reads: lane('reads', IDLE_MS),
    slow: lane('slow', IDLE_MS),
    pages: lane('pages', IDLE_MS),
  }
}

/** How many connections each may have. */
function laneSizes(poolSize: number): Lanes<number> {
  const size = Math.max(poolSize, POOL_SIZE_MIN)
  const slow = Math.max(1, Math.floor((size - 3) / 3))
  return { commits: 1, ownership: 1, reads: size - 3 - slow, slow, pages: 1 }
}

/** Where each question is asked. */
export const LANE_OF: Readonly<Record<QuestionName, Lane>> = {
  getMany: 'reads',
  due: 'reads',
  dueShards: 'reads',
  readEvents: 'reads',
  shards: 'ownership',
  expired: 'slow',
  scan: 'slow',
  removeEvents: 'slow',
  countEvents: 'slow',
  list: 'slow',
  stats: 'slow',
  tallies: 'slow',
  upcoming: 'slow',
  page: 'pages',
}
