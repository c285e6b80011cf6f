// Fairness: how late one namespace's timers are while another namespace is flooded with creates, as fast as they are
// taken, and 500 slow clients hold connections open. Compared with the same timers when nothing else happens. Beside it
// the floor of the machine, whose cores the flood takes as well: setTimeout and a bare HTTP client in a process of its
// own, while the same flood hits a bare route in another.

import { setTimeout as sleep } from 'node:timers/promises'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { Helper } from '../harness/helper-process.ts'
import type { BareTimers } from '../programs/bare-timers.ts'
import type { Load, LoadResult } from '../programs/load-generator.ts'
import type { ReceiverQuestion, ReceiverResult } from '../programs/receiver.ts'
import type { SlowClients } from '../programs/slow-clients.ts'
import { createDue, randomDueTimes } from './due-timers.ts'

export const flood: Scenario = { name: 'flood', run }

const PER_SECOND = 100
const IN_FLIGHT = 64
const SLOW_CLIENTS = 500
const DURATION_MS = 8_000
const LEAD_MS = 2_500 // to create what will be due, and for the flood to reach its rate
const LATE_AT_MOST_MS = 30_000 // a call that has not come by then is missing, and that is an error

type Parts = {
  readonly server: DuetimeServer
  readonly barePort: number
  readonly bare: Helper<BareTimers, unknown>
  readonly generator: Helper<Load, LoadResult>
  readonly slow: Helper<SlowClients, { open: number }>
  readonly receiver: Helper<ReceiverQuestion, ReceiverResult>
  readonly origin: string
}

/** Idle, then flooded: of the service, and of the bare processes. */
type Round = { readonly idleMs: number; readonly floodedMs: number; readonly createsPerSecond: number }

async function run(bench: Bench): Promise<Measurement[]> {
  const parts = await start(bench)
  const durationMs = bench.durationMs(DURATION_MS)
  const rounds: Round[] = []
  const bareRounds: Round[] = []
  for (let round = 0; round < bench.rounds; round++) {
    bareRounds.push(await bareRound(parts, durationMs, round))
    rounds.push(await serviceRound(parts, durationMs, round))
  }
  const figure = (
    what: string,
    of: (round: Round) => number,
    rest: Pick<Measurement, 'unit'> & { target?: { atMost: number } },
  ) =>
    measurement({
      scenario: 'flood',
      what,
      rounds: rounds.map(of),
      raw: { what: 'setTimeout, a bare HTTP client and a bare route', rounds: bareRounds.map(of) },
      ...rest,
    })
  return [
    figure(`p99 at ${PER_SECOND}/s, nothing else`, ({ idleMs }) => idleMs, { unit: 'ms' }),
    figure('p99 beside a flood in another namespace', ({ floodedMs }) => floodedMs, { unit: 'ms' }),
    figure('the one in terms of the other', ({ idleMs, floodedMs }) => floodedMs / idleMs, {
      unit: 'times',
      target: { atMost: 3 },
    }),
    figure(`creates of the flood, ${IN_FLIGHT} in flight`, ({ createsPerSecond }) => createsPerSecond, { unit: '/s' }),
  ]
}

async function start(bench: Bench): Promise<Parts> {
  const program = (name: string) => new URL(`../programs/${name}.ts`, import.meta.url)
  const server = await bench.duetime({ databasePath: await bench.database(0) })
  const { ready: route } = await bench.helper<never, never, { port: number }>(program('bare-route'))
  const { helper: bare } = await bench.helper<BareTimers, unknown>(program('bare-timers'))
  const { helper: generator } = await bench.helper<Load, LoadResult>(program('load-generator'))
  const { helper: slow } = await bench.helper<SlowClients, { open: number }>(program('slow-clients'))
  const { helper: receiver, ready } = await bench.helper<ReceiverQuestion, ReceiverResult, { port: number }>(
    program('receiver'),
  )
  return { server, barePort: route.port, bare, generator, slow, receiver, origin: `http://127.0.0.1:${ready.port}` }
}

async function serviceRound(parts: Parts, durationMs: number, round: number): Promise<Round> {
  const { server, origin } = parts
  const steady = (name: string) => async (dueTimes: readonly number[]) => {
    await createDue(server, {
      namespace: 'steady',
      idPrefix: name,
      dueTimes,
      callbackUrl: `${origin}/hooks/order/reminders`,
    })
  }
  const idleMs = await p99(parts, durationMs, steady(`i${round}x-`))
  return {
    idleMs,
    ...(await flooded(parts, { port: server.port, durationMs, idPrefix: `f${round}x-` }, steady(`s${round}x-`))),
  }
}

async function bareRound(parts: Parts, durationMs: number, round: number): Promise<Round> {
  const { bare, origin, barePort } = parts
  const timers = async (dueTimes: readonly number[]) => void (await bare.ask({ origin, dueTimes }))
  const idleMs = await p99(parts, durationMs, timers)
  return { idleMs, ...(await flooded(parts, { port: barePort, durationMs, idPrefix: `g${round}x-` }, timers)) }
}

type Flood = { readonly port: number; readonly durationMs: number; readonly idPrefix: string }
type Arrange = (dueTimes: readonly number[]) => Promise<void>

async function flooded(
  parts: Parts,
  { port, durationMs, idPrefix }: Flood,
  arrange: Arrange,
): Promise<Omit<Round, 'idleMs'>> {
  const { open } = await parts.slow.ask({ port, connections: SLOW_CLIENTS })
  if (open < SLOW_CLIENTS) throw new Error(`${open} of ${SLOW_CLIENTS} slow clients got a connection`)
  const load = { port, path: '/api/v1/timers/create', connections: IN_FLIGHT, perSecond: null, idPrefix }
  const flooding = parts.generator.ask({ ...load, warmUpMs: LEAD_MS, durationMs })
  const [floodedMs, { perSecond }] = await Promise.all([p99(parts, durationMs, arrange), flooding])
  await parts.slow.ask({ port, connections: 0 })
  return { floodedMs, createsPerSecond: perSecond }
}

/** Of the lateness of all timers that are due from `LEAD_MS` from now on, `durationMs` long. */
async function p99({ receiver }: Parts, durationMs: number, arrange: Arrange): Promise<number> {
  await receiver.ask({ type: 'reset' })
  const from = Date.now() + LEAD_MS
  const dueTimes = randomDueTimes({ from, durationMs, perSecond: PER_SECOND })
  await arrange(dueTimes)
  await sleep(Math.max(0, from + durationMs - Date.now()))
  const { count, early, latenessMs } = await receiver.ask({
    type: 'result',
    count: dueTimes.length,
    timeoutMs: LATE_AT_MOST_MS,
  })
  if (count !== dueTimes.length) throw new Error(`${dueTimes.length} calls were due and ${count} came`)
  if (early > 0) throw new Error(`${early} calls came before their time`)
  return latenessMs!.p99
}
