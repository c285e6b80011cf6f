// What a whole run writes besides its figures: the tables in docs/benchmarks.md, and the pictures there and in the README.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goalsTable } from './goals.ts'
import { everyRow, overview } from './pictures.ts'
import type { Comparison } from './results.ts'
import { markdown, partsTable } from './tables.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
export const RESULTS = join(ROOT, 'bench', 'results', 'peers.json')
export const PAGE = join(ROOT, 'docs', 'benchmarks.md')
const IMAGES = join(ROOT, 'docs', 'images')

export function writePage(comparison: Comparison): void {
  writeFileSync(join(IMAGES, 'peers.svg'), everyRow(comparison))
  writeFileSync(join(IMAGES, 'peers-overview.svg'), overview(comparison))
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), comparison))
}

/** The text between each pair of marks is replaced; the rest of the page stays as it is. */
export function withFigures(page: string, comparison: Comparison): string {
  const { machine, rows } = comparison
  const where = `${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}, ${machine.date.slice(0, 10)}.`
  const sections = {
    goals: goalsTable(rows),
    machine: `${where}\n\n${partsTable(comparison)}`.trim(),
    figures: `![A bar for each system in each row](images/peers.svg)\n\n${markdown(rows)}`,
  }
  let written = page
  for (const [name, section] of Object.entries(sections)) {
    const marks = new RegExp(`(<!-- ${name} -->\\n).*?(\\n<!-- end of ${name} -->)`, 's')
    if (!marks.test(written)) throw new Error(`the page has no marks <!-- ${name} --> and <!-- end of ${name} -->`)
    written = written.replace(marks, (_, before: string, after: string) => `${before}${section}${after}`)
  }
  return written
}
