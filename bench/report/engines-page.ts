// The engines side by side, as a table in the documentation: a row for each engine, a column for each figure.

import { readFileSync, writeFileSync } from 'node:fs'
import { figureText, ratioText } from './figures.ts'
import type { Machine } from './machine.ts'
import type { Measurement } from './measurement.ts'
import { engineOf, figureOf } from './engines-picture.ts'

const PAGE = new URL('../../docs/performance.md', import.meta.url)

type Writer = (measurements: readonly Measurement[], machine: Machine, disturbance: string) => void

export const writeEnginesPage = writerOf('engines', 'raw', /(<!-- engines -->\n).*(\n<!-- end of engines -->)/s)
export const writeGrowthPage = writerOf('engines-growth', 'few', /(<!-- growth -->\n).*(\n<!-- end of growth -->)/s)

export const writeCostsPage = writerOf('engine-costs', 'raw', /(<!-- costs -->\n).*(\n<!-- end of costs -->)/s)

/** `limit`: what the figures are held against. */
function writerOf(picture: string, limit: string, figures: RegExp): Writer {
  return (...all) => writePage({ picture, limit, figures }, ...all)
}

function writePage(
  page: { readonly picture: string; readonly limit: string; readonly figures: RegExp },
  ...[measurements, { cores, cpu, node, date }, disturbance]: Parameters<Writer>
): void {
  const where = `${cpu}, ${cores} cores, Node ${node.slice(1)}, ${date.slice(0, 10)}. ${disturbance}`.trim()
  const picture = `![A bar for each engine in each figure](../bench/results/${page.picture}.svg)`
  const text = `${where}\n\n${picture}\n\n${enginesTable(measurements, page.limit)}`
  const written = readFileSync(PAGE, 'utf8').replace(page.figures, (_, before, after) => `${before}${text}${after}`)
  writeFileSync(PAGE, written)
}

export function enginesTable(measurements: readonly Measurement[], limit: string): string {
  const figures = [...new Set(measurements.map(figureOf))]
  const rows = [...Map.groupBy(measurements, engineOf)].map(([engine, ofEngine]) => {
    const cells = figures.map((figure) =>
      cellOf(
        ofEngine.find((one) => figureOf(one) === figure),
        limit,
      ),
    )
    return `| ${[engine, ...cells].join(' | ')} |`
  })
  return [`| | ${figures.join(' | ')} |`, `|---|${figures.map(() => '---:').join('|')}|`, ...rows].join('\n')
}

/** A figure that has no meaning for an engine is left out. */
function cellOf(one: Measurement | undefined, limit: string): string {
  if (one === undefined) return ''
  const share = one.raw === null ? '' : `, ${ratioText(one)} of ${limit}`
  return `${figureText(one.value, one.unit)}${share}`
}
