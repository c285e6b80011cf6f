// How a figure changes while more and more is stored: one line per figure, relative to what it was with the fewest. Flat is
// good; the band is what may be lost or won. Sizes grow tenfold and more, so the axis has them at even distances.

import { figureText } from './figures.ts'
import type { Machine } from './machine.ts'
import type { Measurement } from './measurement.ts'
import { escaped, STYLE } from './picture.ts'

const WIDTH = 920
const MARGIN = 28
const HEADER = 84
const PANEL = 170
const PLOT_LEFT = MARGIN + 130
const PLOT_RIGHT = WIDTH - MARGIN - 40
const PLOT_WIDTH = PLOT_RIGHT - PLOT_LEFT
const PLOT_HEIGHT = 96
const FULL = 1.6 // of the first value
const BAND = 0.2

type Series = {
  readonly name: string
  readonly points: readonly { readonly stored: string; readonly one: Measurement }[]
}

export function growthPicture(measurements: readonly Measurement[], machine: Machine, disturbance: string): string {
  const series = seriesOf(measurements)
  const height = HEADER + series.length * PANEL + 12
  const where = `${machine.cpu}, ${machine.cores} cores, Node ${machine.node.slice(1)}, PostgreSQL, ${machine.date.slice(0, 10)}`
  const size = `viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-labelledby="title">
<title id="title">Rates and lateness while more and more timers are stored</title>
<style>${STYLE}
  .line { fill: none; stroke: #1a7f5a; stroke-width: 2 } .dot { fill: #1a7f5a }
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
<text class="text title" x="${MARGIN}" y="36">What stored timers cost those that are created and due</text>
<text class="faint small" x="${MARGIN}" y="56">${escaped(`${where}; the band is ± ${BAND * 100} % of the first value`)}</text>
<text class="text small" x="${MARGIN}" y="74">${escaped(disturbance)}</text>
${series.map((one, index) => drawSeries(one, HEADER + index * PANEL)).join('\n')}
</svg>
`
}

/** `creates, 10,000 stored`: what is measured, and with how many stored. */
function seriesOf(measurements: readonly Measurement[]): Series[] {
  const byName = Map.groupBy(measurements, ({ what }) => what.slice(0, what.lastIndexOf(', ')))
  return Array.from(byName, ([name, members]) => {
    return { name, points: members.map((one) => ({ stored: one.what.slice(name.length + 2), one })) }
  })
}

function drawSeries({ name, points }: Series, top: number): string {
  const bottom = top + 26 + PLOT_HEIGHT
  const first = points[0]!.one.value
  const yOf = (value: number) => bottom - (Math.min(value / first, FULL) / FULL) * PLOT_HEIGHT
  const xOf = (index: number) => PLOT_LEFT + (points.length === 1 ? 0 : (index / (points.length - 1)) * PLOT_WIDTH)
  const [bandTop, bandBottom] = [yOf(first * (1 + BAND)), yOf(first * (1 - BAND))]
  const line = points.map(({ one }, index) => `${xOf(index).toFixed(1)},${yOf(one.value).toFixed(1)}`).join(' ')
  const marks = points.map(({ stored, one }, index) => {
    const [x, y] = [xOf(index).toFixed(1), yOf(one.value)]
    return `<circle class="dot" cx="${x}" cy="${y.toFixed(1)}" r="4"/>
<text class="text number small" x="${x}" y="${(y - 10).toFixed(1)}" text-anchor="middle">${escaped(figureText(one.value, one.unit))}</text>
<text class="faint small" x="${x}" y="${bottom + 18}" text-anchor="middle">${escaped(stored)}</text>`
  })
  return `<text class="text heading" x="${MARGIN}" y="${top + 14}">${escaped(name)}</text>
<rect class="track" x="${PLOT_LEFT}" y="${bandTop.toFixed(1)}" width="${PLOT_WIDTH}" height="${(bandBottom - bandTop).toFixed(1)}"/>
<polyline class="line" points="${line}"/>
${marks.join('\n')}`
}
