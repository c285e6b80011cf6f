// What a terminal shows for the bytes that a program sent it, as HTML: as much of a terminal as Duetime's commands and
// the line editor of Node need.

type Cell = { readonly character: string; readonly classes: string }
type Cursor = { row: number; column: number }

const ESCAPE = '\u001B'
/** Sequences that begin with escape: parameters, then the letter that says what to do. Otherwise one character. */
const TOKENS = new RegExp(`${ESCAPE}\\[([?\\d;]*)([A-Za-z])|([\\s\\S])`, 'gu')
const CLASSES: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
}
const ENDS: Readonly<Record<string, readonly string[]>> = {
  22: ['bold', 'dim'],
  39: ['red', 'green', 'yellow', 'cyan'],
}
const BLANK: Cell = { character: ' ', classes: '' }

export function screenHtml(output: string, columns: number): string {
  const rows: Cell[][] = [[]]
  const cursor: Cursor = { row: 0, column: 0 }
  let styles = new Set<string>()
  for (const [, parameters = '', command, character] of output.matchAll(TOKENS)) {
    if (character !== undefined) write(rows, cursor, { character, classes: [...styles].join(' ') }, columns)
    else if (command === 'm') styles = restyled(styles, parameters)
    else obey(rows, cursor, command!, Number(parameters))
  }
  return rows.map(rowHtml).join('\n').trimEnd()
}

function write(rows: Cell[][], cursor: Cursor, cell: Cell, columns: number): void {
  if (cell.character === '\r') return void (cursor.column = 0)
  if (cell.character < ' ' && cell.character !== '\n') return
  if (cell.character === '\n' || cursor.column === columns) {
    cursor.row++
    cursor.column = cell.character === '\n' ? cursor.column : 0
    rows[cursor.row] ??= []
  }
  if (cell.character === '\n') return
  const row = rows[cursor.row]!
  while (row.length < cursor.column) row.push(BLANK)
  row[cursor.column++] = cell
}

function obey(rows: Cell[][], cursor: Cursor, command: string, number: number): void {
  if (command === 'G') cursor.column = Math.max(number, 1) - 1
  if (command === 'C') cursor.column += Math.max(number, 1)
  if (command === 'D') cursor.column = Math.max(cursor.column - Math.max(number, 1), 0)
  if (command === 'A') cursor.row = Math.max(cursor.row - Math.max(number, 1), 0)
  if (command === 'K' || command === 'J') rows[cursor.row]!.length = Math.min(rows[cursor.row]!.length, cursor.column)
  if (command === 'J') rows.length = cursor.row + 1
}

function restyled(styles: ReadonlySet<string>, parameters: string): Set<string> {
  let next = new Set(styles)
  for (const code of parameters.split(';')) {
    if (Number(code) === 0) next = new Set()
    if (CLASSES[code] !== undefined) next.add(CLASSES[code])
    for (const ended of ENDS[code] ?? []) next.delete(ended)
  }
  return next
}

function rowHtml(row: readonly Cell[]): string {
  let html = ''
  let open = ''
  for (const { character, classes } of row) {
    if (classes !== open) html += `${open === '' ? '' : '</span>'}${classes === '' ? '' : `<span class="${classes}">`}`
    open = classes
    html += escapeHtml(character)
  }
  return open === '' ? html : `${html}</span>`
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
