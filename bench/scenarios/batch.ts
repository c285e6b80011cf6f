// Batches of a thousand creates into a database that holds a million timers already, beside node:sqlite alone writing
// the same rows into a copy of that database.

import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import type { Batches } from '../programs/batch-generator.ts'
import { BATCH_PATH } from '../programs/create-body.ts'
import type { RawInserts } from '../programs/raw-insert.ts'

export const batch: Scenario = { name: 'batch', run }

const STORED = 1_000_000
const PER_BATCH = 1_000
const BATCHES = 100
const IN_FLIGHT = 4 // enough that the store never waits for a request to be read

async function run(bench: Bench): Promise<Measurement[]> {
  const stored = bench.timers(STORED)
  const batches = bench.timers(BATCHES)
  const server = await bench.duetime({ databasePath: await bench.database(stored) })
  const { helper: raw } = await bench.helper<RawInserts, { perSecond: number }>(new URL('../programs/raw-insert.ts', import.meta.url), {
    path: await bench.database(stored),
  })
  const { helper: generator } = await bench.helper<Batches, { perSecond: number; requestMs: number }>(
    new URL('../programs/batch-generator.ts', import.meta.url),
  )

  const rawRounds: number[] = []
  const rounds: { perSecond: number; requestMs: number }[] = []
  for (let round = 0; round < bench.rounds; round++) {
    const firstId = stored + round * batches * PER_BATCH
    rawRounds.push((await raw.ask({ transactions: batches, rowsPerTransaction: PER_BATCH, firstId })).perSecond)
    const request = { origin: server.url, path: BATCH_PATH, requests: batches, timersPerRequest: PER_BATCH, inFlight: IN_FLIGHT }
    rounds.push(await generator.ask({ ...request, idPrefix: `a${round}x-` }))
  }

  const scenario = 'batch'
  return [
    measurement({ scenario, what: 'node:sqlite alone, 1M stored', unit: '/s', rounds: rawRounds, target: { atLeast: 40_000 } }),
    measurement({
      scenario,
      what: 'creates, 1,000 a request, 1M stored',
      unit: '/s',
      rounds: rounds.map(({ perSecond }) => perSecond),
      raw: { what: 'node:sqlite alone', rounds: rawRounds },
      target: { shareAtLeast: 0.6 },
    }),
    measurement({ scenario, what: `a request of 1,000, ${IN_FLIGHT} in flight`, unit: 'ms', rounds: rounds.map(({ requestMs }) => requestMs) }),
  ]
}
