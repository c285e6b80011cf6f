// Timers as items: the columns of a row under short names, since every byte of a name is paid for with each item. An item
// holds 400 KB, so a large payload is kept beside its row in pieces, written in the same transaction. The row has its hash: a
// reader that got the row and the pieces of two different versions notices, and reads again.

import { createHash } from 'node:crypto'
import type { ShardId, Timer } from '../../core/timer/timer.ts'
import { CELLS_PER_TIMER, CellAt } from '../row/columns.ts'
import type { Cell, ColumnName } from '../row/columns.ts'
import { appendCells, timerAt } from '../row/timer-row.ts'
import type { Item, Value } from './items.ts'
import { dueCells, dueSort, pieceKeys, timerKey } from './keys.ts'
import type { Table } from './table.ts'

/** Type, wake time and uuid are in the keys. */
const ATTRIBUTES: readonly (readonly [string, ColumnName])[] = [
  ['ns', 'timer_namespace'],
  ['id', 'timer_id'],
  ['v', 'timer_version'],
  ['st', 'timer_status'],
  ['ki', 'timer_kind'],
  ['da', 'timer_due_at'],
  ['ca', 'timer_created_at'],
  ['te', 'timer_tenant'],
  ['pa', 'timer_payload'],
  ['me', 'timer_metadata'],
  ['do', 'timer_document'],
]
const INLINE_BYTES_MAX = 200_000 // the rest of a row has up to 190 KB: headers, metadata and the log of attempts
const PIECE_BYTES = 380_000
const READS_MAX = 10 // of a row that is being replaced at the same time

/** Of the payload, where it is large; none where it is in the row. */
export function payloadPieces(payload: string | null): readonly Buffer[] {
  if (payload === null || payload.length * 3 <= INLINE_BYTES_MAX) return []
  const bytes = Buffer.from(payload)
  if (bytes.length <= INLINE_BYTES_MAX) return []
  const count = Math.ceil(bytes.length / PIECE_BYTES)
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES))
}

/** `pc`: the number of pieces; `ph`: the hash of the payload. */
export function timerItem(shard: ShardId, timer: Timer, pieces: readonly Buffer[]): Item {
  const cells: Cell[] = []
  appendCells(cells, pieces.length === 0 ? timer : { ...timer, payload: null })
  const item: Record<string, Value> = {
    ...timerKey(shard, timer.uuid),
    due: dueSort(timer, cells[CellAt.row_type] as number),
  }
  for (const [attribute, column] of ATTRIBUTES) {
    const cell = cells[CellAt[column]]!
    if (cell !== null) item[attribute] = cell
  }
  return pieces.length === 0 ? item : { ...item, pc: pieces.length, ph: hashOf(pieces) }
}

/** With its payload; null when its row is gone by now. */
export async function readTimer(table: Table, shard: ShardId, first: Item): Promise<Timer | null> {
  let item: Item | null = first
  for (let reads = 0; item !== null; reads++) {
    const timer = timerOf(item)
    if (item['pc'] === undefined) return timer
    const found = await table.getMany(pieceKeys(shard, timer.uuid, item['pc'] as number))
    // Nine at most, so their last digits tell the order.
    const pieces = found.toSorted((a, b) => (a['sk']! < b['sk']! ? -1 : 1)).map(({ pa }) => pa as Uint8Array)
    if (hashOf(pieces) === item['ph'])
      return { ...timer, payload: Buffer.concat(pieces).toString() as Timer['payload'] }
    if (reads === READS_MAX) throw new Error(`the payload of ${timer.namespace}/${timer.id} is not that of its row`)
    item = await table.get(timerKey(shard, timer.uuid))
  }
  return null
}

/** Without its payload, if that is kept in pieces. */
function timerOf(item: Item): Timer {
  const cells: Cell[] = Array.from({ length: CELLS_PER_TIMER }, () => null)
  const [rowType, wakeAt, uuid] = dueCells(item['due'] as string)
  cells[CellAt.row_type] = rowType
  cells[CellAt.timer_execute_at] = wakeAt
  cells[CellAt.timer_uuid] = uuid
  for (const [attribute, column] of ATTRIBUTES) cells[CellAt[column]] = (item[attribute] as Cell | undefined) ?? null
  return timerAt(cells, 0)
}

function hashOf(pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('base64')
}
