// Single creates over HTTP, 64 in flight, each durable before it is answered. The raw limit is the same web framework
// with the same schema and an answer of the same size, and nothing behind it.

import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import { total } from '../harness/duetime-server.ts'
import { mainThreadCpuMs } from '../harness/process-usage.ts'
import type { Load, LoadResult } from '../programs/load-generator.ts'

export const creates: Scenario = { name: 'creates', run }

export const IN_FLIGHT = 64

/** Single creates for four seconds, the same in every scenario. */
export function createsLoad(bench: Bench, port: number, idPrefix: string): Load {
  return {
    port,
    path: '/api/v1/timers/create',
    connections: IN_FLIGHT,
    warmUpMs: bench.durationMs(1_500),
    durationMs: bench.durationMs(4_000),
    perSecond: null,
    idPrefix,
  }
}

type Round = LoadResult & { readonly cpuUs: number }

async function run(bench: Bench): Promise<Measurement[]> {
  const server = await bench.duetime({ databasePath: await bench.database(0) })
  const { helper: bareProcess, ready: bare } = await bench.helper<never, never, { port: number }>(
    new URL('../programs/bare-route.ts', import.meta.url),
  )
  const { helper: generator } = await bench.helper<Load, LoadResult>(
    new URL('../programs/load-generator.ts', import.meta.url),
  )
  const load = async (port: number, pid: number, idPrefix: string): Promise<Round> => {
    const cpuBefore = mainThreadCpuMs(pid)
    const result = await generator.ask(createsLoad(bench, port, idPrefix))
    return { ...result, cpuUs: ((mainThreadCpuMs(pid) - cpuBefore) / result.requests) * 1_000 }
  }

  // Both run for months in life: a first round, which compiles the code, does not count.
  await load(bare.port, bareProcess.pid, 'bwx-')
  await load(server.port, server.pid, 'cwx-')

  const bareRounds: Round[] = []
  const rounds: Round[] = []
  const rowsPerCommit: number[] = []
  for (let round = 0; round < bench.rounds; round++) {
    bareRounds.push(await load(bare.port, bareProcess.pid, `b${round}x-`))
    const before = await server.metrics()
    rounds.push(await load(server.port, server.pid, `c${round}x-`))
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
    // Hardly disturbed by whatever else the machine does, and what the rate comes down to when nothing disturbs it.
    measurement({
      scenario,
      what: 'CPU time of the main thread per create',
      unit: 'µs',
      rounds: rounds.map(({ cpuUs }) => cpuUs),
      raw: { what: 'the bare route', rounds: bareRounds.map(({ cpuUs }) => cpuUs) },
    }),
    measurement({ scenario, what: 'rows per commit', unit: 'rows', rounds: rowsPerCommit }),
  ]
}

function latency(
  scenario: string,
  quantile: 'p50' | 'p99',
  rounds: readonly LoadResult[],
  bareRounds: readonly LoadResult[],
): Measurement {
  return measurement({
    scenario,
    what: `latency ${quantile}`,
    unit: 'ms',
    rounds: rounds.map(({ latencyMs }) => latencyMs[quantile]),
    raw: { what: 'the bare route', rounds: bareRounds.map(({ latencyMs }) => latencyMs[quantile]) },
  })
}
