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

/** How many connections each may have. */
export function laneSizes(poolSize: number): Readonly<Record<Lane, number>> {
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
  removeEvents: 'slow',
  countEvents: 'slow',
  list: 'slow',
  stats: 'slow',
  tallies: 'slow',
  upcoming: 'slow',
  page: 'pages',
}
