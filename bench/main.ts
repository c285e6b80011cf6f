// npm run bench [-- scenario…] [-- --quick]
//
// Measures the service on SQLite, and when asked to on PostgreSQL, against the raw limit of the same machine in the same
// run. Figures of one run can be compared with each other; figures of two machines cannot, only their ratios. See
// docs/performance.md.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Bench } from './harness/bench.ts'
import type { Scenario } from './harness/bench.ts'
import { foreignLoad } from './harness/foreign-load.ts'
import { thisMachine } from './report/machine.ts'
import type { Measurement } from './report/measurement.ts'
import { picture } from './report/picture.ts'
import { table } from './report/table.ts'
import { batch } from './scenarios/batch.ts'
import { burst } from './scenarios/burst.ts'
import { costs } from './scenarios/costs.ts'
import { creates } from './scenarios/creates.ts'
import { deciding } from './scenarios/deciding.ts'
import { threads } from './scenarios/threads.ts'
import { engineCosts } from './scenarios/engine-costs.ts'
import { enginesGrowth } from './scenarios/engines-growth.ts'
import { engines } from './scenarios/engines.ts'
import { flood } from './scenarios/flood.ts'
import { hanging } from './scenarios/hanging.ts'
import { idle } from './scenarios/idle.ts'
import { lateness } from './scenarios/lateness.ts'
import { memory } from './scenarios/memory.ts'
import { nats } from './scenarios/nats.ts'
import { postgresNodes } from './scenarios/postgres-nodes.ts'
import { postgresScale } from './scenarios/postgres-scale.ts'
import { postgres } from './scenarios/postgres.ts'
import { schedules } from './scenarios/schedules.ts'

/** In an order that grows the stored timers only once. */
const ON_SQLITE: readonly Scenario[] = [creates, costs, burst, nats, idle, flood, hanging, lateness, batch, memory]
const SCENARIOS: readonly Scenario[] = [
  ...ON_SQLITE,
  schedules,
  deciding,
  threads,
  postgres,
  postgresNodes,
  postgresScale,
  engines,
  enginesGrowth,
  engineCosts,
]
const RESULTS = join(import.meta.dirname, 'results')
const FOREIGN_LOAD_MAX = 0.1 // of all cores

const USAGE = `npm run bench -- [scenario…] [--quick] [--out <folder>]

  scenario   ${SCENARIOS.map(({ name }) => name).join(', ')}; unless some are named, all but those on PostgreSQL
  engines    every engine whose server is here, so do engines-growth and engine-costs; BENCH_ENGINES=sqlite,postgres,mariadb chooses
  --quick    a small run that shows that everything works; its figures mean nothing
  --out      where latest.json and latest.svg go, postgres.json and so on; bench/results unless told, nowhere for a quick run
`

process.exitCode = await main()

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name))
  if (values.help || unknown.length > 0) {
    process.stdout.write(unknown.length > 0 ? `no scenario is called ${unknown.join(', ')}\n\n${USAGE}` : USAGE)
    return unknown.length > 0 ? 2 : 0
  }
  const chosen =
    positionals.length === 0
      ? ON_SQLITE
      : positionals.map((name) => SCENARIOS.find((scenario) => scenario.name === name)!)
  const { measurements, broken, foreign } = await runAll(chosen, values.quick)
  process.stdout.write(`\n${table(measurements)}\n\n${disturbanceText(foreign)}\n`)
  const folder = values.out ?? (values.quick ? null : RESULTS)
  if (folder !== null) saveAll(chosen, measurements, foreign, folder)
  // A missed target is a result; only a scenario that could not be run is a failure.
  return broken === 0 ? 0 : 1
}

/** `foreign`: what else was running, as a share of the machine, before each scenario. */
type Outcome = {
  readonly measurements: readonly Measurement[]
  readonly broken: number
  readonly foreign: Readonly<Record<string, number>>
}

async function runAll(scenarios: readonly Scenario[], quick: boolean): Promise<Outcome> {
  const bench = new Bench({ quick, log: (text) => process.stderr.write(`${text}\n`) })
  const measurements: Measurement[] = []
  const foreign: Record<string, number> = {}
  for (const { name, run } of scenarios) {
    foreign[name] = await foreignLoad()
    const startedAt = performance.now()
    try {
      measurements.push(...(await run(bench)))
      bench.progress(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
    } catch (error) {
      bench.failed(`${name}: BROKEN: ${error instanceof Error ? error.stack : String(error)}\n${bench.lastWords()}`)
    }
    await bench.stopAll()
  }
  bench.close()
  return { measurements, broken: bench.failures, foreign }
}

/** Figures of a busy machine are better not believed, so the result says so wherever it is shown. */
function disturbanceText(foreign: Outcome['foreign']): string {
  const most = Math.max(0, ...Object.values(foreign))
  if (most <= FOREIGN_LOAD_MAX) return ''
  return `A disturbed run: other programs used up to ${Math.round(most * 100)} % of this machine. Repeat it when they do not.`
}

/** The main run in one file, and one for each scenario that is apart. */
function saveAll(
  scenarios: readonly Scenario[],
  measurements: readonly Measurement[],
  foreign: Outcome['foreign'],
  folder: string,
): void {
  const together: NonNullable<Scenario['apart']> = { results: 'latest', picture }
  const files = Map.groupBy(scenarios, ({ apart }) => apart ?? together)
  for (const [{ results, picture: draw, page }, members] of files) {
    const theirs = measurements.filter(({ scenario }) => members.some(({ name }) => name === scenario))
    if (theirs.length === 0) continue
    const machine = thisMachine()
    const load = Object.fromEntries(members.map(({ name }) => [name, foreign[name]!]))
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, `${results}.json`),
      `${JSON.stringify({ machine, foreignLoad: load, measurements: theirs }, null, 2)}\n`,
    )
    writeFileSync(join(folder, `${results}.svg`), draw(theirs, machine, disturbanceText(load)))
    if (folder === RESULTS) page?.(theirs, machine, disturbanceText(load))
  }
}
