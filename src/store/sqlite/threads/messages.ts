// What the main thread and the workers say to each other. Batches are arrays of primitives: one object per row would cost more to
// hand over than the row takes to write.

import { CELLS_PER_TIMER } from '../../row/columns.ts'
import type { Cell } from '../../row/columns.ts'
import type { OwnedShard } from '../../store.ts'
import type { Failure } from '../failures.ts'
import type { Reader } from '../reader.ts'
import type { Writer } from '../writer.ts'

export type PackedPart = {
  readonly shard: number
  readonly epoch: number
  readonly owner: string
  readonly puts: PackedPuts
  /** See DeleteAt. */
  readonly deletes: readonly Cell[]
  /** Namespace, slot, name, amount of each. */
  readonly counters: readonly Cell[]
  /** Uuid, namespace, type, id, time, body of each. */
  readonly events: readonly Cell[]
}

/** A list for each column, as CellAt and PutAt say: a cell for each put, or the only one where all have the same. */
export type PackedPuts = { readonly count: number; readonly columns: readonly (readonly Cell[])[] }

export type PackedMove = { readonly from: OwnedShard; readonly to: OwnedShard; readonly uuids: readonly string[] }

/** The columns of a put behind those of the timer. */
export const PutAt = {
  /** ABSENT: no row may be there. */
  expectedVersion: CELLS_PER_TIMER,
  /** One of Keeps. Payloads are large, and most changes leave them alone; the cell of one that stays is NULL. */
  keeps: CELLS_PER_TIMER + 1,
  /** The metadata that the row had, as JSON text; SAME when they stay as they are. */
  metadataBefore: CELLS_PER_TIMER + 2,
} as const
export const PUT_COLUMNS = CELLS_PER_TIMER + 3
export const ABSENT = -1
export const SAME = 0

/** What of a row stays as it is. `creation`: when the timer was created and whether it repeats; nearly all that keeps its payload. */
export const Keeps = { nothing: 0, payload: 1, payloadAndCreation: 2 } as const

export const DeleteAt = { uuid: 0, version: 1, namespace: 2, metadata: 3 } as const
export const DELETE_STRIDE = 4
export const COUNTER_STRIDE = 4
export const EVENT_STRIDE = 6

/** Per part: null when it was fenced, otherwise the rows in the way by their uuids; it was written when there are none. */
export type CommitReply = readonly (readonly Miss[] | null)[]
export type Miss = readonly [uuid: string, cells: readonly Cell[] | null]

export type WorkerRole = 'writer' | 'reader' | 'analyst'
export type WorkerOptions = {
  readonly role: WorkerRole
  readonly path: string
  readonly cacheMiB: number
  readonly maxPages?: number | undefined
}

/** A thread starts and loads its code first, and opens the database when it is asked to. */
type Opens = { open(nothing: undefined): void }

/** What each worker can be asked for. One that is closed ends, also if it never opened anything. */
export type WriterCalls = Pick<
  Writer,
  'ping' | 'claim' | 'release' | 'commit' | 'move' | 'forgetCounters' | 'answer' | 'close'
> &
  Opens
export type ReaderCalls = Pick<Reader, 'answer' | 'close'> & Opens

export type Request = { readonly call: number; readonly name: string; readonly argument: unknown }
export type Reply =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly failure: Failure }
