// Batches of a thousand creates into a database that holds a million timers already, beside node:sqlite alone writing
// the same rows into a copy of that database. When the timers are due decides how many pages a batch touches, and that
// is what writing costs: so once due after the same delay, as timeouts are, once within a day, and once all over a year,
// the worst case.

import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { Helper } from '../harness/helper-process.ts'
import type { DueSpread } from '../harness/stored-timers.ts'
import type { Batches, BatchesResult } from '../programs/batch-generator.ts'
import { BATCH_PATH } from '../programs/create-body.ts'
import type { RawInserts } from '../programs/raw-insert.ts'

export const batch: Scenario = { name: 'batch', run }

const STORED = 1_000_000
const PER_BATCH = 1_000
const BATCHES = 40
const IN_FLIGHT = 4 // enough that the store never waits for a request to be read
const SPREADS: readonly { readonly name: string; readonly due: DueSpread }[] = [
  { name: 'due after a fixed delay', due: { afterDays: 30, days: 0 } },
  { name: 'due within a day', due: { afterDays: 1, days: 1 } },
  { name: 'due within a year', due: { afterDays: 2, days: 363 } },
]

type Parts = {
  readonly server: DuetimeServer
  readonly raw: Helper<RawInserts, { perSecond: number }>
  readonly generator: Helper<Batches, BatchesResult>
}

async function run(bench: Bench): Promise<Measurement[]> {
  const stored = bench.timers(STORED)
  const path = await bench.database(stored)
  const parts: Parts = {
    server: await bench.duetime({ databasePath: await bench.database(stored) }),
    raw: (
      await bench.helper<RawInserts, { perSecond: number }>(new URL('../programs/raw-insert.ts', import.meta.url), {
        path,
      })
    ).helper,
    generator: (await bench.helper<Batches, BatchesResult>(new URL('../programs/batch-generator.ts', import.meta.url)))
      .helper,
  }
  const measured: Measurement[] = []
  let firstId = stored
  for (const { name, due } of SPREADS) {
    const raw: number[] = []
    const rounds: BatchesResult[] = []
    for (let round = 0; round < bench.rounds; round++) {
      const batches = bench.timers(BATCHES)
      raw.push((await parts.raw.ask({ transactions: batches, rowsPerTransaction: PER_BATCH, firstId, due })).perSecond)
      rounds.push(await parts.generator.ask(requests(parts.server, batches, firstId, due)))
      firstId += batches * PER_BATCH
    }
    measured.push(...figures(name, raw, rounds))
  }
  return measured
}

function requests({ url }: DuetimeServer, batches: number, firstId: number, due: DueSpread): Batches {
  return {
    origin: url,
    path: BATCH_PATH,
    requests: batches,
    timersPerRequest: PER_BATCH,
    inFlight: IN_FLIGHT,
    firstId,
    due,
  }
}

function figures(name: string, raw: readonly number[], rounds: readonly BatchesResult[]): Measurement[] {
  const perSecond = rounds.map((round) => round.perSecond)
  const scenario = 'batch'
  return [
    measurement({ scenario, what: `node:sqlite, ${name}`, unit: '/s', rounds: raw, target: { atLeast: 40_000 } }),
    measurement({
      scenario,
      what: `1,000 creates a request, ${name}`,
      unit: '/s',
      rounds: perSecond,
      raw: { what: 'node:sqlite alone', rounds: raw },
      target: { shareAtLeast: 0.6 },
    }),
    measurement({
      scenario,
      what: `a request, ${IN_FLIGHT} in flight`,
      unit: 'ms',
      rounds: rounds.map(({ requestMs }) => requestMs),
    }),
  ]
}
