// Timers as rows of a table and back. What is JSON inside a timer is JSON in its cell.

import type { Timer } from '../../api/timer.ts'

export const CSV_COLUMNS = [
  'namespace',
  'id',
  'status',
  'executeAt',
  'schedule',
  'timeZone',
  'callbackUrl',
  'callback',
  'payload',
  'metadata',
  'retryPolicy',
  'callbackTimeout',
  'createdAt',
  'executedAt',
  'attemptCount',
  'lastError',
] as const

/** These hold JSON, whatever is in them. */
export const JSON_COLUMNS: ReadonlySet<string> = new Set(['callback', 'payload', 'metadata', 'retryPolicy'])

export function csvLine(timer: Timer): string {
  return `${CSV_COLUMNS.map((column) => cell(timer[column], JSON_COLUMNS.has(column))).join(',')}\r\n`
}

function cell(value: unknown, isJson: boolean): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' && !isJson ? value : JSON.stringify(value)
  // Spreadsheets take cells that begin like this for formulas, and would run them.
  const safe = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows of cells, one after the other; empty lines are skipped. Quoted cells may have commas, quotes and line breaks in them. */
export function* parseCsv(text: string): Generator<string[]> {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  let row: string[] = []
  for (let at = 0; at < source.length;) {
    const { value, end } = source[at] === '"' ? quoted(source, at + 1) : bare(source, at)
    row.push(value)
    at = end
    if (source[at] === ',') {
      at++
      if (at < source.length) continue
      row.push('')
    }
    if (row.some((one) => one !== '')) yield row
    row = []
    if (source[at] === '\r') at++
    if (source[at] === '\n') at++
  }
}

function bare(source: string, from: number): { value: string; end: number } {
  let end = from
  while (end < source.length && source[end] !== ',' && source[end] !== '\n' && source[end] !== '\r') end++
  return { value: source.slice(from, end), end }
}

function quoted(source: string, from: number): { value: string; end: number } {
  let value = ''
  let at = from
  for (;;) {
    const quote = source.indexOf('"', at)
    if (quote === -1) return { value: value + source.slice(at), end: source.length }
    value += source.slice(at, quote)
    if (source[quote + 1] !== '"') return { value, end: quote + 1 }
    value += '"'
    at = quote + 2
  }
}
