// How long after its due time a timer's call arrives at the receiver, on one clock. Beside it the floor of the
// machine: setTimeout and a bare HTTP client, with nothing to remember and nothing else to do.

import { setTimeout as sleep } from 'node:timers/promises'
import { measurement } from '../report/measurement.ts'
import type { Measurement, Target } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { Helper } from '../harness/helper-process.ts'
import type { BareTimers } from '../programs/bare-timers.ts'
import type { Load, LoadResult } from '../programs/load-generator.ts'
import type { ReceiverQuestion, ReceiverResult } from '../programs/receiver.ts'
import { createDue, randomDueTimes } from './due-timers.ts'

export const lateness: Scenario = { name: 'lateness', run }

const LEAD_MS = 1_500 // to create what will be due, and for the service to come to rest again
const LATE_AT_MOST_MS = 20_000 // a call that has not come by then is missing, and that is an error

type Case = {
  readonly what: string
  readonly stored: number
  readonly perSecond: number
  readonly durationMs: number
  readonly bareMs: number
  readonly createsPerSecond: number
  readonly targets: { readonly p50?: Target; readonly p99?: Target }
}

const CASES: readonly Case[] = [
  {
    what: '100/s, 200k stored',
    stored: 200_000,
    perSecond: 100,
    durationMs: 8_000,
    bareMs: 4_000,
    createsPerSecond: 0,
    targets: { p50: { atMost: 2 }, p99: { atMost: 4 } },
  },
  {
    what: '100/s while 2,000/s are created',
    stored: 200_000,
    perSecond: 100,
    durationMs: 5_000,
    bareMs: 0,
    createsPerSecond: 2_000,
    targets: {},
  },
  {
    what: '1,000/s, 1M stored',
    stored: 1_000_000,
    perSecond: 1_000,
    durationMs: 6_000,
    bareMs: 3_000,
    createsPerSecond: 0,
    targets: { p99: { atMost: 15 } },
  },
]

export type LatenessParts = {
  readonly receiver: Helper<ReceiverQuestion, ReceiverResult>
  readonly origin: string
  readonly bare: Helper<BareTimers, unknown>
  readonly generator: Helper<Load, LoadResult>
}

export async function latenessParts(bench: Bench): Promise<LatenessParts> {
  const { helper: receiver, ready } = await bench.helper<ReceiverQuestion, ReceiverResult, { port: number }>(
    new URL('../programs/receiver.ts', import.meta.url),
  )
  const { helper: bare } = await bench.helper<BareTimers, unknown>(
    new URL('../programs/bare-timers.ts', import.meta.url),
  )
  const { helper: generator } = await bench.helper<Load, LoadResult>(
    new URL('../programs/load-generator.ts', import.meta.url),
  )
  return { receiver, origin: `http://127.0.0.1:${ready.port}`, bare, generator }
}

async function run(bench: Bench): Promise<Measurement[]> {
  const parts = await latenessParts(bench)
  const measured: Measurement[] = []
  for (const [index, one] of CASES.entries()) {
    const server = await bench.duetime({ databasePath: await bench.database(bench.timers(one.stored)) })
    measured.push(...(await runCase(bench, parts, server, one, index)))
    await server.stop()
  }
  return measured
}

async function runCase(
  bench: Bench,
  parts: LatenessParts,
  server: DuetimeServer,
  one: Case,
  index: number,
): Promise<Measurement[]> {
  const rounds: ReceiverResult[] = []
  const bareRounds: ReceiverResult[] = []
  for (let round = 0; round < bench.rounds; round++) {
    if (one.bareMs > 0) bareRounds.push(await bareRound(parts, bench.durationMs(one.bareMs), one.perSecond))
    rounds.push(
      await serviceRound(parts, server, {
        ...one,
        durationMs: bench.durationMs(one.durationMs),
        name: `l${index}${round}-`,
      }),
    )
  }
  const early = [...rounds, ...bareRounds].reduce((sum, result) => sum + result.early, 0)
  if (early > 0) throw new Error(`${early} calls came before their time`)

  const figure = (quantile: 'p50' | 'p99') =>
    measurement({
      scenario: 'lateness',
      what: `${quantile} at ${one.what}`,
      unit: 'ms',
      rounds: rounds.map(({ latenessMs }) => latenessMs![quantile]),
      ...(bareRounds.length > 0 && {
        raw: {
          what: 'setTimeout and a bare HTTP client',
          rounds: bareRounds.map(({ latenessMs }) => latenessMs![quantile]),
        },
      }),
      ...(one.targets[quantile] && { target: one.targets[quantile] }),
    })
  return [figure('p50'), figure('p99')]
}

export async function bareRound(
  { receiver, origin, bare }: LatenessParts,
  durationMs: number,
  perSecond: number,
): Promise<ReceiverResult> {
  await receiver.ask({ type: 'reset' })
  const dueTimes = randomDueTimes({ from: Date.now() + LEAD_MS, durationMs, perSecond })
  await bare.ask({ origin, dueTimes })
  return all(
    await receiver.ask({ type: 'result', count: dueTimes.length, timeoutMs: LATE_AT_MOST_MS }),
    dueTimes.length,
  )
}

type Round = {
  readonly durationMs: number
  readonly perSecond: number
  readonly createsPerSecond: number
  readonly name: string
  /** Longer where a database takes longer to store them. */
  readonly leadMs?: number
}

export async function serviceRound(parts: LatenessParts, server: DuetimeServer, round: Round): Promise<ReceiverResult> {
  const { receiver, origin, generator } = parts
  const { durationMs, perSecond, createsPerSecond, name, leadMs = LEAD_MS } = round
  await receiver.ask({ type: 'reset' })
  const from = Date.now() + leadMs
  const dueTimes = randomDueTimes({ from, durationMs, perSecond })
  await createDue(server, { idPrefix: name, dueTimes, callbackUrl: `${origin}/hooks/order/reminders` })
  const creating =
    createsPerSecond === 0
      ? null
      : generator.ask(createsBeside(server, durationMs, createsPerSecond, `w${name.slice(1)}`))
  await sleep(Math.max(0, from + durationMs - Date.now()))
  await creating
  return all(
    await receiver.ask({ type: 'result', count: dueTimes.length, timeoutMs: LATE_AT_MOST_MS }),
    dueTimes.length,
  )
}

function createsBeside(server: DuetimeServer, durationMs: number, perSecond: number, idPrefix: string): Load {
  return {
    port: server.port,
    path: '/api/v1/timers/create',
    connections: 16,
    warmUpMs: LEAD_MS,
    durationMs,
    perSecond,
    idPrefix,
  }
}

function all(result: ReceiverResult, count: number): ReceiverResult {
  if (result.count === count) return result
  throw new Error(`${count} calls were due and ${result.count} came`)
}
