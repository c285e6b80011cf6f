// Counts as bars of blocks, to the eighth of a cell.

import { counted } from '../transfer/progress-bar.ts'
import type { Terminal } from '../command/terminal.ts'

export type Bar = { readonly label: string; readonly count: number; readonly isHot: boolean }

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
const BAR_CELLS_MAX = 40

export function barChart(bars: readonly Bar[], { columns, paint }: Pick<Terminal, 'columns' | 'paint'>): string {
  const most = Math.max(...bars.map(({ count }) => count), 1)
  const labelWidth = Math.max(...bars.map(({ label }) => label.length))
  const countWidth = Math.max(...bars.map(({ count }) => counted(count).length))
  const room = columns === null ? BAR_CELLS_MAX : columns - labelWidth - countWidth - 6
  const cells = Math.max(Math.min(BAR_CELLS_MAX, room), 4)
  return bars
    .map(({ label, count, isHot }) => {
      const eighths = count === 0 ? 0 : Math.max(Math.round((count / most) * cells * 8), 1)
      const bar = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
      return `  ${label.padStart(labelWidth)}  ${counted(count).padStart(countWidth)}  ${paint(isHot ? 'red' : 'cyan', bar)}`.trimEnd()
    })
    .map((line) => `${line}\n`)
    .join('')
}
