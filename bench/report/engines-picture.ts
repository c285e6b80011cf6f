// The engines side by side: one panel for each figure, one bar for each engine, as long as its share of the largest. Beside a
// rate stands which part of the raw limit of its server it is.

import { figureText, ratioText } from './figures.ts'
import type { Machine } from './machine.ts'
import type { Measurement } from './measurement.ts'
import { escaped, STYLE } from './picture.ts'

const WIDTH = 920
const MARGIN = 28
const HEADER = 84
const PANEL_HEAD = 34
const ROW = 22
const BAR = 12
const BAR_LEFT = MARGIN + 130
const BAR_WIDTH = WIDTH - BAR_LEFT - MARGIN - 210

/** `SQLite: durable creates`: the engine, and what is measured. */
export function engineFigure(engine: string, what: string): string {
  return `${engine}: ${what}`
}

export function engineOf({ what }: Measurement): string {
  return what.slice(0, what.indexOf(': '))
}

export function figureOf({ what }: Measurement): string {
  return what.slice(what.indexOf(': ') + 2)
}

export function enginesPicture(measurements: readonly Measurement[], machine: Machine, disturbance: string): string {
  const panels = Map.groupBy(measurements, figureOf)
  let y = HEADER
  const drawn = Array.from(panels, ([what, members]) => {
    const top = y
    y += PANEL_HEAD + members.length * ROW + 14
    return drawPanel(what, members, top)
  })
  const where = `${machine.cpu}, ${machine.cores} cores, Node ${machine.node.slice(1)}, ${machine.date.slice(0, 10)}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img" aria-labelledby="title">
<title id="title">The same work on every engine</title>
<style>${STYLE}
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${y - 1}" rx="10"/>
<text class="text title" x="${MARGIN}" y="36">The same work on every engine, in one run</text>
<text class="faint small" x="${MARGIN}" y="56">${escaped(where)}</text>
<text class="text small" x="${MARGIN}" y="74">${escaped(disturbance)}</text>
${drawn.join('\n')}
</svg>
`
}

function drawPanel(what: string, members: readonly Measurement[], top: number): string {
  const most = Math.max(...members.map(({ value }) => value))
  const bars = members.map((one, index) => {
    const y = top + PANEL_HEAD + index * ROW
    const share = one.raw === null ? '' : `, ${ratioText(one)} of raw`
    const width = most === 0 ? 0 : (one.value / most) * BAR_WIDTH
    return `<text class="text" x="${MARGIN}" y="${y}">${escaped(engineOf(one))}</text>
<rect class="track" x="${BAR_LEFT}" y="${y - BAR + 1}" width="${BAR_WIDTH}" height="${BAR}" rx="3"/>
<rect class="${one.met === false ? 'missed' : 'met'}" x="${BAR_LEFT}" y="${y - BAR + 1}" width="${width.toFixed(1)}" height="${BAR}" rx="3"/>
<text class="text number small" x="${BAR_LEFT + BAR_WIDTH + 10}" y="${y}">${escaped(`${figureText(one.value, one.unit)}${share}`)}</text>`
  })
  return `<text class="text heading" x="${MARGIN}" y="${top + 12}">${escaped(what)}</text>\n${bars.join('\n')}`
}
