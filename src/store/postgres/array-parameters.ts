// Whole columns as parameters: arrays in PostgreSQL's binary format. The driver's own text arrays cost the main thread
// three times as much, which is the thread that fires timers.

import type { Cell } from '../timer-row.ts'

export type ElementType = 'int2' | 'int4' | 'int8' | 'text' | 'uuid'

const OIDS = { int2: 21, int4: 23, int8: 20, text: 25, uuid: 2950 } as const
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const FIXED_BYTES = { int2: 2, int4: 4, int8: 8, uuid: 16 } as const

/** Every `stride`-th cell from `offset` on; null when all of them are, which stands for as many NULLs as there are rows. */
export function columnParameter(type: ElementType, cells: readonly Cell[], offset = 0, stride = 1): Buffer | null {
  let count = 0
  let nulls = 0
  let textBytes = 0
  for (let at = offset; at < cells.length; at += stride) {
    const cell = cells[at]!
    count++
    if (cell === null) nulls++
    else if (type === 'text') textBytes += Buffer.byteLength(storable(cell as string))
  }
  if (nulls === count && count > 0) return null
  const elementBytes = type === 'text' ? textBytes : (count - nulls) * FIXED_BYTES[type]
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + count * LENGTH_BYTES + elementBytes)
  let end = writeHeader(buffer, OIDS[type], count, nulls > 0)
  for (let at = offset; at < cells.length; at += stride) {
    const cell = cells[at]!
    end = cell === null ? buffer.writeInt32BE(-1, end) : writeElement(buffer, type, cell, end)
  }
  return buffer
}

/** One dimension whose numbering begins at 1. */
function writeHeader(buffer: Buffer, oid: number, count: number, hasNulls: boolean): number {
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(count, 12)
  return buffer.writeInt32BE(1, 16)
}

function writeElement(buffer: Buffer, type: ElementType, cell: string | number, at: number): number {
  if (type === 'text') return writeText(buffer, cell as string, at)
  const begin = buffer.writeInt32BE(FIXED_BYTES[type], at)
  switch (type) {
    case 'int2':
      return buffer.writeInt16BE(cell as number, begin)
    case 'int4':
      return buffer.writeInt32BE(cell as number, begin)
    case 'int8':
      // Two halves: a BigInt for each number would cost ten times as much.
      return buffer.writeUInt32BE((cell as number) >>> 0, buffer.writeInt32BE(Math.floor((cell as number) / 2 ** 32), begin))
    case 'uuid':
      return begin + buffer.write(cell as string, begin, 'hex')
  }
}

function writeText(buffer: Buffer, text: string, at: number): number {
  const begin = at + LENGTH_BYTES
  const bytes = buffer.write(storable(text), begin, 'utf8')
  buffer.writeInt32BE(bytes, at)
  return begin + bytes
}

/** PostgreSQL has no NUL in a text. Ids cannot have one; in what is left, a lost character beats a commit that always fails. */
function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}
