// The cost sheet of one create: how many commits of the store it takes. A commit is one transaction and so one fsync
// of the write-ahead log; whoever waits alone pays for a whole one, many at once share.

import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import { total } from '../harness/duetime-server.ts'
import type { Load, LoadResult } from '../programs/load-generator.ts'

export const costs: Scenario = { name: 'costs', run }

async function run(bench: Bench): Promise<Measurement[]> {
  const server = await bench.duetime({ databasePath: await bench.database(0) })
  const { helper: generator } = await bench.helper<Load, LoadResult>(
    new URL('../programs/load-generator.ts', import.meta.url),
  )
  const measured: Measurement[] = []
  for (const connections of [1, 64]) {
    const commitsPerCreate: number[] = []
    const latencies: number[] = []
    for (let round = 0; round < bench.rounds; round++) {
      const before = await server.metrics()
      const { requests, latencyMs } = await generator.ask({
        port: server.port,
        path: '/api/v1/timers/create',
        connections,
        warmUpMs: 300,
        durationMs: bench.durationMs(1_500),
        perSecond: null,
        idPrefix: `k${round}${String(connections).padStart(2, '0')}`,
      })
      const commits =
        total(await server.metrics(), 'duetime_commit_puts_count') - total(before, 'duetime_commit_puts_count')
      commitsPerCreate.push(commits / requests)
      latencies.push(latencyMs.p50)
    }
    const inFlight = `${connections} in flight`
    measured.push(
      measurement({
        scenario: 'costs',
        what: `commits (fsyncs) per create, ${inFlight}`,
        unit: 'commits',
        rounds: commitsPerCreate,
      }),
      measurement({ scenario: 'costs', what: `latency p50, ${inFlight}`, unit: 'ms', rounds: latencies }),
    )
  }
  return measured
}
