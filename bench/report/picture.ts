// The result as an SVG, for the documentation. Two panels, because two things must not be mixed up: rates as a share
// of the raw limit, where long is good, and lateness, memory and the like as a share of their budget, where short is.
// It brings its own background and follows the reader's light or dark scheme.

import { figureText, shareText, targetText } from './figures.ts'
import type { Machine } from './machine.ts'
import type { Measurement } from './measurement.ts'

const WIDTH = 920
const MARGIN = 28
const LABEL_WIDTH = 345 // some 50 characters
const FIGURE_WIDTH = 150
const BAR_LEFT = MARGIN + LABEL_WIDTH
const BAR_WIDTH = WIDTH - BAR_LEFT - FIGURE_WIDTH - MARGIN
const ROW = 34
const BAR = 14
const HEADER = 84
const PANEL_HEAD = 54

export const STYLE = `
  .card { fill: #ffffff; stroke: #d8dee4 } .text { fill: #1f2328 } .faint { fill: #59636e } .track { fill: #eff2f5 }
  .met { fill: #1a7f5a } .missed { fill: #c4532d } .goal { stroke: #1f2328 }
  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif } .title { font-size: 17px; font-weight: 600 }
  .heading { font-weight: 600 } .small { font-size: 11.5px } .number { font-variant-numeric: tabular-nums }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #30363d } .text { fill: #e6edf3 } .faint { fill: #9198a1 } .track { fill: #21262d }
    .met { fill: #3fb98a } .missed { fill: #e8845c } .goal { stroke: #e6edf3 }
  }`

type Bar = {
  readonly label: string
  readonly figure: string
  readonly under: string
  readonly share: number
  readonly goal: number
  readonly met: boolean
}
type Panel = { readonly title: string; readonly hint: string; readonly full: number; readonly bars: readonly Bar[] }

export type Picture = (measurements: readonly Measurement[], machine: Machine, disturbance: string) => string

export const picture: Picture = (measurements, machine, disturbance) =>
  pictureOf('SQLite', measurements, machine, disturbance)
export const postgresPicture: Picture = (measurements, machine, disturbance) =>
  pictureOf('PostgreSQL', measurements, machine, disturbance)

/** `disturbance`: a remark on what else the machine did meanwhile, empty when it did nothing. */
function pictureOf(
  database: string,
  measurements: readonly Measurement[],
  machine: Machine,
  disturbance: string,
): string {
  const panels = [rates(measurements), budgets(measurements)].filter(({ bars }) => bars.length > 0)
  let y = HEADER
  const drawn = panels.map((panel) => {
    const top = y
    y += PANEL_HEAD + panel.bars.length * ROW + 12
    return drawPanel(panel, top)
  })
  const height = y + 8
  const where = `${machine.cpu}, ${machine.cores} cores, Node ${machine.node.slice(1)}, ${database}, ${machine.date.slice(0, 10)}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Duetime measured against the raw limit of the same machine</title>
<style>${STYLE}
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
<text class="text title" x="${MARGIN}" y="36">Duetime against the raw limit of the same run</text>
<text class="faint small" x="${MARGIN}" y="56">${escaped(where)}</text>
<text class="text small" x="${MARGIN}" y="74">${escaped(disturbance)}</text>
${drawn.join('\n')}
</svg>
`
}

function rates(measurements: readonly Measurement[]): Panel {
  const bars = measurements.flatMap((one): Bar[] => {
    if (one.target === null || !('shareAtLeast' in one.target) || one.ratio === null || one.raw === null) return []
    const under = `${figureText(one.value, one.unit)} of ${figureText(one.raw.value, one.unit)}`
    return [
      {
        label: labelOf(one),
        figure: shareText(one.ratio),
        under,
        share: one.ratio,
        goal: one.target.shareAtLeast,
        met: one.met === true,
      },
    ]
  })
  return { title: 'Rate, as a share of the raw limit', hint: 'longer is better; the mark is the target', full: 1, bars }
}

function budgets(measurements: readonly Measurement[]): Panel {
  const bars = measurements.flatMap((one): Bar[] => {
    const share = shareOfBudget(one)
    if (share === null) return []
    return [
      {
        label: labelOf(one),
        figure: figureText(one.value, one.unit),
        under: targetText(one.target, one.unit),
        share,
        goal: 1,
        met: one.met === true,
      },
    ]
  })
  return {
    title: 'Lateness and cost, as a share of the budget',
    hint: 'shorter is better; the mark is the budget',
    full: 1.5,
    bars,
  }
}

function shareOfBudget({ value, ratio, target }: Measurement): number | null {
  if (target !== null && 'atMost' in target) return value / target.atMost
  return target !== null && 'timesAtMost' in target ? ratio! / target.timesAtMost : null
}

function labelOf({ scenario, what }: Measurement): string {
  return `${scenario}: ${what}`
}

function drawPanel({ title, hint, full, bars }: Panel, top: number): string {
  const head = `<text class="text heading" x="${MARGIN}" y="${top + 22}">${title}</text>
<text class="faint small" x="${MARGIN}" y="${top + 39}">${hint}</text>`
  return [head, ...bars.map((bar, index) => drawBar(bar, full, top + PANEL_HEAD + index * ROW))].join('\n')
}

/** A bar that is longer than the panel is cut at its end; the figure beside it says how long it is. */
function drawBar({ label, figure, under, share, goal, met }: Bar, full: number, top: number): string {
  const length = Math.max((Math.min(share, full) / full) * BAR_WIDTH, 2).toFixed(1)
  const goalX = (BAR_LEFT + (goal / full) * BAR_WIDTH).toFixed(1)
  const right = WIDTH - MARGIN
  return `<text class="text" x="${MARGIN}" y="${top + 17}">${escaped(label)}</text>
<rect class="track" x="${BAR_LEFT}" y="${top + 6}" width="${BAR_WIDTH}" height="${BAR}" rx="3"/>
<rect class="${met ? 'met' : 'missed'}" x="${BAR_LEFT}" y="${top + 6}" width="${length}" height="${BAR}" rx="3"/>
<line class="goal" x1="${goalX}" x2="${goalX}" y1="${top + 2}" y2="${top + 24}" stroke-width="2"/>
<text class="text number" x="${right}" y="${top + 13}" text-anchor="end">${escaped(figure)}</text>
<text class="faint small number" x="${right}" y="${top + 26}" text-anchor="end">${escaped(under)}</text>`
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
