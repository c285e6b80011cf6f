// The same work on every engine, side by side in one run, each beside the raw limit of the same kind of server for the same
// fenced writes: what its adapter commits when nothing else is in its way. The engine must show in what a create costs, and
// not in how late a timer is.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Scenario } from '../harness/bench.ts'
import { total } from '../harness/duetime-server.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { Helper } from '../harness/helper-process.ts'
import type { Spread } from '../harness/statistics.ts'
import type { LoadResult } from '../programs/load-generator.ts'
import type { RawCommits } from '../programs/raw-commits.ts'
import type { SdkCreates } from '../programs/sdk-creates.ts'
import { writeEnginesPage } from '../report/engines-page.ts'
import { engineFigure, enginesPicture } from '../report/engines-picture.ts'
import { measurement } from '../report/measurement.ts'
import type { Figure } from '../report/measurement.ts'
import { perSecond, settledCount } from './burst.ts'
import { createsLoad, IN_FLIGHT } from './creates.ts'
import { createDue } from './due-timers.ts'
import { serviceRound } from './lateness.ts'
import { BATCHES_IN_FLIGHT, onAllEngines, PER_BATCH, storeMany, storeMore, trialOf } from './on-engines.ts'
import type { MeasureEngine, Trial } from './on-engines.ts'

export const engines: Scenario = {
  name: 'engines',
  run: (bench) => onAllEngines(bench, runOn),
  apart: { results: 'engines', picture: enginesPicture, page: writeEnginesPage },
}

const RAW_ROWS = IN_FLIGHT / 2 // of 64 clients that wait, two commits have half each
const RAW_FIRED = 30_000
const RAW_COMMITS = 1_500 // for a second or more on the fastest, so that checkpoints are in it, as they are for the service
const RAW_WITHIN_MS = 5_000
const BATCHES = 40
const BATCHES_MIN = 2
const BATCH_SECONDS = 4
const BURST = 5_000
const BURST_IF_SLOW = 1_000
const SLOW_PER_SECOND = 1_000
export const BURST_FIGURE = 'called and settled, all due at once'
const BURST_LEAD_MS = 2_000 // and the time in which this engine stores the burst, twice
const STORED = 200_000
const ROUNDS_MAX = 3 // of each, so that all engines are measured within twenty minutes; the first does not count
const SHARE_GOAL = 0.6
const LATENESS_MS = 8_000
const LATENESS_LEAD_MS = 1_500
const FIRED_PER_SECOND = 100
const LATENESS_GOAL_MS = 10

type RawTrial = Trial & {
  readonly raw: Helper<RawCommits, { perSecond: number }>
  readonly sdk: Helper<SdkCreates, { perSecond: number }>
}

async function runOn(...[bench, one, record]: Parameters<MeasureEngine>): Promise<void> {
  const { title, start } = one
  const { url, env } = await start(bench)
  const program = new URL('../programs/raw-commits.ts', import.meta.url)
  const raw = await bench.helper<RawCommits, { perSecond: number }>(program, { url, env })
  const sdk = await bench.helper<SdkCreates, { perSecond: number }>(
    new URL('../programs/sdk-creates.ts', import.meta.url),
  )
  const trial: RawTrial = { ...(await trialOf(bench, one)), raw: raw.helper, sdk: sdk.helper }
  const recordAll = (rows: readonly Row[]) =>
    record(...rows.map((row) => measurement({ ...row, scenario: 'engines', what: engineFigure(title, row.what) })))
  await storeMore(trial, 1) // a server that has just started may take seconds for its first writes
  recordAll(await creates(bench, trial))
  const [stored] = await batches(bench, trial)
  recordAll([stored])
  recordAll(await bursts(bench, trial, Math.min(...stored.rounds)))
  recordAll(await lateness(bench, trial, Math.min(...stored.rounds)))
  recordAll(await bySdk(bench, trial))
}

type Row = Omit<Figure, 'scenario'>

function roundsOf({ rounds }: Bench): number {
  return Math.min(rounds, ROUNDS_MAX)
}

async function creates(bench: Bench, trial: RawTrial): Promise<Row[]> {
  const raw: number[] = []
  const rounds: number[] = []
  const latencies: number[] = []
  const commits: number[] = []
  const cpu: number[] = []
  for (let round = 0; round < roundsOf(bench); round++) {
    raw.push(await rawRound(trial, { kind: 'create', commits: bench.timers(RAW_COMMITS), rowsPerCommit: RAW_ROWS }))
    const before = await costsOf(trial)
    const { perSecond: rate, requests, latencyMs } = await createsRound(bench, trial, { name: `e${round}x-` })
    const after = await costsOf(trial)
    rounds.push(rate)
    latencies.push(latencyMs.p99)
    commits.push((after.commits - before.commits) / requests)
    cpu.push(((after.cpuMs - before.cpuMs) / requests) * 1_000)
  }
  return [
    {
      what: `durable creates, ${IN_FLIGHT} in flight`,
      unit: '/s',
      rounds,
      raw: rawCreates(raw),
      target: { shareAtLeast: SHARE_GOAL },
    },
    { what: `latency p99, ${IN_FLIGHT} in flight`, unit: 'ms', rounds: latencies },
    { what: 'commits per create', unit: 'commits', rounds: commits },
    ...(trial.engine.cpuMs === null
      ? []
      : [{ what: 'CPU time of the server per create', unit: 'µs', rounds: cpu } as const]),
  ]
}

function rawCreates(rounds: readonly number[]) {
  return { what: `commits of ${RAW_ROWS} timers, two at a time`, rounds }
}

/** The last of all, because it stores more timers than the others. */
async function bySdk(bench: Bench, trial: RawTrial): Promise<[Row]> {
  const raw: number[] = []
  const rounds: number[] = []
  const load = { url: trial.server.url, callsUnderWay: IN_FLIGHT }
  const times = { warmUpMs: bench.durationMs(1_500), durationMs: bench.durationMs(4_000) }
  for (let round = 0; round < roundsOf(bench); round++) {
    raw.push(await rawRound(trial, { kind: 'create', commits: bench.timers(RAW_COMMITS), rowsPerCommit: RAW_ROWS }))
    rounds.push((await trial.sdk.ask({ ...load, ...times, idPrefix: `s${round}x-` })).perSecond)
  }
  return [
    {
      what: `creates by the TypeScript SDK, ${IN_FLIGHT} calls under way`,
      unit: '/s',
      rounds,
      raw: rawCreates(raw),
      target: { shareAtLeast: SHARE_GOAL },
    },
  ]
}

type Round = { readonly name: string; readonly durationMs?: number }

/** `name`: the beginning of all ids. */
export function createsRound(bench: Bench, { generator, server }: Trial, round: Round): Promise<LoadResult> {
  const load = createsLoad(bench, server.port, round.name)
  return generator.ask({ ...load, ...(round.durationMs && { durationMs: bench.durationMs(round.durationMs) }) })
}

async function costsOf({ server, engine }: Trial): Promise<{ readonly commits: number; readonly cpuMs: number }> {
  return { commits: (await commitsOf(server)).commits, cpuMs: engine.cpuMs?.() ?? 0 }
}

async function rawRound(trial: RawTrial, load: Omit<RawCommits, 'firstId' | 'withinMs'>): Promise<number> {
  const firstId = trial.first
  trial.first += load.commits * load.rowsPerCommit
  return (await trial.raw.ask({ ...load, firstId, withinMs: RAW_WITHIN_MS })).perSecond
}

async function batches(bench: Bench, trial: RawTrial): Promise<[Row]> {
  const raw: number[] = []
  const rounds: number[] = []
  for (let round = 0; round < roundsOf(bench); round++) {
    const requests = batchesOf(bench, rounds.at(-1))
    raw.push(await rawRound(trial, { kind: 'create', commits: requests, rowsPerCommit: PER_BATCH }))
    rounds.push(await storeMore(trial, requests))
  }
  return [
    {
      what: `1,000 creates a request, ${BATCHES_IN_FLIGHT} in flight`,
      unit: '/s',
      rounds,
      raw: { what: 'commits of 1,000 timers, two at a time', rounds: raw },
      target: { shareAtLeast: SHARE_GOAL },
    },
  ]
}

/** As many as an engine of this speed stores in some seconds. How fast it is shows in the first round, which does not count. */
function batchesOf(bench: Bench, storedPerSecond = 0): number {
  const inTime = (storedPerSecond / PER_BATCH) * BATCH_SECONDS
  return Math.min(bench.timers(BATCHES), Math.max(BATCHES_MIN, Math.floor(inTime)))
}

/** The raw limit has as many in a commit as the service had in that burst. */
async function bursts(bench: Bench, trial: RawTrial, storedPerSecond: number): Promise<Row[]> {
  const raw: number[] = []
  const rounds: number[] = []
  for (let round = 0; round < roundsOf(bench); round++) {
    const burst = await burstRound(bench, trial, { storedPerSecond, idPrefix: `f${round}x-` })
    rounds.push(burst.perSecond)
    const rowsPerCommit = Math.max(1, Math.round(burst.rowsPerCommit))
    const commits = Math.ceil(bench.timers(RAW_FIRED) / rowsPerCommit)
    raw.push(await rawRound(trial, { kind: 'firing', commits, rowsPerCommit }))
  }
  return [
    { what: BURST_FIGURE, unit: '/s', rounds, raw: { what: 'commits of fired timers, two at a time', rounds: raw } },
  ]
}

type BurstRound = { readonly storedPerSecond: number; readonly idPrefix: string }
type BurstResult = { readonly count: number; readonly perSecond: number; readonly rowsPerCommit: number }

export async function burstRound(
  bench: Bench,
  { server, receiver, origin }: Trial,
  { storedPerSecond, idPrefix }: BurstRound,
): Promise<BurstResult> {
  const count = bench.timers(storedPerSecond < SLOW_PER_SECOND ? BURST_IF_SLOW : BURST)
  await receiver.ask({ type: 'reset' })
  const before = await settledCount(server)
  const dueAt = Date.now() + BURST_LEAD_MS + (2 * count * 1_000) / storedPerSecond
  const dueTimes = Array.from({ length: count }, () => dueAt)
  await createDue(server, { idPrefix, dueTimes, callbackUrl: `${origin}/hooks/order/reminders` })
  if (Date.now() > dueAt - 500)
    throw new Error('creating the burst took too long: it began before all of it was stored')
  const stored = await commitsOf(server)
  await sleep(dueAt - Date.now())
  const result = await receiver.ask({ type: 'result', count, timeoutMs: 120_000 })
  if (result.count !== count) throw new Error(`${count} calls were due and ${result.count} came`)
  while ((await settledCount(server)) < before + count) await sleep(20)
  const rate = perSecond(count, Date.now() - dueAt)
  const settled = await commitsOf(server)
  return { count, perSecond: rate, rowsPerCommit: (settled.puts - stored.puts) / (settled.commits - stored.commits) }
}

async function commitsOf(server: DuetimeServer): Promise<{ readonly commits: number; readonly puts: number }> {
  const metrics = await server.metrics()
  return { commits: total(metrics, 'duetime_commit_puts_count'), puts: total(metrics, 'duetime_commit_puts_sum') }
}

async function lateness(bench: Bench, trial: Trial, storedPerSecond: number): Promise<Row[]> {
  const stored = await storeMany(bench, trial, bench.timers(STORED))
  const rounds: Spread[] = []
  for (let round = 0; round < roundsOf(bench); round++)
    rounds.push(await latenessRound(bench, trial, { name: `l${round}x-`, storedPerSecond }))
  const figure = (quantile: 'p50' | 'p99') => ({
    what: `lateness ${quantile} at 100/s, ${stored / 1_000}k stored`,
    unit: 'ms' as const,
    rounds: rounds.map((round) => round[quantile]),
  })
  return [figure('p50'), { ...figure('p99'), target: { atMost: LATENESS_GOAL_MS } }]
}

export async function latenessRound(
  bench: Bench,
  trial: Trial,
  { name, durationMs = LATENESS_MS, storedPerSecond }: Round & { readonly storedPerSecond: number },
): Promise<Spread> {
  // All of them are stored before the first is due.
  const leadMs = LATENESS_LEAD_MS + (2 * FIRED_PER_SECOND * durationMs) / storedPerSecond
  const load = {
    durationMs: bench.durationMs(durationMs),
    perSecond: FIRED_PER_SECOND,
    createsPerSecond: 0,
    name,
    leadMs,
  }
  const { early, latenessMs } = await serviceRound(trial, trial.server, load)
  if (early > 0) throw new Error(`${early} calls came before their time`)
  return latenessMs!
}
