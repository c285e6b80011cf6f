// The same work on every engine with few timers stored and with many: what a create, a burst and lateness lose by growing. Each
// engine has two services, on a server each, which are measured in turn: what the machine does meanwhile happens to both. The
// figure with few is what the figure with many is held against, as the raw limit is elsewhere.

import type { Bench, Scenario } from '../harness/bench.ts'
import { writeGrowthPage } from '../report/engines-page.ts'
import { engineFigure, enginesPicture } from '../report/engines-picture.ts'
import { measurement } from '../report/measurement.ts'
import type { Target, Unit } from '../report/measurement.ts'
import { BURST_FIGURE, burstRound, createsRound, latenessRound } from './engines.ts'
import { onAllEngines, PER_BATCH, storeMany, storeMore, trialOf } from './on-engines.ts'
import type { MeasureEngine, Trial } from './on-engines.ts'

export const enginesGrowth: Scenario = {
  name: 'engines-growth',
  run: (bench) => onAllEngines(bench, runOn),
  apart: { results: 'engines-growth', picture: enginesPicture, page: writeGrowthPage },
}

const FEW = 10_000
const MANY = Number(process.env['BENCH_STORED'] ?? 1_000_000)
const ROUNDS = 4 // the first of them does not count
const CREATES_MS = 3_000
const LATENESS_MS = 6_000
const LOSS_MAX = 0.2

type Figures = { readonly creates: number[]; readonly burst: number[]; readonly p50: number[]; readonly p99: number[] }

async function runOn(...[bench, engine, record]: Parameters<MeasureEngine>): Promise<void> {
  const few = bench.timers(FEW)
  const [small, large] = [await trialOf(bench, engine), await trialOf(bench, engine)]
  const storedPerSecond = await storeMore(small, Math.ceil(few / PER_BATCH))
  const startedAt = performance.now()
  const many = await storeMany(bench, large, bench.timers(MANY))
  const seconds = (performance.now() - startedAt) / 1_000
  bench.progress(`${engine.title}: stored ${many.toLocaleString('en-US')} timers in ${seconds.toFixed(0)} s`)
  const before: Figures = { creates: [], burst: [], p50: [], p99: [] }
  const after: Figures = { creates: [], burst: [], p50: [], p99: [] }
  for (let round = 0; round < Math.min(bench.rounds, ROUNDS); round++) {
    await measureRound(bench, small, { figures: before, name: `a${round}`, storedPerSecond })
    await measureRound(bench, large, { figures: after, name: `b${round}`, storedPerSecond })
  }
  const compared = (what: string, unit: Unit, of: keyof Figures, target: Target) =>
    measurement({
      scenario: 'engines-growth',
      what: engineFigure(engine.title, `${what}, ${many.toLocaleString('en-US')} stored`),
      unit,
      rounds: after[of],
      raw: { what: `${few.toLocaleString('en-US')} stored`, rounds: before[of] },
      target,
    })
  record(
    compared('durable creates, 64 in flight', '/s', 'creates', { shareAtLeast: 1 - LOSS_MAX }),
    compared(BURST_FIGURE, '/s', 'burst', { shareAtLeast: 1 - LOSS_MAX }),
    compared('lateness p50 at 100/s', 'ms', 'p50', { timesAtMost: 1 + LOSS_MAX }),
    compared('lateness p99 at 100/s', 'ms', 'p99', { timesAtMost: 1 + LOSS_MAX }),
  )
}

type Round = { readonly figures: Figures; readonly name: string; readonly storedPerSecond: number }

async function measureRound(bench: Bench, trial: Trial, { figures, name, storedPerSecond }: Round): Promise<void> {
  figures.creates.push((await createsRound(bench, trial, { name: `${name}c-`, durationMs: CREATES_MS })).perSecond)
  const burst = await burstRound(bench, trial, { storedPerSecond, idPrefix: `${name}f-` })
  figures.burst.push(burst.perSecond)
  const { p50, p99 } = await latenessRound(bench, trial, {
    name: `${name}l-`,
    durationMs: LATENESS_MS,
    storedPerSecond,
  })
  figures.p50.push(p50)
  figures.p99.push(p99)
}
