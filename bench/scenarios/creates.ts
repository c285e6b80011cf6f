// Single creates over HTTP, 64 in flight, each durable before it is answered. The raw limit is the same web framework
// with the same schema and an answer of the same size, and nothing behind it.

import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import { total } from '../harness/duetime-server.ts'
import type { Load, LoadResult } from '../programs/load-generator.ts'

export const creates: Scenario = { name: 'creates', run }

const IN_FLIGHT = 64

async function run(bench: Bench): Promise<Measurement[]> {
  const server = await bench.duetime({ databasePath: await bench.database(0) })
  const { ready: bare } = await bench.helper<never, never, { port: number }>(new URL('../programs/bare-route.ts', import.meta.url))
  const { helper: generator } = await bench.helper<Load, LoadResult>(new URL('../programs/load-generator.ts', import.meta.url))
  const load = (port: number, idPrefix: string) =>
    generator.ask({
      port,
      path: '/api/v1/timers/create',
      connections: IN_FLIGHT,
      warmUpMs: bench.durationMs(1_500),
      durationMs: bench.durationMs(4_000),
      perSecond: null,
      idPrefix,
    })

  const bareRounds: LoadResult[] = []
  const rounds: LoadResult[] = []
  const rowsPerCommit: number[] = []
  for (let round = 0; round < bench.rounds; round++) {
    bareRounds.push(await load(bare.port, `b${round}x-`))
    const before = await server.metrics()
    rounds.push(await load(server.port, `c${round}x-`))
    const after = await server.metrics()
    const grown = (name: string) => total(after, name) - total(before, name)
    rowsPerCommit.push(grown('duetime_commit_puts_sum') / grown('duetime_commit_puts_count'))
  }

  const scenario = 'creates'
  return [
    measurement({
      scenario,
      what: `durable creates, ${IN_FLIGHT} in flight`,
      unit: '/s',
      rounds: rounds.map(({ perSecond }) => perSecond),
      raw: { what: 'a bare Fastify route with the same schema', rounds: bareRounds.map(({ perSecond }) => perSecond) },
      target: { shareAtLeast: 0.5 },
    }),
    latency(scenario, 'p50', rounds, bareRounds),
    latency(scenario, 'p99', rounds, bareRounds),
    measurement({ scenario, what: 'rows per commit', unit: 'rows', rounds: rowsPerCommit }),
  ]
}

function latency(scenario: string, quantile: 'p50' | 'p99', rounds: readonly LoadResult[], bareRounds: readonly LoadResult[]): Measurement {
  return measurement({
    scenario,
    what: `latency ${quantile}`,
    unit: 'ms',
    rounds: rounds.map(({ latencyMs }) => latencyMs[quantile]),
    raw: { what: 'the bare route', rounds: bareRounds.map(({ latencyMs }) => latencyMs[quantile]) },
  })
}
