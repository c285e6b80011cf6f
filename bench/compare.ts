// npm run bench:compare -- <another checkout> [--postgres] [--slices 10] [--only creates|firings] [--burst 4000]
//
// Is this version faster than another one? Two runs of a benchmark cannot tell on a machine that others use, too: its speed
// changes by more than what is looked for. So both versions run at the same time, each on a database of its own, and
// take turns every few seconds; what counts is the median of the ratios of neighbours.

import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Bench } from './harness/bench.ts'
import type { DuetimeServer } from './harness/duetime-server.ts'
import type { Helper } from './harness/helper-process.ts'
import type { BenchPostgres } from './harness/postgres.ts'
import { threadsCpuMs } from './harness/process-usage.ts'
import type { Load, LoadResult } from './programs/load-generator.ts'
import type { ReceiverQuestion, ReceiverResult } from './programs/receiver.ts'
import { createDue } from './scenarios/due-timers.ts'

const ROOT = resolve(import.meta.dirname, '..')
const SLICES_UNCOUNTED = 2
const SLICE_MS = 1_500
const CONNECTIONS = 64
const BURST_LEAD_MS = 2_500
const REST_MS = 400 // what was answered is settled, and counted, a moment later
const WAIT_MS = 60_000

/** CPU time in microseconds for each create or firing: of the main thread, the busiest other thread, the database, all of it. */
type Figures = Readonly<Record<'main' | 'writer' | 'database' | 'all' | 'perSecond', number>>
type Version = { readonly name: string; readonly server: DuetimeServer }
type Parts = {
  readonly postgres: BenchPostgres | null
  readonly load: Helper<Load, LoadResult>
  readonly receiver: Helper<ReceiverQuestion, ReceiverResult>
  readonly callbackUrl: string
}

const WORKS = { creates, firings }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    postgres: { type: 'boolean', default: false },
    slices: { type: 'string', default: '10' },
    only: { type: 'string' },
    burst: { type: 'string', default: '4000' },
  },
})
const burst = Number(values.burst)
const [other] = positionals
if (other === undefined || (values.only !== undefined && !Object.hasOwn(WORKS, values.only))) {
  console.error(
    'npm run bench:compare -- <another checkout, with its node_modules> [--postgres] [--slices 10] [--only creates|firings] [--burst 4000]',
  )
  process.exit(2)
}

const bench = new Bench({ quick: false, log: (text) => process.stderr.write(`${text}\n`) })
let slice = 0
try {
  await compare(resolve(other), Number(values.slices))
} finally {
  await bench.stopAll()
  bench.close()
}

async function compare(before: string, slices: number): Promise<void> {
  const postgres = values.postgres ? await bench.postgres() : null
  const start = async (name: string, checkout: string): Promise<Version> => {
    const database =
      postgres === null ? { databasePath: await bench.database(0) } : { databaseUrl: (await postgres.empty()).url }
    return { name, server: await bench.duetime({ ...database, checkout }) }
  }
  const versions = [await start('before', before), await start('after', ROOT)]
  const { helper: load } = await bench.helper<Load, LoadResult>(new URL('programs/load-generator.ts', import.meta.url))
  const { helper: receiver, ready } = await bench.helper<ReceiverQuestion, ReceiverResult, { port: number }>(
    new URL('programs/receiver.ts', import.meta.url),
  )
  const parts: Parts = { postgres, load, receiver, callbackUrl: `http://127.0.0.1:${ready.port}/hooks/order` }
  for (const [work, run] of Object.entries(WORKS)) {
    if (values.only !== undefined && values.only !== work) continue
    const rounds: Figures[][] = []
    for (let round = 0; round < SLICES_UNCOUNTED + slices; round++) {
      const figures: Figures[] = []
      // Who goes first changes, so that neither is always behind the other.
      for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) figures[at] = await run(versions[at]!, parts)
      if (round >= SLICES_UNCOUNTED) rounds.push(figures)
    }
    print(work, versions, rounds)
  }
}

async function creates({ server }: Version, { postgres, load }: Parts): Promise<Figures> {
  const idPrefix = `c${String(slice++).padStart(3, '0')}`
  return counted(server, postgres, async () => {
    const { requests, perSecond } = await load.ask({
      port: server.port,
      path: '/api/v1/timers/create',
      connections: CONNECTIONS,
      warmUpMs: 0,
      durationMs: SLICE_MS,
      perSecond: null,
      idPrefix,
    })
    return { count: requests, perSecond }
  })
}

async function firings({ server }: Version, { postgres, receiver, callbackUrl }: Parts): Promise<Figures> {
  await receiver.ask({ type: 'reset' })
  const dueAt = Date.now() + BURST_LEAD_MS
  const dueTimes = Array.from({ length: burst }, () => dueAt)
  await createDue(server, { idPrefix: `f${String(slice++).padStart(3, '0')}`, dueTimes, callbackUrl })
  await sleep(Math.max(0, dueAt - Date.now() - 20))
  return counted(server, postgres, async () => {
    const { count } = await receiver.ask({ type: 'result', count: burst, timeoutMs: WAIT_MS })
    return { count, perSecond: (count / (Date.now() - dueAt)) * 1_000 }
  })
}

async function counted(
  server: DuetimeServer,
  postgres: BenchPostgres | null,
  work: () => Promise<{ readonly count: number; readonly perSecond: number }>,
): Promise<Figures> {
  const [threads, database] = [threadsCpuMs(server.pid), postgres?.cpuMs() ?? 0]
  const { count, perSecond } = await work()
  await sleep(REST_MS)
  const spent = Array.from(
    threadsCpuMs(server.pid),
    ([thread, ms]) => [thread, ms - (threads.get(thread) ?? 0)] as const,
  )
  const each = (ms: number) => (ms * 1_000) / count
  const main = spent.find(([thread]) => thread === String(server.pid))![1]
  const others = spent.filter(([thread]) => thread !== String(server.pid)).map(([, ms]) => ms)
  const inDatabase = (postgres?.cpuMs() ?? 0) - database
  const all = main + others.reduce((sum, ms) => sum + ms, 0) + inDatabase
  return { main: each(main), writer: each(Math.max(...others)), database: each(inDatabase), all: each(all), perSecond }
}

function print(work: string, versions: readonly Version[], rounds: readonly Figures[][]): void {
  const hasDatabase = rounds[0]![0]!.database > 0
  const keys = (['main', 'writer', 'database', 'all', 'perSecond'] as const).filter(
    (key) => key !== (hasDatabase ? 'writer' : 'database'),
  )
  console.log(`\n${work}: µs of CPU time each`)
  const row = (name: string, figure: (key: (typeof keys)[number]) => string) =>
    console.log(`  ${name.padEnd(14)}${keys.map((key) => `${key} ${figure(key)}`.padEnd(20)).join('')}`)
  for (const [at, { name }] of versions.entries())
    row(name, (key) => median(rounds.map((round) => round[at]![key])).toFixed(1))
  row('after/before', (key) => median(rounds.map((round) => round[1]![key] / round[0]![key])).toFixed(3))
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!
}
