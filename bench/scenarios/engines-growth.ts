// The same work on every engine with few timers stored and with many: what a create, a burst and lateness lose by growing. The
// figure with few is what the figure with many is held against, as the raw limit is elsewhere.

import type { Bench, Scenario } from '../harness/bench.ts'
import type { Engine } from '../harness/engines.ts'
import { writeGrowthPage } from '../report/engines-page.ts'
import { engineFigure, enginesPicture } from '../report/engines-picture.ts'
import { measurement } from '../report/measurement.ts'
import type { Measurement, Target, Unit } from '../report/measurement.ts'
import { burstRound, createsRound, latenessRound, onAllEngines, storeMore, trialOf } from './engines.ts'
import type { Trial } from './engines.ts'

export const enginesGrowth: Scenario = {
  name: 'engines-growth',
  run: (bench) => onAllEngines(bench, runOn),
  apart: { results: 'engines-growth', picture: enginesPicture, page: writeGrowthPage },
}

const FEW = 10_000
const MANY = 1_000_000
const BURST = 5_000
const PER_REQUEST = 1_000
const ROUNDS = 3 // the first of them does not count
const LOSS_MAX = 0.2

type Figures = { readonly creates: number[]; readonly burst: number[]; readonly p99: number[] }

async function runOn(bench: Bench, engine: Engine): Promise<Measurement[]> {
  const trial = await trialOf(bench, engine)
  const [few, many] = [bench.timers(FEW), bench.timers(MANY)]
  const perSecond = await storeMore(trial, few / PER_REQUEST)
  const before = await measure(bench, trial, 'a', perSecond)
  bench.progress(`${engine.title}: measured with ${few.toLocaleString('en-US')} stored`)
  await storeMore(trial, (many - few) / PER_REQUEST)
  const after = await measure(bench, trial, 'b', perSecond)
  const compared = (what: string, unit: Unit, of: keyof Figures, target: Target) =>
    measurement({
      scenario: 'engines-growth',
      what: engineFigure(engine.title, `${what}, ${many.toLocaleString('en-US')} stored`),
      unit,
      rounds: after[of],
      raw: { what: `${few.toLocaleString('en-US')} stored`, rounds: before[of] },
      target,
    })
  return [
    compared('durable creates, 64 in flight', '/s', 'creates', { shareAtLeast: 1 - LOSS_MAX }),
    compared('called and settled, 5,000 due at once', '/s', 'burst', { shareAtLeast: 1 - LOSS_MAX }),
    compared('lateness p99 at 100/s', 'ms', 'p99', { timesAtMost: 1 + LOSS_MAX }),
  ]
}

async function measure(bench: Bench, trial: Trial, name: string, storedPerSecond: number): Promise<Figures> {
  const figures: Figures = { creates: [], burst: [], p99: [] }
  const count = bench.timers(BURST)
  for (let round = 0; round < Math.min(bench.rounds, ROUNDS); round++) {
    const idPrefix = `${name}${round}`
    figures.creates.push((await createsRound(bench, trial, `${idPrefix}c-`)).perSecond)
    figures.burst.push(await burstRound(trial, { count, storedPerSecond, idPrefix: `${idPrefix}f-` }))
    figures.p99.push((await latenessRound(bench, trial, `${idPrefix}l-`)).p99)
  }
  return figures
}
