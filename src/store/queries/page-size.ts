// The first of some timers, as many as fit on a page: it ends at its limit or at its size in bytes.

import { PAGE_BYTES_MAX } from '../../core/limits.ts'
import type { Timer } from '../../core/timer/timer.ts'
import { rowBytes, withoutParts } from '../row/timer-parts.ts'
import { appendCells } from '../row/timer-row.ts'
import type { Cell } from '../row/columns.ts'
import type { PageSize } from '../store.ts'

/** One at least, if there are any. */
export function fitting(timers: readonly Timer[], { limit, omit = [], bytesMax = PAGE_BYTES_MAX }: PageSize): Timer[] {
  const page: Timer[] = []
  let bytes = 0
  for (const whole of timers.slice(0, limit)) {
    const timer = withoutParts(whole, omit)
    bytes += storedBytes(timer)
    if (bytes > bytesMax && page.length > 0) break
    page.push(timer)
  }
  return page
}

function storedBytes(timer: Timer): number {
  const cells: Cell[] = []
  appendCells(cells, timer)
  return rowBytes(cells)
}
