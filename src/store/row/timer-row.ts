// How a timer is written into one flat row: the codec that all SQL stores share. A row is a run of cells, one per column of
// TIMER_COLUMNS, so that a batch of rows is one flat array: cheap to hand to another thread.

import { isFinished } from '../../core/timer/timer.ts'
import type { JsonText, Namespace, Timer, TimerId, TimerUuid } from '../../core/timer/timer.ts'
import { kindOf } from '../../core/timer/timer-kind.ts'
import type { TimerPart } from '../store.ts'
import { kindCode, statusCode, statusOf } from './codes.ts'
import { CellAt, CELLS_PER_TIMER, RowType } from './columns.ts'
import type { Cell, ColumnName } from './columns.ts'
import { readDocument, writeDocument } from './document.ts'
import { shared } from './shared-texts.ts'
import { withoutParts } from './timer-parts.ts'

const WRITE: Readonly<Record<ColumnName, (timer: Timer) => Cell>> = {
  row_type: rowTypeOf,
  timer_execute_at: ({ wakeAt }) => wakeAt,
  timer_uuid: ({ uuid }) => uuid,
  timer_namespace: ({ namespace }) => namespace,
  timer_id: ({ id }) => id,
  timer_version: ({ version }) => version,
  timer_status: ({ status }) => statusCode(status),
  timer_kind: (timer) => kindCode(kindOf(timer)),
  // Finished timers are listed by it, so it is there even where retention happens to end at the due time.
  timer_due_at: (timer) => (timer.dueAt === timer.wakeAt && !isFinished(timer) ? null : timer.dueAt),
  timer_created_at: ({ createdAt }) => createdAt,
  timer_tenant: ({ tenant }) => tenant,
  timer_payload: ({ payload }) => payload,
  timer_metadata: ({ metadata }) => metadata,
  timer_document: writeDocument,
}

/** In the order of the columns. */
const WRITERS: readonly ((timer: Timer) => Cell)[] = Object.entries(CellAt)
  .toSorted(([, a], [, b]) => a - b)
  .map(([name]) => WRITE[name as ColumnName])

export function rowTypeOf(timer: Pick<Timer, 'status'>): number {
  return isFinished(timer) ? RowType.finished : RowType.live
}

export function appendCells(cells: Cell[], timer: Timer): void {
  for (const write of WRITERS) cells.push(write(timer))
}

/** Many rows are handed over column by column: short lists, and what all rows share can be said once. */
export function appendToColumns(columns: readonly Cell[][], timer: Timer): void {
  for (let at = 0; at < WRITERS.length; at++) columns[at]!.push(WRITERS[at]!(timer))
}

/** The timer whose cells begin at `offset`. */
export function timerAt(cells: readonly Cell[], offset: number): Timer {
  const wakeAt = cells[offset + CellAt.timer_execute_at] as number
  const createdAt = cells[offset + CellAt.timer_created_at] as number
  const dueAt = (cells[offset + CellAt.timer_due_at] as number | null) ?? wakeAt
  const status = statusOf(cells[offset + CellAt.timer_status]!)
  return {
    ...readDocument(cells[offset + CellAt.timer_document] as string, { createdAt, dueAt, status }),
    namespace: shared(cells[offset + CellAt.timer_namespace] as string) as Namespace,
    id: cells[offset + CellAt.timer_id] as TimerId,
    uuid: cells[offset + CellAt.timer_uuid] as TimerUuid,
    version: cells[offset + CellAt.timer_version] as number,
    status,
    dueAt,
    wakeAt,
    createdAt,
    tenant: sharedOrNull(cells[offset + CellAt.timer_tenant] as string | null),
    payload: cells[offset + CellAt.timer_payload] as JsonText | null,
    metadata: cells[offset + CellAt.timer_metadata] as JsonText | null,
  }
}

function sharedOrNull(text: string | null): string | null {
  return text === null ? null : shared(text)
}

export function timersOf(cells: readonly Cell[], omit: readonly TimerPart[] = []): Timer[] {
  const timers: Timer[] = []
  for (let offset = 0; offset < cells.length; offset += CELLS_PER_TIMER)
    timers.push(withoutParts(timerAt(cells, offset), omit))
  return timers
}
