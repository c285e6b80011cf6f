// The engines side by side, as a table in the documentation: a row for each engine, a column for each figure.

import { readFileSync, writeFileSync } from 'node:fs'
import { figureText, ratioText } from './figures.ts'
import type { Machine } from './machine.ts'
import type { Measurement } from './measurement.ts'
import { engineOf, figureOf } from './engines-picture.ts'

const PAGE = new URL('../../docs/performance.md', import.meta.url)
const FIGURES = /(<!-- engines -->\n).*(\n<!-- end of engines -->)/s

export function writeEnginesPage(
  measurements: readonly Measurement[],
  { cores, cpu, node, date }: Machine,
  disturbance: string,
): void {
  const where = `${cpu}, ${cores} cores, Node ${node.slice(1)}, ${date.slice(0, 10)}. ${disturbance}`.trim()
  const picture = '![A bar for each engine in each figure](../bench/results/engines.svg)'
  const text = `${where}\n\n${picture}\n\n${enginesTable(measurements)}`
  const page = readFileSync(PAGE, 'utf8').replace(FIGURES, (_, before, after) => `${before}${text}${after}`)
  writeFileSync(PAGE, page)
}

export function enginesTable(measurements: readonly Measurement[]): string {
  const figures = [...new Set(measurements.map(figureOf))]
  const rows = [...Map.groupBy(measurements, engineOf)].map(([engine, ofEngine]) => {
    const cells = figures.map((figure) => cellOf(ofEngine.find((one) => figureOf(one) === figure)))
    return `| ${[engine, ...cells].join(' | ')} |`
  })
  return [`| | ${figures.join(' | ')} |`, `|---|${figures.map(() => '---:').join('|')}|`, ...rows].join('\n')
}

/** A figure that has no meaning for an engine is left out. */
function cellOf(one: Measurement | undefined): string {
  if (one === undefined) return ''
  const share = one.raw === null ? '' : `, ${ratioText(one)} of raw`
  return `${figureText(one.value, one.unit)}${share}`
}
