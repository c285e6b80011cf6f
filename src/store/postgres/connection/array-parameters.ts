// Whole columns as parameters: arrays in PostgreSQL's binary format. The driver's own text arrays cost the main thread
// three times as much, which is the thread that fires timers.

import type { Cell } from '../../row/columns.ts'

export type ElementType = 'int2' | 'int4' | 'int8' | 'text' | 'uuid'

const OIDS = { int2: 21, int4: 23, int8: 20, text: 25, uuid: 2950 } as const
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const FIXED_BYTES = { int2: 2, int4: 4, int8: 8, uuid: 16 } as const

/** Every `stride`-th cell from `offset` on; null when all of them are, which stands for as many NULLs as there are rows. */
export function columnParameter(type: ElementType, cells: readonly Cell[], offset = 0, stride = 1): Buffer | null {
  return type === 'text' ? textColumn(cells, offset, stride) : fixedColumn(type, cells, offset, stride)
}

function fixedColumn(
  type: Exclude<ElementType, 'text'>,
  cells: readonly Cell[],
  offset: number,
  stride: number,
): Buffer | null {
  const { count, nulls } = countsOf(cells, offset, stride)
  if (nulls === count && count > 0) return null
  const bytes = FIXED_BYTES[type]
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + count * LENGTH_BYTES + (count - nulls) * bytes)
  let end = writeHeader(buffer, OIDS[type], count, nulls > 0)
  for (let at = offset; at < cells.length; at += stride) {
    const cell = cells[at]!
    if (cell === null) end = writeInt4(buffer, -1, end)
    else end = writeFixed(buffer, type, cell, writeInt4(buffer, bytes, end))
  }
  return buffer
}

function textColumn(cells: readonly Cell[], offset: number, stride: number): Buffer | null {
  const { count, nulls } = countsOf(cells, offset, stride)
  if (nulls === count && count > 0) return null
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + count * LENGTH_BYTES + textBytes(cells, offset, stride))
  let end = writeHeader(buffer, OIDS.text, count, nulls > 0)
  // Timers of one commit share many texts: namespace, protocol, often the target. What was just written is copied.
  let last: Cell = null
  let lastFrom = 0
  for (let at = offset; at < cells.length; at += stride) {
    const cell = cells[at]!
    if (cell === null) end = writeInt4(buffer, -1, end)
    else if (cell === last) {
      const from = end
      end += lastLength(buffer, lastFrom)
      buffer.copyWithin(from, lastFrom, lastFrom + end - from)
    } else {
      last = cell
      lastFrom = end
      end = writeText(buffer, cell as string, end)
    }
  }
  return buffer
}

function countsOf(cells: readonly Cell[], offset: number, stride: number): { count: number; nulls: number } {
  let count = 0
  let nulls = 0
  for (let at = offset; at < cells.length; at += stride) {
    count++
    if (cells[at] === null) nulls++
  }
  return { count, nulls }
}

function textBytes(cells: readonly Cell[], offset: number, stride: number): number {
  let total = 0
  let last: Cell = null
  let lastBytes = 0
  for (let at = offset; at < cells.length; at += stride) {
    const cell = cells[at]!
    if (cell === null) continue
    if (cell !== last) {
      last = cell
      lastBytes = Buffer.byteLength(storable(cell as string))
    }
    total += lastBytes
  }
  return total
}

/** One dimension whose numbering begins at 1. */
function writeHeader(buffer: Buffer, oid: number, count: number, hasNulls: boolean): number {
  writeInt4(buffer, 1, 0)
  writeInt4(buffer, hasNulls ? 1 : 0, 4)
  writeInt4(buffer, oid, 8)
  writeInt4(buffer, count, 12)
  return writeInt4(buffer, 1, 16)
}

function writeFixed(buffer: Buffer, type: Exclude<ElementType, 'text'>, cell: string | number, at: number): number {
  switch (type) {
    case 'int2':
      buffer[at] = (cell as number) >> 8
      buffer[at + 1] = cell as number
      return at + 2
    case 'int4':
      return writeInt4(buffer, cell as number, at)
    case 'int8':
      // Two halves: a BigInt for each number would cost ten times as much.
      return writeInt4(buffer, (cell as number) >>> 0, writeInt4(buffer, Math.floor((cell as number) / 2 ** 32), at))
    case 'uuid':
      return at + buffer.write(cell as string, at, 'hex')
  }
}

/** Byte by byte, which is compiled to four stores; Buffer's own methods check everything again for each of some ten thousand numbers. */
function writeInt4(buffer: Buffer, value: number, at: number): number {
  buffer[at] = value >>> 24
  buffer[at + 1] = value >>> 16
  buffer[at + 2] = value >>> 8
  buffer[at + 3] = value
  return at + 4
}

function writeText(buffer: Buffer, text: string, at: number): number {
  const begin = at + LENGTH_BYTES
  const bytes = buffer.write(storable(text), begin, 'utf8')
  writeInt4(buffer, bytes, at)
  return begin + bytes
}

/** Of a text that was written at `from`, with what stands before it. */
function lastLength(buffer: Buffer, from: number): number {
  return LENGTH_BYTES + buffer.readInt32BE(from)
}

/** PostgreSQL has no NUL in a text. Entry points let none in (core/json/storable-text.ts); should one get here, a lost character beats a commit that always fails. */
function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}
