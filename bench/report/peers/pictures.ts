// The pictures: every row for the documentation, and those that matter most for the README. Each system is a bar, the best first, also
// where that is not Duetime. Rates are drawn in proportion; times, which differ by factors of a thousand, by their order of
// magnitude, with a scale.

import { escaped } from '../picture.ts'
import type { Comparison, Row, SystemFigure } from './results.ts'
import type { RowKey } from './rows.ts'
import { capital, figure } from './tables.ts'

const WIDTH = 960
const PANEL_WIDTH = 440
const GAP = 24
const MARGIN = (WIDTH - 2 * PANEL_WIDTH - GAP) / 2
const HEADER = 92
const FOOTER = 46
const PANEL_HEAD = 62
const LINE = 22
const BAR = 10
const LABEL_WIDTH = 148
const FIGURE_WIDTH = 74
const BAR_WIDTH = PANEL_WIDTH - LABEL_WIDTH - FIGURE_WIDTH - 28
const SCALE_HEIGHT = 18
const SMALLEST = 0.01 // nothing has no order of magnitude

type Panel = { readonly row: RowKey; readonly title: string; readonly scale: 'proportion' | 'magnitude' }

const PANELS: readonly Panel[] = [
  { row: 'creates', title: 'Single creates, each durable', scale: 'proportion' },
  { row: 'bulk', title: 'Creates in bulk', scale: 'proportion' },
  { row: 'burst', title: '50,000 due at once, a function each', scale: 'proportion' },
  { row: 'postBurst', title: '20,000 due at once, a POST each', scale: 'proportion' },
  { row: 'lateness', title: 'Lateness p99, 200,000 stored', scale: 'magnitude' },
  { row: 'recovery', title: 'Killed in a burst: all done after', scale: 'magnitude' },
]

const STYLE = `
  .card { fill: #ffffff; stroke: #d8dee4 } .panel { fill: #f6f8fa } .text { fill: #1f2328 } .faint { fill: #59636e }
  .track { fill: #e7ebef } .own { fill: #1a7f5a } .peer { fill: #9aa7b5 } .ownName { fill: #12694a; font-weight: 600 } .line { stroke: #c6ced6 }
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif } .title { font-size: 19px; font-weight: 650 }
  .sub { font-size: 12.5px } .heading { font-size: 13.5px; font-weight: 600 } .small { font-size: 11px } .tick { font-size: 9.5px }
  .number { font-variant-numeric: tabular-nums }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #30363d } .panel { fill: #151b23 } .text { fill: #e6edf3 } .faint { fill: #9198a1 }
    .track { fill: #262c36 } .own { fill: #3fb98a } .peer { fill: #6e7a88 } .ownName { fill: #5fd3a6 } .line { stroke: #3d444d }
  }`

export function overview(comparison: Comparison): string {
  const panels = PANELS.flatMap((panel) => {
    const row = comparison.rows.find(({ key }) => key === panel.row)
    return row === undefined ? [] : [{ ...panel, row }]
  })
  return drawing(panels, comparison)
}

export function everyRow(comparison: Comparison): string {
  const panels = comparison.rows.map((row): Drawn => {
    const scale = isTime(row.unit) ? 'magnitude' : 'proportion'
    return { row, title: capital(row.what), scale }
  })
  return drawing(panels, comparison)
}

function drawing(panels: readonly Drawn[], { machine }: Comparison): string {
  const drawn: string[] = []
  let top = HEADER
  for (let index = 0; index < panels.length; index += 2) {
    const pair = panels.slice(index, index + 2)
    const height = Math.max(...pair.map(heightOf))
    for (const [column, panel] of pair.entries())
      drawn.push(drawPanel(panel, { left: MARGIN + column * (PANEL_WIDTH + GAP), top, height }))
    top += height + GAP
  }
  const total = top - GAP + FOOTER + 10
  const where = `${machine.cores} cores, ${machine.memoryGiB} GiB, Node ${machine.node.slice(1)}, ${machine.date.slice(0, 10)}. What is acknowledged is on the disk. Peers have their best documented settings; in recovery their defaults.`
  const hasLess = panels.some(({ row }) => row.systems.some(({ less }) => less !== null))
  const less = hasLess ? '* with less work than the others, which it would not have done in time' : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${total}" viewBox="0 0 ${WIDTH} ${total}" role="img" aria-labelledby="title">
<title id="title">Duetime beside other systems in ${panels.length} rows</title>
<style>${STYLE}
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${total - 1}" rx="12"/>
<text class="text title" x="${MARGIN}" y="42">The same work, on one machine</text>
<rect class="own" x="${MARGIN}" y="57" width="11" height="11" rx="3"/><text class="text sub" x="${MARGIN + 17}" y="67">Duetime, as a library and as a service</text>
<rect class="peer" x="${MARGIN + 276}" y="57" width="11" height="11" rx="3"/><text class="text sub" x="${MARGIN + 293}" y="67">other systems</text>
${drawn.join('\n')}
<text class="faint small" x="${MARGIN}" y="${total - 33}">${escaped(where)}</text>
<text class="faint small" x="${MARGIN}" y="${total - 16}">${less}</text>
</svg>
`
}

type Drawn = Omit<Panel, 'row'> & { readonly row: Row }
type Box = { readonly left: number; readonly top: number; readonly height: number }

function heightOf({ row, scale }: Drawn): number {
  return PANEL_HEAD + row.systems.length * LINE + (scale === 'magnitude' ? SCALE_HEIGHT : 0) + 8
}

function drawPanel({ row, title, scale }: Drawn, { left, top, height }: Box): string {
  const axis = scale === 'proportion' ? proportion(row) : magnitude(row)
  const x = left + 14
  const right = left + PANEL_WIDTH - 14
  const barLeft = x + LABEL_WIDTH
  const bars = row.systems.map((system, index) =>
    drawBar(system, row, axis, { x, right, y: top + PANEL_HEAD + index * LINE }),
  )
  const bottom = top + PANEL_HEAD + row.systems.length * LINE
  const ticks = axis.ticks.map(({ at, text }) => {
    const tickX = (barLeft + at * BAR_WIDTH).toFixed(1)
    return `<line class="line" x1="${tickX}" x2="${tickX}" y1="${top + PANEL_HEAD - 4}" y2="${bottom - 4}" stroke-dasharray="2 3"/>
<text class="faint tick" x="${tickX}" y="${bottom + 9}" text-anchor="middle">${text}</text>`
  })
  return `<rect class="panel" x="${left}" y="${top}" width="${PANEL_WIDTH}" height="${height}" rx="8"/>
<text class="text heading" x="${x}" y="${top + 25}">${escaped(title)}</text>
<text class="faint small" x="${right}" y="${top + 43}" text-anchor="end">${row.better === 'more' ? 'longer is better' : 'shorter is better'}</text>
<text class="faint small" x="${x}" y="${top + 43}">${escaped(verdict(row))}</text>
${[...ticks, ...bars].join('\n')}`
}

function drawBar(
  { name, isDuetime, value, less, remark }: SystemFigure,
  { unit }: Row,
  axis: Axis,
  { x, right, y }: { readonly x: number; readonly right: number; readonly y: number },
): string {
  const length = Math.max(axis.share(value) * BAR_WIDTH, 2).toFixed(1)
  const atLeast = remark?.includes('not done within') === true ? '> ' : ''
  return `<text class="${isDuetime ? 'ownName' : 'text'} small" x="${x}" y="${y + 9}">${escaped(name.replace('Duetime ', ''))}</text>
<rect class="track" x="${x + LABEL_WIDTH}" y="${y}" width="${BAR_WIDTH}" height="${BAR}" rx="3" opacity="0.55"/>
<rect class="${isDuetime ? 'own' : 'peer'}" x="${x + LABEL_WIDTH}" y="${y}" width="${length}" height="${BAR}" rx="3"/>
<text class="text small number" x="${right}" y="${y + 9}" text-anchor="end">${escaped(`${atLeast}${figure(value)} ${unit}${less === null ? '' : ' *'}`)}</text>`
}

/** Who is first, and by how much, whoever it is. */
function verdict({ systems, better, unit }: Row): string {
  const own = systems.find(({ isDuetime }) => isDuetime)
  const peer = systems.find(({ isDuetime }) => !isDuetime)
  if (own === undefined || peer === undefined) return ''
  const isFirst = systems.indexOf(own) < systems.indexOf(peer)
  const [more, less] = isFirst === (better === 'more') ? [own, peer] : [peer, own]
  const [big, small] = [more, less].map(({ name, isDuetime }) => (isDuetime ? 'Duetime' : name))
  if (less.value === 0) return `${big}: more than ${small}`
  const amount = isTime(unit) ? 'long' : 'much'
  return `${big} ${verb(unit, better)} ${factor(more.value / less.value)} as ${amount} as ${small}`
}

function verb(unit: string, better: Row['better']): string {
  if (better === 'more') return 'does'
  return isTime(unit) ? 'takes' : 'needs'
}

function isTime(unit: string): boolean {
  return unit === 'ms' || unit === 's'
}

function factor(times: number): string {
  return `${times >= 10 ? Math.round(times) : times.toFixed(times < 1.1 ? 2 : 1)} times`
}

type Axis = { share(value: number): number; readonly ticks: readonly { readonly at: number; readonly text: string }[] }

function proportion({ systems }: Row): Axis {
  const full = Math.max(...systems.map(({ value }) => value)) || 1
  return { share: (value) => value / full, ticks: [] }
}

function magnitude({ systems, unit }: Row): Axis {
  const values = systems.map(({ value }) => Math.max(value, SMALLEST))
  const from = Math.floor(Math.log10(Math.min(...values) / 1.5))
  const to = Math.log10(Math.max(...values))
  const share = (value: number) => (Math.log10(Math.max(value, SMALLEST)) - from) / (to - from)
  const tens = Array.from({ length: Math.floor(to) - from + 1 }, (_, index) => 10 ** (from + index))
  return { share, ticks: tens.map((ten) => ({ at: share(ten), text: `${ten.toLocaleString('en-US')} ${unit}` })) }
}
