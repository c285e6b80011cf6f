// The table for a terminal and for the documentation, and the picture: a panel per row, a bar per system, the best first.

import type { Machine } from '../report/machine.ts'
import { escaped, STYLE } from '../report/picture.ts'
import type { Row } from './results.ts'

const WIDTH = 920
const MARGIN = 28
const LABEL_WIDTH = 210
const FIGURE_WIDTH = 190
const BAR_LEFT = MARGIN + LABEL_WIDTH
const BAR_WIDTH = WIDTH - BAR_LEFT - FIGURE_WIDTH - MARGIN
const HEADER = 84
const PANEL_HEAD = 34
const LINE = 24
const BAR = 12

export function text(rows: readonly Row[]): string {
  const lines: string[] = []
  for (const row of rows) {
    lines.push('', `${row.what} (${row.better} is better)`)
    for (const { name, value, min, max, remark } of row.systems) {
      const spread = min === max ? '' : `  ${figure(min)} to ${figure(max)}`
      lines.push(
        `  ${name.padEnd(30)}${`${figure(value)} ${row.unit}`.padStart(16)}${spread}${remark === null ? '' : `  (${remark})`}`,
      )
    }
  }
  return lines.join('\n')
}

/** A table per row. */
export function markdown(rows: readonly Row[]): string {
  const tables = rows.map(({ what, unit, better, systems }) => {
    const lines = systems.map(({ name, isDuetime, value, min, max, remark }) => {
      const shown = isDuetime ? `**${name}**` : name
      return `| ${shown} | ${figure(value)} | ${figure(min)} to ${figure(max)} | ${remark ?? ''} |`
    })
    return [
      `### ${what.charAt(0).toUpperCase()}${what.slice(1)}`,
      '',
      `| system (${better} is better) | ${unit} | spread | |`,
      '|---|---:|---|---|',
      ...lines,
    ].join('\n')
  })
  return tables.join('\n\n')
}

export function drawing(rows: readonly Row[], machine: Machine & { readonly foreignLoad: number }): string {
  const parts: string[] = []
  let top = HEADER
  for (const row of rows) {
    parts.push(panel(row, top))
    top += PANEL_HEAD + row.systems.length * LINE + 14
  }
  const note = `${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}, ${machine.date.slice(0, 10)}`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${top + 10}" viewBox="0 0 ${WIDTH} ${top + 10}" role="img" aria-label="Duetime beside its peers">
<style>${STYLE}</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${top + 9}" rx="10"/>
<text class="text title" x="${MARGIN}" y="38">Duetime beside its peers, one machine, one run</text>
<text class="faint small" x="${MARGIN}" y="60">${escaped(note)}</text>
${parts.join('\n')}
</svg>
`
}

function panel({ what, unit, better, systems }: Row, top: number): string {
  const full = Math.max(...systems.map(({ value }) => value))
  const head = `<text class="text heading" x="${MARGIN}" y="${top + 16}">${escaped(what)}</text>
<text class="faint small" x="${WIDTH - MARGIN}" y="${top + 16}" text-anchor="end">${better === 'more' ? 'longer' : 'shorter'} is better</text>`
  const bars = systems.map(({ name, isDuetime, value }, index) => {
    const y = top + PANEL_HEAD + index * LINE
    const length = Math.max((value / full) * BAR_WIDTH, 2).toFixed(1)
    return `<text class="text small" x="${MARGIN}" y="${y + 10}">${escaped(name)}</text>
<rect class="track" x="${BAR_LEFT}" y="${y}" width="${BAR_WIDTH}" height="${BAR}" rx="3"/>
<rect class="${isDuetime ? 'met' : 'missed'}" x="${BAR_LEFT}" y="${y}" width="${length}" height="${BAR}" rx="3"/>
<text class="text small number" x="${WIDTH - MARGIN}" y="${y + 10}" text-anchor="end">${escaped(`${figure(value)} ${unit}`)}</text>`
  })
  return [head, ...bars].join('\n')
}

function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(value >= 10 ? 1 : 2)
}
