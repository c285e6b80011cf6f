// A file of timers as the service wants them: NDJSON, a JSON array, or CSV with a line of names. Rows that were
// exported carry more than a timer can be made of; what the service decides itself is left out.

import { repeats } from '../../schedule/schedule-form.ts'
import { JSON_COLUMNS, parseCsv } from './csv.ts'

export type ImportRow =
  | { readonly line: number; readonly timer: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly fault: string }

export const FILE_BYTES_MAX = 32 * 1_024 * 1_024 // held in memory as a whole; `duetime import` takes any size
const ROWS_AT_ONCE = 2_000 // some milliseconds of work, then the page may draw

const FIELDS = [
  'namespace',
  'id',
  'executeAt',
  'schedule',
  'timeZone',
  'dst',
  'startAt',
  'endAt',
  'maxFirings',
  'spread',
  'catchUp',
  'maxLateness',
  'overlap',
  'callbackUrl',
  'callback',
  'payload',
  'metadata',
  'retryPolicy',
  'callbackTimeout',
] as const

/** Throws when the file is none of the three. */
export async function readRows(text: string, fileName: string): Promise<readonly ImportRow[]> {
  const isCsv = /\.csv$/i.test(fileName)
  const source = isCsv ? csvRows(text) : text.trimStart().startsWith('[') ? arrayRows(text) : lineRows(text)
  const rows: ImportRow[] = []
  for (const row of source) {
    rows.push(row)
    if (rows.length % ROWS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve))
  }
  return rows
}

function* arrayRows(text: string): Generator<ImportRow> {
  const values = JSON.parse(text) as readonly unknown[]
  for (const [index, value] of values.entries()) yield toRow(value, index + 1)
}

function* lineRows(text: string): Generator<ImportRow> {
  let line = 0
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from)
    const to = newline === -1 ? text.length : newline
    line++
    const content = text.slice(from, to)
    if (content.trim() !== '') yield jsonLine(content, line)
    from = to + 1
  }
}

function jsonLine(content: string, line: number): ImportRow {
  try {
    return toRow(JSON.parse(content) as unknown, line)
  } catch {
    return { line, fault: 'this line is not JSON' }
  }
}

function* csvRows(text: string): Generator<ImportRow> {
  let names: readonly string[] | null = null
  let line = 0
  for (const cells of parseCsv(text)) {
    line++
    if (names === null) names = cells
    else yield csvRow(names, cells, line)
  }
}

function csvRow(names: readonly string[], cells: readonly string[], line: number): ImportRow {
  const value: Record<string, unknown> = {}
  for (const [column, name] of names.entries()) {
    // The quote that the export puts before what a spreadsheet would take for a formula.
    const cell = (cells[column] ?? '').replace(/^'(?='*[=+\-@\t\r])/, '')
    if (cell === '') continue
    try {
      value[name] = JSON_COLUMNS.has(name) ? (JSON.parse(cell) as unknown) : cell
    } catch {
      return { line, fault: `${name} is not JSON` }
    }
  }
  return toRow(value, line)
}

function toRow(value: unknown, line: number): ImportRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { line, fault: 'not an object' }
  const source = value as Record<string, unknown>
  const timer: Record<string, unknown> = {}
  for (const field of FIELDS) if (source[field] !== undefined && source[field] !== null) timer[field] = source[field]
  // Both are in an export, and only one may be in a create.
  if (timer['callback'] !== undefined) delete timer['callbackUrl']
  if (typeof timer['schedule'] === 'string' && timer['executeAt'] !== undefined) {
    // What repeats goes on by its schedule; of a duration it is the due time that matters by now.
    if (repeats(timer['schedule'])) delete timer['executeAt']
    else delete timer['schedule']
  }
  if (timer['schedule'] === undefined) {
    for (const field of ['timeZone', 'dst', 'startAt', 'endAt', 'maxFirings', 'spread', 'catchUp']) delete timer[field]
  }
  const hasHidden = JSON.stringify(timer['callback'] ?? null).includes('"***"')
  return hasHidden
    ? { line, fault: 'its callback headers were hidden by the export (***); fill in their values' }
    : { line, timer }
}
