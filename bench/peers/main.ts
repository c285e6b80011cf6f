// npm run bench:peers [-- --quick] [-- --only name,…] [-- --parts rates,…] [-- --out directory]
// node bench/peers/main.ts --draw        the page and the pictures again, from the figures of the last run
//
// The same work on Duetime and on the systems that people use instead, on one machine, in one run, one after the other in
// alternating rounds. Each has a database of its own, durable settings, and its best documented options where that is said.
// See docs/benchmarks.md.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { foreignLoad } from '../harness/foreign-load.ts'
import { thisMachine } from '../report/machine.ts'
import { RESULTS, writePage } from '../report/peers/page.ts'
import { everyRow } from '../report/peers/pictures.ts'
import { Results } from '../report/peers/results.ts'
import type { Comparison } from '../report/peers/results.ts'
import { text } from '../report/peers/tables.ts'
import type { PartName } from './steps.ts'

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      draw: { type: 'boolean', default: false },
      only: { type: 'string' },
      parts: { type: 'string' },
      out: { type: 'string' },
    },
  })
  if (values.draw) {
    writePage(JSON.parse(readFileSync(RESULTS, 'utf8')) as Comparison)
    return 0
  }
  const log = (line: string) => void process.stderr.write(`${line}\n`)
  const load = await foreignLoad()
  if (load > 0.1) log(`warning: something else uses ${Math.round(load * 100)} % of this machine`)
  // What it imports is installed for a run only.
  const [{ contestants }, { PARTS, runAll }] = await Promise.all([import('./systems.ts'), import('./steps.ts')])
  const parts = values.parts?.split(',') ?? null
  if (parts?.some((part) => !PARTS.includes(part as PartName)) === true) {
    log(`there are the parts ${PARTS.join(', ')}`)
    return 2
  }
  const { all, stop } = await contestants(log)
  const wanted = values.only?.split(',')
  const chosen = all.filter(({ name }) => wanted === undefined || wanted.some((part) => name.includes(part)))
  if (chosen.length === 0) {
    log(`nobody is called ${values.only}; there are: ${all.map(({ name }) => name).join('; ')}`)
    await stop()
    return 2
  }
  const results = new Results()
  const startedAt = performance.now()
  const options = { contestants: chosen, results, isQuick: values.quick, parts: parts as PartName[] | null, log }
  const took = await runAll(options).finally(stop)
  log(`${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`)
  const comparison: Comparison = { machine: thisMachine(), rows: results.rows(), parts: took }
  process.stdout.write(`${text(comparison)}\n`)
  if (values.out !== undefined) {
    mkdirSync(values.out, { recursive: true })
    writeFileSync(join(values.out, 'peers.json'), `${JSON.stringify(comparison, null, 2)}\n`)
    writeFileSync(join(values.out, 'peers.svg'), everyRow(comparison))
  }
  // A whole run is what the documentation shows.
  if (!values.quick && values.out === undefined && wanted === undefined && parts === null) {
    writeFileSync(RESULTS, `${JSON.stringify(comparison, null, 2)}\n`)
    writePage(comparison)
  }
  return 0
}
