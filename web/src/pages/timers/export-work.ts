// All timers that match, page by page, into a file. Only one page is held as objects at a time; the file's parts are
// handed to the browser, which may keep them on disk.

import { duetime } from '../../api/client.ts'
import { serverClock } from '../../api/server-clock.ts'
import type { Timer } from '../../api/timer.ts'
import { csvLine, CSV_COLUMNS } from './csv.ts'
import { filterOf } from './view.ts'
import type { View } from './view.ts'

export const FORMATS = { csv: 'CSV', json: 'JSON', ndjson: 'NDJSON (one timer per line)' } as const
export type Format = keyof typeof FORMATS

const MIME: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
}
const PAGE = 1_000

export async function exportTimers(
  view: View,
  format: Format,
  onProgress: (written: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const parts: Blob[] = [new Blob([format === 'csv' ? `${CSV_COLUMNS.join(',')}\r\n` : format === 'json' ? '[' : ''])]
  let written = 0
  for await (const timers of pages(view, signal)) {
    parts.push(new Blob([timers.map((timer, index) => lineOf(timer, format, written + index === 0)).join('')]))
    written += timers.length
    onProgress(written)
  }
  if (format === 'json') parts.push(new Blob([written === 0 ? ']\n' : '\n]\n']))
  return new Blob(parts, { type: MIME[format] })
}

function lineOf(timer: Timer, format: Format, isFirst: boolean): string {
  if (format === 'csv') return csvLine(timer)
  return format === 'ndjson' ? `${JSON.stringify(timer)}\n` : `${isFirst ? '\n' : ',\n'}${JSON.stringify(timer)}`
}

/** A walk by cursor misses and repeats nothing, however long it takes; a search answers by offset only. */
async function* pages(view: View, signal: AbortSignal): AsyncGenerator<readonly Timer[]> {
  const order = view.search === '' ? {} : { sort: view.sort, order: view.order }
  const query = { ...filterOf(view, serverClock.now()), ...order, limit: PAGE }
  for await (const { timers } of duetime.list(query, { signal }).pages()) yield timers
}

export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken what it needs once the click is done, but not all of them at once.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
