// What a service with many stored timers and nothing due costs: the CPU time of its process, beside that of a bare
// web server that waits for requests. Both idle at the same time; neither disturbs the other.

import { setTimeout as sleep } from 'node:timers/promises'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import { cpuMs } from '../harness/process-usage.ts'

export const idle: Scenario = { name: 'idle', run }

const STORED = 200_000
const SETTLE_MS = 3_000 // what a start leaves to be collected and compiled

async function run(bench: Bench): Promise<Measurement[]> {
  const server = await bench.duetime({ databasePath: await bench.database(bench.timers(STORED)) })
  const { helper: bare } = await bench.helper(new URL('../programs/bare-route.ts', import.meta.url))
  await sleep(SETTLE_MS)
  const before = { service: server.cpuMs(), bare: cpuMs(bare.pid), at: performance.now() }
  await sleep(bench.durationMs(20_000))
  const elapsedMs = performance.now() - before.at
  const percent = (usedMs: number) => (usedMs / elapsedMs) * 100
  return [
    measurement({
      scenario: 'idle',
      what: 'CPU with 200k stored, nothing due',
      unit: '% of a core',
      rounds: [percent(server.cpuMs() - before.service)],
      raw: { what: 'an idle bare Fastify process', rounds: [percent(cpuMs(bare.pid) - before.bare)] },
    }),
  ]
}
