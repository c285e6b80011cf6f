// Rows under headings. On a terminal the table fits its width: columns that may shrink give way, the widest first.

import type { Style, Terminal } from '../command/terminal.ts'
import { cut, visible, widthOf } from './visible-text.ts'

export type Column = {
  readonly title: string
  readonly align?: 'right'
  /** May be cut to so many cells where there is no room. */
  readonly shrinksTo?: number
  /** Left out where there is no room even so. */
  readonly isDroppable?: true
}
export type Cell = string | { readonly text: string; readonly style: Style }
export type Row = readonly Cell[]

const GAP = '  '

export function table(
  columns: readonly Column[],
  rows: readonly Row[],
  terminal: Pick<Terminal, 'columns' | 'paint'>,
): string {
  const texts = rows.map((row) => row.map((cell) => visible(textOf(cell))))
  const natural = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...texts.map((row) => widthOf(row[index]!))),
  )
  const widths = terminal.columns === null ? natural : fitted(natural, columns, terminal.columns)
  const line = (cells: readonly string[], style: (text: string, index: number) => string) => {
    const shown = cells.flatMap((cell, index) => {
      const width = widths[index]!
      return width === 0 ? [] : [style(padded(cut(cell, width), width, columns[index]!), index)]
    })
    return `${shown.join(GAP).trimEnd()}\n`
  }
  const heading = line(
    columns.map(({ title }) => title),
    (text) => terminal.paint('bold', text),
  )
  const body = texts.map((cells, row) => line(cells, (text, index) => styled(rows[row]![index]!, text, terminal)))
  return heading + body.join('')
}

/** The widths; 0 for a column that is left out. */
function fitted(natural: readonly number[], columns: readonly Column[], room: number): readonly number[] {
  const widths = shrunk(natural, columns, room)
  const least = columns.findLastIndex(({ isDroppable }, index) => isDroppable === true && widths[index] !== 0)
  if (total(widths) <= room || least < 0) return widths
  return fitted(natural.with(least, 0), columns, room)
}

function total(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0)
  return shown.reduce((sum, width) => sum + width, 0) + GAP.length * (shown.length - 1)
}

function shrunk(natural: readonly number[], columns: readonly Column[], room: number): readonly number[] {
  const widths = [...natural]
  for (let excess = total(widths) - room; excess > 0; excess--) {
    const candidates = widths.flatMap((width, index) =>
      width > (columns[index]!.shrinksTo ?? Infinity) ? [{ width, index }] : [],
    )
    if (candidates.length === 0) break
    widths[candidates.reduce((a, b) => (b.width > a.width ? b : a)).index]!--
  }
  return widths
}

function padded(text: string, width: number, { align }: Column): string {
  const blank = ' '.repeat(Math.max(width - widthOf(text), 0))
  return align === 'right' ? blank + text : text + blank
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

function styled(cell: Cell, text: string, { paint }: Pick<Terminal, 'paint'>): string {
  return typeof cell === 'string' ? text : paint(cell.style, text)
}

/** Facts about one thing, a line each. */
export function facts(
  pairs: readonly (readonly [label: string, value: Cell] | null)[],
  { paint }: Pick<Terminal, 'paint'>,
): string {
  const shown = pairs.filter((pair) => pair !== null)
  const width = Math.max(...shown.map(([label]) => label.length))
  return shown
    .map(
      ([label, value]) => `${paint('dim', label.padEnd(width))}  ${styled(value, visible(textOf(value)), { paint })}\n`,
    )
    .join('')
}
