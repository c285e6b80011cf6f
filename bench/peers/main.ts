// npm run bench:peers [-- --quick] [-- --only name,…]
//
// The same work on Duetime and on the systems that people use instead, on one machine, in one run, one after the other in
// alternating rounds. Each has a database of its own, durable settings, and its best documented options where that is said.
// See docs/benchmarks.md.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { foreignLoad } from '../harness/foreign-load.ts'
import { thisMachine } from '../report/machine.ts'
import type { Machine } from '../report/machine.ts'
import { drawing, markdown, text } from './report.ts'
import type { Row } from './results.ts'
import { Results } from './results.ts'
import { runAll } from './rows.ts'
import { contestants } from './systems.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const RESULTS = join(ROOT, 'bench', 'results')
const PAGE = join(ROOT, 'docs', 'benchmarks.md')
const PICTURE = join(ROOT, 'docs', 'images', 'peers.svg')
const FIGURES = /(<!-- figures -->\n).*(\n<!-- end of figures -->)/s

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      out: { type: 'string' },
    },
  })
  const log = (line: string) => void process.stderr.write(`${line}\n`)
  const load = await foreignLoad()
  if (load > 0.1) log(`warning: something else uses ${Math.round(load * 100)} % of this machine`)
  const { all, stop } = await contestants(log)
  const wanted = values.only?.split(',')
  const chosen = all.filter(({ name }) => wanted === undefined || wanted.some((part) => name.includes(part)))
  if (chosen.length === 0) {
    log(`nobody is called ${values.only}; there are: ${all.map(({ name }) => name).join('; ')}`)
    return 2
  }
  const results = new Results()
  try {
    await runAll({ contestants: chosen, results, isQuick: values.quick, log })
  } finally {
    await stop()
  }
  const machine = { ...thisMachine(), foreignLoad: load }
  process.stdout.write(`${text(results.rows())}\n`)
  const out = values.out ?? (values.quick ? null : RESULTS)
  if (out !== null) {
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, 'peers.json'), `${JSON.stringify({ machine, rows: results.rows() }, null, 2)}\n`)
    writeFileSync(join(out, 'peers.svg'), drawing(results.rows(), machine))
  }
  // A whole run is what the documentation shows.
  if (out === RESULTS && wanted === undefined) writePage(results.rows(), machine)
  return 0
}

function writePage(rows: readonly Row[], machine: Machine & { readonly foreignLoad: number }): void {
  writeFileSync(PICTURE, drawing(rows, machine))
  const where = `${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}, ${machine.date.slice(0, 10)}. Other programs used ${Math.round(machine.foreignLoad * 100)} % of the machine before the run.`
  const figures = `${where}\n\n![A bar for each system in each row](images/peers.svg)\n\n${markdown(rows)}`
  writeFileSync(
    PAGE,
    readFileSync(PAGE, 'utf8').replace(FIGURES, (_, before, after) => `${before}${figures}${after}`),
  )
}
