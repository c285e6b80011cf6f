// How much of the work leaves the thread that decides when requests and deliveries have threads of their own: its CPU time for
// each create over HTTP and for each call, and the memory of the process. With two cores nothing becomes faster; with more,
// the deciding thread is the limit, and this is what it has to do.

import { setTimeout as sleep } from 'node:timers/promises'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import { total } from '../harness/duetime-server.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import { mainThreadCpuMs } from '../harness/process-usage.ts'
import type { Load, LoadResult } from '../programs/load-generator.ts'
import type { ReceiverQuestion, ReceiverResult } from '../programs/receiver.ts'
import { createsLoad, IN_FLIGHT } from './creates.ts'
import { createDue } from './due-timers.ts'

export const threads: Scenario = { name: 'threads', run }

const CALLS = 5_000
const LEAD_MS = 3_000
const WAIT_MS = 60_000
const SETTINGS = {
  'no threads': { HTTP_THREADS: '0', DELIVERY_THREADS: '0' },
  '2 + 2 threads': { HTTP_THREADS: '2', DELIVERY_THREADS: '2' },
} as const

type Round = { readonly createUs: number; readonly callUs: number; readonly mebibytes: number }

async function run(bench: Bench): Promise<Measurement[]> {
  const { helper: generator } = await bench.helper<Load, LoadResult>(
    new URL('../programs/load-generator.ts', import.meta.url),
  )
  const { helper: receiver, ready } = await bench.helper<ReceiverQuestion, ReceiverResult, { port: number }>(
    new URL('../programs/receiver.ts', import.meta.url),
  )
  const callbackUrl = `http://127.0.0.1:${ready.port}/hooks/order/reminders`
  const count = bench.timers(CALLS)

  const createUs = async (server: DuetimeServer, idPrefix: string) => {
    const [cpuBefore, storedBefore] = [mainThreadCpuMs(server.pid), await stored(server)]
    await generator.ask(createsLoad(bench, server.port, idPrefix))
    // Those of the warm-up have cost as much.
    const created = (await stored(server)) - storedBefore
    return ((mainThreadCpuMs(server.pid) - cpuBefore) / created) * 1_000
  }
  const callUs = async (server: DuetimeServer, idPrefix: string) => {
    await receiver.ask({ type: 'reset' })
    const dueAt = Date.now() + LEAD_MS
    await createDue(server, { idPrefix, dueTimes: Array.from({ length: count }, () => dueAt), callbackUrl })
    const cpuBefore = mainThreadCpuMs(server.pid)
    await sleep(dueAt - Date.now())
    const result = await receiver.ask({ type: 'result', count, timeoutMs: WAIT_MS })
    if (result.count !== count) throw new Error(`${count} calls were due and ${result.count} came`)
    return ((mainThreadCpuMs(server.pid) - cpuBefore) / count) * 1_000
  }

  const servers = new Map<string, { readonly server: DuetimeServer; readonly rounds: Round[] }>()
  for (const [what, env] of Object.entries(SETTINGS)) {
    const server = await bench.duetime({ databasePath: await bench.database(0), env })
    await createUs(server, 'warmx-')
    await callUs(server, 'hotx-')
    servers.set(what, { server, rounds: [] })
  }
  for (let round = 0; round < bench.rounds; round++)
    for (const { server, rounds } of servers.values())
      rounds.push({
        createUs: await createUs(server, `c${round}x-`),
        callUs: await callUs(server, `f${round}x-`),
        mebibytes: server.residentBytes() / 2 ** 20,
      })
  return [...servers].flatMap(([what, { rounds }]) => figures(what, rounds))
}

async function stored(server: DuetimeServer): Promise<number> {
  return total(await server.metrics(), 'duetime_commit_puts_sum')
}

function figures(what: string, rounds: readonly Round[]): Measurement[] {
  const scenario = 'threads'
  return [
    measurement({
      scenario,
      what: `CPU of the deciding thread per create, ${IN_FLIGHT} in flight, ${what}`,
      unit: 'µs',
      rounds: rounds.map((round) => round.createUs),
    }),
    measurement({
      scenario,
      what: `CPU of the deciding thread per call, ${what}`,
      unit: 'µs',
      rounds: rounds.map((round) => round.callUs),
    }),
    measurement({ scenario, what: `memory, ${what}`, unit: 'MiB', rounds: rounds.map((round) => round.mebibytes) }),
  ]
}
