// npm run bench:peers [-- --quick] [-- --only name,…]
//
// The same work on Duetime and on the systems that people use instead, on one machine, in one run, one after the other in
// alternating rounds. Each has a database of its own, durable settings, and its best documented options where that is said.
// See docs/benchmarks.md.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { foreignLoad } from '../harness/foreign-load.ts'
import { thisMachine } from '../report/machine.ts'
import { drawing, text } from './report.ts'
import { Results } from './results.ts'
import { runAll } from './rows.ts'
import { contestants } from './systems.ts'

const RESULTS = join(import.meta.dirname, '..', 'results')

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
  return 0
}
