// Timers as items. An item holds 400 KB, so a large payload is kept beside its row in pieces, written in the same transaction. The row has its hash: a
// reader that got the row and the pieces of two different versions notices, and reads again.

import { createHash } from 'node:crypto'
import { isFinished } from '../../core/timer/timer.ts'
import type { Timer } from '../../core/timer/timer.ts'
import { dueSort } from '../keyed/sort-keys.ts'
import { timerFields, timerOf } from '../keyed/timer-fields.ts'
import type { Item } from '../keyed/timer-fields.ts'
import type { Key } from './items.ts'
import { EXPIRY, pieceKeys } from './keys.ts'
import type { Table } from './table.ts'

const INLINE_BYTES_MAX = 200_000 // the rest of a row has up to 190 KB: headers, metadata and the log of attempts
const PIECE_BYTES = 380_000
const EXPIRY_GRACE_MS = 30 * 86_400_000 // it does not count what it deletes, so the service must be long gone
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
export function timerItem(key: Key, timer: Timer, pieces: readonly Buffer[]): Item {
  const fields = timerFields(pieces.length === 0 ? timer : { ...timer, payload: null })
  // A finished timer is deleted by the service when its retention is over. Where none runs any more, time to live does it later.
  const expiry = isFinished(timer) ? { [EXPIRY]: Math.ceil((timer.wakeAt + EXPIRY_GRACE_MS) / 1_000) } : {}
  const item = { ...key, due: dueSort(timer), ...fields, ...expiry }
  return pieces.length === 0 ? item : { ...item, pc: pieces.length, ph: hashOf(pieces) }
}

/** With its payload; null when its row is gone by now. */
export async function readTimer(table: Table, first: Item): Promise<Timer | null> {
  const key = { pk: first['pk'] as string, sk: first['sk'] as string }
  let item: Item | null = first
  for (let reads = 0; item !== null; reads++) {
    const timer = timerOf(item['due'] as string, item)
    if (item['pc'] === undefined) return timer
    const found = await table.getMany(pieceKeys(key, item['pc'] as number))
    // Nine at most, so their last digits tell the order.
    const pieces = found.toSorted((a, b) => (a['sk']! < b['sk']! ? -1 : 1)).map(({ pa }) => pa as Uint8Array)
    if (hashOf(pieces) === item['ph'])
      return { ...timer, payload: Buffer.concat(pieces).toString() as Timer['payload'] }
    if (reads === READS_MAX) throw new Error(`the payload of ${timer.namespace}/${timer.id} is not that of its row`)
    item = await table.get(key)
  }
  return null
}

function hashOf(pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('base64')
}
