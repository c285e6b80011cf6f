// Lists and ranges that go in several requests, since each has a limit.

import { keyBehind } from './sort-keys.ts'
import type { Range } from './sort-keys.ts'

const SLICE_FIRST = 138 // about a second; see keyBehind

export function inBatches<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
}

/**
 * The first rows of a range, in order. `read` answers null when there is too much that it would have to walk over; then the range
 * is read in slices, which grow while they are read and shrink when they are not. Null when not even the smallest one can be read.
 */
export async function readInSlices<Row>(
  { from, to }: Range,
  limit: number,
  read: (slice: Range, limit: number) => Promise<readonly Row[] | null>,
): Promise<readonly Row[] | null> {
  const whole = await read({ from, to }, limit)
  if (whole !== null) return whole
  const found: Row[] = []
  for (const size = new SliceSize(); ;) {
    const end = keyBehind(from, size.now, to)
    const rows = await read({ from, to: end }, limit - found.length)
    if (rows === null) {
      if (size.now === 0) return null
      size.refused()
      continue
    }
    for (const row of rows) found.push(row)
    if (end === to || found.length >= limit) return found
    from = `${end}!`
    size.read()
  }
}

/** As a power of two. Some ten questions lead from one key to all of time, and back. */
class SliceSize {
  now = SLICE_FIRST
  #step = 0
  /** This was too large a moment ago. */
  #tooLarge = Infinity

  refused(): void {
    this.#tooLarge = this.now
    this.#step = Math.min(-1, this.#step * 2)
    this.now = Math.max(0, this.now + this.#step)
  }

  read(): void {
    const isBetween = this.#tooLarge < Infinity && this.#tooLarge - this.now > 1
    if (!isBetween) this.#tooLarge = Infinity
    // After a size that was too large, this one is good for two slices at least.
    this.#step = isBetween || this.#step < 0 ? 0 : Math.max(1, this.#step * 2)
    this.now = isBetween ? Math.floor((this.now + this.#tooLarge) / 2) : this.now + this.#step
  }
}
