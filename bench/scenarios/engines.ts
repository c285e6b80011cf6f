// The same work on every engine, side by side in one run, each beside the raw limit of the same kind of server for the same
// fenced writes: what its adapter commits when nothing else is in its way. The engine must show in what a create costs, and
// not in how late a timer is.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Scenario } from '../harness/bench.ts'
import { total } from '../harness/duetime-server.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import { engines as enginesHere } from '../harness/engines.ts'
import type { Engine, RunningEngine } from '../harness/engines.ts'
import type { Helper } from '../harness/helper-process.ts'
import type { Spread } from '../harness/statistics.ts'
import type { Batches, BatchesResult } from '../programs/batch-generator.ts'
import { BATCH_PATH } from '../programs/create-body.ts'
import type { LoadResult } from '../programs/load-generator.ts'
import type { RawCommits } from '../programs/raw-commits.ts'
import { writeEnginesPage } from '../report/engines-page.ts'
import { engineFigure, enginesPicture } from '../report/engines-picture.ts'
import { measurement } from '../report/measurement.ts'
import type { Figure, Measurement } from '../report/measurement.ts'
import { perSecond, settledCount } from './burst.ts'
import { createsLoad, IN_FLIGHT } from './creates.ts'
import { createDue } from './due-timers.ts'
import { latenessParts, serviceRound } from './lateness.ts'
import type { LatenessParts } from './lateness.ts'

export const engines: Scenario = {
  name: 'engines',
  run,
  apart: { results: 'engines', picture: enginesPicture, page: writeEnginesPage },
}

const RAW_ROWS = IN_FLIGHT / 2 // of 64 clients that wait, two commits have half each
const RAW_COMMITS = 100
const BATCHES = 10
const PER_BATCH = 1_000
const BATCHES_IN_FLIGHT = 4
const BURST = 5_000
const BURST_LEAD_MS = 2_000 // and the time in which this engine stores the burst, twice
const STORED = 200_000
const ROUNDS_MAX = 3 // of each, so that all engines are measured within twenty minutes; the first does not count
const SHARE_GOAL = 0.6
const LATENESS_GOAL_MS = 10

/** One engine under test. `first`: of the ids that come next. */
export type Trial = LatenessParts & {
  readonly batches: Helper<Batches, BatchesResult>
  readonly engine: RunningEngine
  readonly server: DuetimeServer
  first: number
}
type RawTrial = Trial & { readonly raw: Helper<RawCommits, { perSecond: number }> }

function run(bench: Bench): Promise<Measurement[]> {
  return onAllEngines(bench, runOn)
}

/** One after the other; BENCH_ENGINES chooses. */
export async function onAllEngines(
  bench: Bench,
  measure: (bench: Bench, engine: Engine) => Promise<Measurement[]>,
): Promise<Measurement[]> {
  const { here, missing } = enginesHere()
  if (missing.length > 0) bench.progress(`not installed, and left out: ${missing.join(', ')}`)
  const wanted = process.env['BENCH_ENGINES']?.split(',')
  const measured: Measurement[] = []
  for (const engine of here.filter(({ name }) => wanted === undefined || wanted.includes(name))) {
    try {
      measured.push(...(await measure(bench, engine)))
      bench.progress(`${engine.title}: measured`)
    } finally {
      await bench.stopAll()
    }
  }
  return measured
}

const program = (file: string) => new URL(`../programs/${file}.ts`, import.meta.url)

export async function trialOf(bench: Bench, { start }: Engine): Promise<Trial> {
  const engine = await start(bench)
  return {
    ...(await latenessParts(bench)),
    batches: (await bench.helper<Batches, BatchesResult>(program('batch-generator'))).helper,
    engine,
    server: await bench.duetime({ databaseUrl: engine.url }),
    first: 0,
  }
}

async function runOn(bench: Bench, one: Engine): Promise<Measurement[]> {
  const { title, start } = one
  const rawEngine = await start(bench)
  const raw = await bench.helper<RawCommits, { perSecond: number }>(program('raw-commits'), { url: rawEngine.url })
  const trial: RawTrial = { ...(await trialOf(bench, one)), raw: raw.helper }
  const figures = [...(await creates(bench, trial)), ...(await batches(bench, trial))]
  const storedPerSecond = Math.min(...figures.at(-1)!.rounds)
  figures.push(...(await bursts(bench, trial, storedPerSecond)), ...(await lateness(bench, trial)))
  return figures.map((figure) =>
    measurement({ ...figure, scenario: 'engines', what: engineFigure(title, figure.what) }),
  )
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
    raw.push(await rawRound(trial, { commits: bench.timers(RAW_COMMITS), rowsPerCommit: RAW_ROWS }))
    const before = await costsOf(trial)
    const { perSecond: rate, requests, latencyMs } = await createsRound(bench, trial, `e${round}x-`)
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
      raw: { what: `commits of ${RAW_ROWS} timers, two at a time`, rounds: raw },
      target: { shareAtLeast: SHARE_GOAL },
    },
    { what: `latency p99, ${IN_FLIGHT} in flight`, unit: 'ms', rounds: latencies },
    { what: 'commits (round trips) per create', unit: 'commits', rounds: commits },
    ...(trial.engine.cpuMs === null
      ? []
      : [{ what: 'CPU time of the server per create', unit: 'µs', rounds: cpu } as const]),
  ]
}

export function createsRound(bench: Bench, { generator, server }: Trial, idPrefix: string): Promise<LoadResult> {
  return generator.ask(createsLoad(bench, server.port, idPrefix))
}

async function costsOf({ server, engine }: Trial): Promise<{ readonly commits: number; readonly cpuMs: number }> {
  const metrics = await server.metrics()
  return { commits: total(metrics, 'duetime_commit_puts_count'), cpuMs: engine.cpuMs?.() ?? 0 }
}

async function rawRound(trial: RawTrial, load: Omit<RawCommits, 'firstId'>): Promise<number> {
  const firstId = trial.first
  trial.first += load.commits * load.rowsPerCommit
  return (await trial.raw.ask({ ...load, firstId })).perSecond
}

async function batches(bench: Bench, trial: RawTrial): Promise<Row[]> {
  const raw: number[] = []
  const rounds: number[] = []
  for (let round = 0; round < roundsOf(bench); round++) {
    const requests = bench.timers(BATCHES)
    raw.push(await rawRound(trial, { commits: requests, rowsPerCommit: PER_BATCH }))
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

export async function storeMore(trial: Trial, requests: number): Promise<number> {
  const firstId = 1_000_000_000 + trial.first
  trial.first += requests * PER_BATCH
  const { perSecond: rate } = await trial.batches.ask({
    origin: trial.server.url,
    path: BATCH_PATH,
    requests,
    timersPerRequest: PER_BATCH,
    inFlight: BATCHES_IN_FLIGHT,
    firstId,
    due: { afterDays: 2, days: 363 },
  })
  return rate
}

async function bursts(bench: Bench, trial: Trial, storedPerSecond: number): Promise<Row[]> {
  const count = bench.timers(BURST)
  const rounds: number[] = []
  for (let round = 0; round < roundsOf(bench); round++)
    rounds.push(await burstRound(trial, { count, storedPerSecond, idPrefix: `f${round}x-` }))
  return [{ what: `called and settled, ${count.toLocaleString('en-US')} due at once`, unit: '/s', rounds }]
}

type BurstRound = { readonly count: number; readonly storedPerSecond: number; readonly idPrefix: string }

export async function burstRound(trial: Trial, { count, storedPerSecond, idPrefix }: BurstRound): Promise<number> {
  const { server, receiver, origin } = trial
  await receiver.ask({ type: 'reset' })
  const before = await settledCount(server)
  const dueAt = Date.now() + BURST_LEAD_MS + (2 * count * 1_000) / storedPerSecond
  const dueTimes = Array.from({ length: count }, () => dueAt)
  await createDue(server, { idPrefix, dueTimes, callbackUrl: `${origin}/hooks/order/reminders` })
  if (Date.now() > dueAt - 500)
    throw new Error('creating the burst took too long: it began before all of it was stored')
  await sleep(dueAt - Date.now())
  const result = await receiver.ask({ type: 'result', count, timeoutMs: 120_000 })
  if (result.count !== count) throw new Error(`${count} calls were due and ${result.count} came`)
  while ((await settledCount(server)) < before + count) await sleep(20)
  return perSecond(count, Date.now() - dueAt)
}

async function lateness(bench: Bench, trial: Trial): Promise<Row[]> {
  await storeMore(trial, bench.timers(STORED) / PER_BATCH)
  const rounds: Spread[] = []
  for (let round = 0; round < roundsOf(bench); round++) rounds.push(await latenessRound(bench, trial, `l${round}x-`))
  const figure = (quantile: 'p50' | 'p99') => ({
    what: `lateness ${quantile} at 100/s, 200k stored`,
    unit: 'ms' as const,
    rounds: rounds.map((round) => round[quantile]),
  })
  return [figure('p50'), { ...figure('p99'), target: { atMost: LATENESS_GOAL_MS } }]
}

export async function latenessRound(bench: Bench, trial: Trial, name: string): Promise<Spread> {
  const load = { durationMs: bench.durationMs(8_000), perSecond: 100, createsPerSecond: 0, name }
  const { early, latenessMs } = await serviceRound(trial, trial.server, load)
  if (early > 0) throw new Error(`${early} calls came before their time`)
  return latenessMs!
}
