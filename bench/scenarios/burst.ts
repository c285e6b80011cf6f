// Many timers due at one instant, each a call to a receiver in another process. Beside it as many calls from a bare
// HTTP client with as many connections.

import { setTimeout as sleep } from 'node:timers/promises'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import { total } from '../harness/duetime-server.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { BarePosts } from '../programs/bare-poster.ts'
import { timerBody } from '../programs/create-body.ts'
import type { ReceiverQuestion, ReceiverResult } from '../programs/receiver.ts'
import { createDue } from './due-timers.ts'

export const burst: Scenario = { name: 'burst', run }

const TIMERS = 20_000
const CONNECTIONS = 256 // the default of DELIVERIES_PER_TARGET_MAX
const LEAD_MS = 4_000 // time to create them all, and for the service to come to rest
const WAIT_MS = 60_000

async function run(bench: Bench): Promise<Measurement[]> {
  const count = bench.timers(TIMERS)
  const server = await bench.duetime({ databasePath: await bench.database(0) })
  const { helper: receiver, ready } = await bench.helper<ReceiverQuestion, ReceiverResult, { port: number }>(
    new URL('../programs/receiver.ts', import.meta.url),
  )
  const { helper: poster } = await bench.helper<BarePosts, unknown>(
    new URL('../programs/bare-poster.ts', import.meta.url),
  )
  const origin = `http://127.0.0.1:${ready.port}`
  const body = timerBody({ id: 'bare-000000000000000', executeAt: '2040-01-10T00:00:00.000Z', callbackUrl: origin })
  const arrived = async () => {
    const result = await receiver.ask({ type: 'result', count, timeoutMs: WAIT_MS })
    if (result.count !== count) throw new Error(`${count} calls were due and ${result.count} came`)
    return result
  }

  const bare: number[] = []
  const delivered: number[] = []
  const settled: number[] = []
  for (let round = 0; round < bench.rounds; round++) {
    await receiver.ask({ type: 'reset' })
    await poster.ask({ origin, count, connections: CONNECTIONS, body })
    bare.push(perSecond(count, (await arrived()).durationMs))

    await receiver.ask({ type: 'reset' })
    const settledBefore = await settledCount(server)
    const dueAt = Date.now() + LEAD_MS
    const dueTimes = Array.from({ length: count }, () => dueAt)
    await createDue(server, { idPrefix: `u${round}x-`, dueTimes, callbackUrl: `${origin}/hooks/order/reminders` })
    if (Date.now() > dueAt - 500)
      throw new Error('creating the burst took too long: it would begin before all of it is stored')
    await sleep(dueAt - Date.now())
    const result = await arrived()
    delivered.push(perSecond(count, result.durationMs))
    await untilSettled(server, settledBefore + count)
    settled.push(perSecond(count, Date.now() - dueAt))
  }

  const raw = { what: 'a bare undici pool', rounds: bare }
  const timers = count.toLocaleString('en-US')
  return [
    measurement({
      scenario: 'burst',
      what: `calls, ${timers} due at once`,
      unit: '/s',
      rounds: delivered,
      raw,
      target: { shareAtLeast: 0.3 },
    }),
    measurement({ scenario: 'burst', what: 'called and settled in the store', unit: '/s', rounds: settled, raw }),
  ]
}

export function perSecond(count: number, durationMs: number): number {
  return (count / durationMs) * 1_000
}

/** An attempt is counted when its outcome is durable. */
export async function settledCount(server: DuetimeServer): Promise<number> {
  return total(await server.metrics(), 'duetime_deliveries_total')
}

async function untilSettled(server: DuetimeServer, count: number): Promise<void> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(20))
    if ((await settledCount(server)) >= count) return
  throw new Error('some of the deliveries were never settled')
}
