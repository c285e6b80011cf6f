// What a create, a firing and a removal ask of the server of each engine, by how many changes of a shard share a commit. It is
// what estimates for large installations are made of. CPU time says this also on a busy machine; how long it takes is not looked at.

import type { Scenario } from '../harness/bench.ts'
import type { Changes, ChangesResult } from '../programs/change-costs.ts'
import { engineFigure, enginesPicture } from '../report/engines-picture.ts'
import { measurement } from '../report/measurement.ts'
import { writeCostsPage } from '../report/engines-page.ts'
import { onAllEngines } from './on-engines.ts'
import type { MeasureEngine } from './on-engines.ts'

export const engineCosts: Scenario = {
  name: 'engine-costs',
  run: (bench) => onAllEngines(bench, runOn),
  apart: { results: 'engine-costs', picture: enginesPicture, page: writeCostsPage },
}

const PER_COMMIT = [1, 6, 23, 70] // a transaction of DynamoDB has room for 100 rows and counters
const KINDS = ['create', 'firing', 'removal'] as const
const ROUNDS = 3 // the first of them does not count

async function runOn(...[bench, { title, start }, record]: Parameters<MeasureEngine>): Promise<void> {
  const { url, env, cpuMs } = await start(bench)
  if (cpuMs === null) return // its work is part of the service's
  const program = new URL('../programs/change-costs.ts', import.meta.url)
  const { helper } = await bench.helper<Changes, ChangesResult>(program, { url, env })
  const rounds = Math.min(bench.rounds, ROUNDS)
  const cpu = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++)
    for (const perCommit of PER_COMMIT)
      for (const kind of KINDS) {
        const before = cpuMs()
        const result = await helper.ask({ kind, perCommit })
        add(cpu, `CPU of a ${kind}, ${perCommit} in a commit`, ((cpuMs() - before) / result.changes) * 1_000)
      }
  record(
    ...Array.from(cpu, ([what, made]) =>
      measurement({ scenario: 'engine-costs', what: engineFigure(title, what), unit: 'µs', rounds: made }),
    ),
  )
}

function add(to: Map<string, number[]>, what: string, value: number): void {
  to.set(what, [...(to.get(what) ?? []), value])
}
