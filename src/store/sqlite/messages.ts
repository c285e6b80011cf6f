// What the main thread and the workers say to each other. Batches are flat arrays of primitives: one object
// per row would cost more to hand over than the row takes to write.

import { CELLS_PER_TIMER } from '../timer-row.ts'
import type { Cell } from '../timer-row.ts'
import type { Analyst } from './analyst.ts'
import type { Failure } from './failures.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

export type CommitMessage = {
  /** Per part: shard, epoch, number of puts. */
  readonly parts: readonly number[]
  /** Of each part. */
  readonly owners: readonly string[]
  /**
   * Per put: its cells, its kind's code, the expected version (ABSENT for none) with the codes of that version's status
   * and kind, that version's metadata (SAME when they stay as they are), and its tallies (see packTallies).
   */
  readonly cells: readonly Cell[]
  /** See packEvents; null when no put has any. */
  readonly events: readonly Cell[] | null
}
export const PART_STRIDE = 3
export const PUT_STRIDE = CELLS_PER_TIMER + 6
export const ABSENT = -1
export const SAME = 0

/** Per part: null when fenced, otherwise the puts that missed, with the cells of the row in their way. */
export type CommitReply = readonly (readonly Miss[] | null)[]
export type Miss = { readonly index: number; readonly cells: readonly Cell[] | null }

export type WorkerRole = 'writer' | 'reader' | 'analyst'
export type WorkerOptions = {
  readonly role: WorkerRole
  readonly path: string
  readonly cacheMiB: number
  readonly maxPages?: number | undefined
}

/** What each worker can be asked for. */
export type WriterCalls = Pick<Writer, 'ping' | 'claim' | 'release' | 'commit' | 'removeEvents' | 'prune' | 'close'>
export type ReaderCalls = Pick<Reader, 'getMany' | 'due' | 'list' | 'stats' | 'shards' | 'readEvents' | 'close'>
export type AnalystCalls = Pick<Analyst, 'page' | 'tallies' | 'upcoming' | 'countEvents' | 'close'>

export type Request = { readonly call: number; readonly name: string; readonly argument: unknown }
export type Reply = { readonly call: number; readonly result: unknown } | { readonly call: number; readonly failure: Failure }

/** The call that a worker answers without being asked, once it has opened the database. */
export const OPENED = 0

