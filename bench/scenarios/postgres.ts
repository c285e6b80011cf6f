// One node on PostgreSQL, beside the raw limits of the same server in the same run: plain INSERTs into the same table with
// the same indexes, and a bare HTTP client. What a create costs the database is told besides.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Scenario } from '../harness/bench.ts'
import { total } from '../harness/duetime-server.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { Helper } from '../harness/helper-process.ts'
import type { BenchDatabase, BenchPostgres } from '../harness/postgres.ts'
import { mainThreadCpuMs } from '../harness/process-usage.ts'
import type { BarePosts } from '../programs/bare-poster.ts'
import type { Batches, BatchesResult } from '../programs/batch-generator.ts'
import { BATCH_PATH, timerBody } from '../programs/create-body.ts'
import type { RawPostgresInserts } from '../programs/raw-postgres.ts'
import type { ReceiverResult } from '../programs/receiver.ts'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import { postgresPicture } from '../report/picture.ts'
import { perSecond, settledCount } from './burst.ts'
import { createsLoad, IN_FLIGHT } from './creates.ts'
import { createDue } from './due-timers.ts'
import { latenessParts } from './lateness.ts'
import type { LatenessParts } from './lateness.ts'
import { lateness } from './postgres-lateness.ts'

export const postgres: Scenario = { name: 'postgres', run, apart: { results: 'postgres', picture: postgresPicture } }

const RAW_CONNECTIONS = 16
const STORED = 200_000
const BATCHES = 40
const PER_BATCH = 1_000
const BATCHES_IN_FLIGHT = 4
const BURST = 20_000
const BURST_LEAD_MS = 10_000
const BURST_CONNECTIONS = 256 // the default of DELIVERIES_PER_TARGET_MAX

export type PostgresParts = LatenessParts & {
  readonly postgres: BenchPostgres
  readonly database: BenchDatabase
  readonly raw: Helper<RawPostgresInserts, { perSecond: number }>
  readonly batches: Helper<Batches, BatchesResult>
  readonly poster: Helper<BarePosts, unknown>
}

async function run(bench: Bench): Promise<Measurement[]> {
  const parts = await postgresParts(bench)
  const server = await bench.duetime({ databaseUrl: parts.database.url })
  const created = await creates(bench, parts, server)
  const batched = await batches(bench, parts, server)
  const fired = await bursts(bench, parts, server)
  await server.stop()
  await parts.database.growTo(bench.timers(STORED))
  return [...created, ...batched, ...fired, ...(await lateness(bench, parts))]
}

/** The raw inserts go to a database of their own, with the same schema. */
export async function postgresParts(bench: Bench): Promise<PostgresParts> {
  const postgresServer = await bench.postgres()
  const { location } = await postgresServer.database()
  const program = (name: string) => new URL(`../programs/${name}.ts`, import.meta.url)
  return {
    ...(await latenessParts(bench)),
    postgres: postgresServer,
    database: await postgresServer.database(),
    raw: (await bench.helper<RawPostgresInserts, { perSecond: number }>(program('raw-postgres'), { location })).helper,
    batches: (await bench.helper<Batches, BatchesResult>(program('batch-generator'))).helper,
    poster: (await bench.helper<BarePosts, unknown>(program('bare-poster'))).helper,
  }
}

async function creates(bench: Bench, parts: PostgresParts, server: DuetimeServer): Promise<Measurement[]> {
  const raw: number[] = []
  const rounds: Created[] = []
  for (let round = 0; round < bench.rounds; round++) {
    const durationMs = bench.durationMs(4_000)
    const rows = { firstId: round * 1_000_000, connections: RAW_CONNECTIONS, durationMs, rowsMax: durationMs * 20 }
    raw.push((await parts.raw.ask({ type: 'rows', ...rows })).perSecond)
    rounds.push(await createRound(bench, parts, server, `p${round}x-`))
  }
  const scenario = 'postgres'
  const of = (value: (one: Created) => number) => rounds.map(value)
  return [
    measurement({
      scenario,
      what: `durable creates, ${IN_FLIGHT} in flight`,
      unit: '/s',
      rounds: of((one) => one.perSecond),
      raw: { what: `one-row inserts over ${RAW_CONNECTIONS} connections`, rounds: raw },
      target: { shareAtLeast: 1 },
    }),
    measurement({ scenario, what: `latency p99, ${IN_FLIGHT} in flight`, unit: 'ms', rounds: of((one) => one.p99Ms) }),
    measurement({ scenario, what: 'rows per commit', unit: 'rows', rounds: of((one) => one.rowsPerCommit) }),
    measurement({
      scenario,
      what: 'CPU time of the main thread per create',
      unit: 'µs',
      rounds: of((one) => one.cpuUs),
    }),
    measurement({
      scenario,
      what: 'CPU time of the database per create',
      unit: 'µs',
      rounds: of((one) => one.databaseUs),
    }),
    measurement({ scenario, what: 'write-ahead log per create', unit: 'bytes', rounds: of((one) => one.walBytes) }),
  ]
}

type Created = {
  readonly perSecond: number
  readonly p99Ms: number
  readonly rowsPerCommit: number
  readonly cpuUs: number
  readonly databaseUs: number
  readonly walBytes: number
}

export async function createRound(
  bench: Bench,
  parts: PostgresParts,
  server: DuetimeServer,
  idPrefix: string,
): Promise<Created> {
  const before = await costsOf(parts, server)
  const { perSecond: rate, requests, latencyMs } = await parts.generator.ask(createsLoad(bench, server.port, idPrefix))
  const after = await costsOf(parts, server)
  return {
    perSecond: rate,
    p99Ms: latencyMs.p99,
    rowsPerCommit: (after.puts - before.puts) / (after.commits - before.commits),
    cpuUs: ((after.cpuMs - before.cpuMs) / requests) * 1_000,
    databaseUs: ((after.databaseMs - before.databaseMs) / requests) * 1_000,
    walBytes: (after.walBytes - before.walBytes) / requests,
  }
}

async function costsOf({ postgres: database }: PostgresParts, server: DuetimeServer) {
  const metrics = await server.metrics()
  return {
    puts: total(metrics, 'duetime_commit_puts_sum'),
    commits: total(metrics, 'duetime_commit_puts_count'),
    cpuMs: mainThreadCpuMs(server.pid),
    walBytes: await database.walBytes(),
    databaseMs: database.cpuMs(),
  }
}

async function batches(
  bench: Bench,
  { raw, batches: generator }: PostgresParts,
  server: DuetimeServer,
): Promise<Measurement[]> {
  const rawRounds: number[] = []
  const rounds: number[] = []
  for (let round = 0; round < bench.rounds; round++) {
    const requests = bench.timers(BATCHES)
    const firstId = 100_000_000 + round * requests * PER_BATCH
    rawRounds.push(
      (await raw.ask({ type: 'arrays', firstId, statements: requests, rowsPerStatement: PER_BATCH })).perSecond,
    )
    const due = { afterDays: 2, days: 363 }
    const load = {
      origin: server.url,
      path: BATCH_PATH,
      requests,
      timersPerRequest: PER_BATCH,
      inFlight: BATCHES_IN_FLIGHT,
      firstId,
      due,
    }
    rounds.push((await generator.ask(load)).perSecond)
  }
  return [
    measurement({
      scenario: 'postgres',
      what: `${PER_BATCH.toLocaleString('en-US')} creates a request, ${BATCHES_IN_FLIGHT} in flight`,
      unit: '/s',
      rounds,
      raw: { what: 'unnest of 1,000 rows', rounds: rawRounds },
      target: { shareAtLeast: 0.6 },
    }),
  ]
}

async function bursts(bench: Bench, parts: PostgresParts, server: DuetimeServer): Promise<Measurement[]> {
  const count = bench.timers(BURST)
  const bare: number[] = []
  const rounds: Burst[] = []
  for (let round = 0; round < bench.rounds; round++) {
    bare.push(await bareBurst(parts, count))
    rounds.push(await burstRound(parts, [server], { count, idPrefix: `q${round}x-` }))
  }
  const raw = { what: 'a bare undici pool', rounds: bare }
  const scenario = 'postgres'
  const of = (value: (one: Burst) => number) => rounds.map(value)
  const what = `calls, ${count.toLocaleString('en-US')} due at once`
  return [
    measurement({ scenario, what, unit: '/s', rounds: of((one) => one.delivered), raw, target: { shareAtLeast: 0.3 } }),
    measurement({
      scenario,
      what: 'called and settled in the store',
      unit: '/s',
      rounds: of((one) => one.settled),
      raw,
    }),
    measurement({
      scenario,
      what: 'CPU time of the database per firing',
      unit: 'µs',
      rounds: of((one) => one.databaseUs),
    }),
  ]
}

async function bareBurst(parts: PostgresParts, count: number): Promise<number> {
  const body = timerBody({
    id: 'bare-000000000000000',
    executeAt: '2040-01-10T00:00:00.000Z',
    callbackUrl: parts.origin,
  })
  await parts.receiver.ask({ type: 'reset' })
  await parts.poster.ask({ origin: parts.origin, count, connections: BURST_CONNECTIONS, body })
  return perSecond(count, (await arrived(parts, count)).durationMs)
}

type Burst = { readonly delivered: number; readonly settled: number; readonly databaseUs: number }

/** The timers are created through the first of the servers; their owners fire them. */
export async function burstRound(
  parts: PostgresParts,
  servers: readonly DuetimeServer[],
  { count, idPrefix }: { readonly count: number; readonly idPrefix: string },
): Promise<Burst> {
  await parts.receiver.ask({ type: 'reset' })
  const before = await settledBy(servers)
  const dueAt = Date.now() + BURST_LEAD_MS
  const dueTimes = Array.from({ length: count }, () => dueAt)
  await createDue(servers[0]!, { idPrefix, dueTimes, callbackUrl: `${parts.origin}/hooks/order/reminders` })
  if (Date.now() > dueAt - 500)
    throw new Error('creating the burst took too long: it would begin before all of it is stored')
  await sleep(dueAt - Date.now())
  const databaseBefore = parts.postgres.cpuMs()
  const { durationMs } = await arrived(parts, count)
  while ((await settledBy(servers)) < before + count) await sleep(20)
  const settledMs = Date.now() - dueAt
  const databaseUs = ((parts.postgres.cpuMs() - databaseBefore) / count) * 1_000
  return { delivered: perSecond(count, durationMs), settled: perSecond(count, settledMs), databaseUs }
}

async function settledBy(servers: readonly DuetimeServer[]): Promise<number> {
  return (await Promise.all(servers.map(settledCount))).reduce((sum, one) => sum + one, 0)
}

async function arrived({ receiver }: PostgresParts, count: number): Promise<ReceiverResult> {
  const result = await receiver.ask({ type: 'result', count, timeoutMs: 60_000 })
  if (result.count !== count) throw new Error(`${count} calls were due and ${result.count} came`)
  return result
}
