// One engine after the other, each with a server and a service of its own. An engine that fails or takes too long does not
// take the others with it: what was measured of it until then stays, and the end of the run says what became of each.

import type { Bench } from '../harness/bench.ts'
import { engines as enginesHere } from '../harness/engines.ts'
import type { Engine, RunningEngine } from '../harness/engines.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { Helper } from '../harness/helper-process.ts'
import type { Batches, BatchesResult } from '../programs/batch-generator.ts'
import { BATCH_PATH } from '../programs/create-body.ts'
import { figureText, ratioText } from '../report/figures.ts'
import type { Preload } from '../programs/preload.ts'
import type { Measurement } from '../report/measurement.ts'
import { latenessParts } from './lateness.ts'
import type { LatenessParts } from './lateness.ts'

export const PER_BATCH = 1_000
export const BATCHES_IN_FLIGHT = 4
const ASKED_AT_ONCE = 40 // batches: their bodies are made beforehand, and a helper's answer is awaited for two minutes
const PRELOADED_AT_ONCE = 10_000
const PRELOAD_WITHIN_MS = 300_000
const FIRST_ID = 1_000_000_000
const ENGINE_WITHIN_MS = 900_000 // one that hangs is given up, so that the run comes to its end

/** One engine under test. `first`: of the ids that come next. */
export type Trial = LatenessParts & {
  readonly batches: Helper<Batches, BatchesResult>
  readonly engine: RunningEngine
  readonly isPreloaded: boolean
  server: DuetimeServer
  first: number
}

/** `record` keeps figures even if what comes after them fails. */
export type MeasureEngine = (
  bench: Bench,
  engine: Engine,
  record: (...measured: readonly Measurement[]) => void,
) => Promise<void>

/** BENCH_ENGINES chooses. */
export async function onAllEngines(bench: Bench, measure: MeasureEngine): Promise<Measurement[]> {
  const { here, missing } = enginesHere()
  if (missing.length > 0) bench.progress(`not installed, and left out: ${missing.join(', ')}`)
  const wanted = process.env['BENCH_ENGINES']?.split(',')
  const measured: Measurement[] = []
  const ends: string[] = []
  for (const engine of here.filter(({ name }) => wanted === undefined || wanted.includes(name))) {
    const startedAt = performance.now()
    const record = (...some: readonly Measurement[]) => {
      measured.push(...some)
      for (const one of some) bench.progress(`${one.what}: ${figureText(one.value, one.unit)} ${ratioText(one)}`)
    }
    const failure = await measureOne(bench, engine, () => measure(bench, engine, record))
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
    ends.push(`${engine.title}: ${seconds} s${failure === null ? '' : `, BROKEN: ${failure}`}`)
    bench.progress(ends.at(-1)!)
  }
  bench.progress(`How long each took:\n  ${ends.join('\n  ')}`)
  return measured
}

/** Null, or the first line of why it could not be measured to the end. */
async function measureOne(bench: Bench, { title }: Engine, measure: () => Promise<void>): Promise<string | null> {
  const overdue = Promise.withResolvers<never>()
  const timer = setTimeout(() => overdue.reject(new Error('it took too long')), ENGINE_WITHIN_MS)
  try {
    await Promise.race([measure(), overdue.promise])
    return null
  } catch (error) {
    bench.failed(`${title}: BROKEN: ${error instanceof Error ? error.stack : String(error)}\n${bench.lastWords()}`)
    return String(error).split('\n')[0]!
  } finally {
    clearTimeout(timer)
    await bench.stopAll()
  }
}

export async function trialOf(bench: Bench, { start, isPreloaded = false }: Engine): Promise<Trial> {
  const engine = await start(bench)
  const program = new URL('../programs/batch-generator.ts', import.meta.url)
  return {
    ...(await latenessParts(bench)),
    batches: (await bench.helper<Batches, BatchesResult>(program)).helper,
    engine,
    isPreloaded,
    server: await bench.duetime({ databaseUrl: engine.url, env: engine.env }),
    first: 0,
  }
}

/** So that an engine has many timers, by the fastest way that it has. How many: fewer where that takes too long. */
export async function storeMany(bench: Bench, trial: Trial, timers: number): Promise<number> {
  if (!trial.isPreloaded) {
    await storeMore(trial, Math.ceil(timers / PER_BATCH))
    return timers
  }
  const { url, env } = trial.engine
  await trial.server.stop()
  const program = new URL('../programs/preload.ts', import.meta.url)
  const { helper } = await bench.helper<Preload, object>(program, { url, env })
  const until = performance.now() + PRELOAD_WITHIN_MS
  let stored = 0
  while (stored < timers && performance.now() < until) {
    const count = Math.min(timers - stored, PRELOADED_AT_ONCE)
    await helper.ask({ firstId: FIRST_ID + trial.first, count })
    trial.first += count
    stored += count
  }
  await helper.stop()
  trial.server = await bench.duetime({ databaseUrl: url, env })
  return stored
}

/** Timers that are not due for days; how many a second were stored. */
export async function storeMore(trial: Trial, requests: number): Promise<number> {
  let seconds = 0
  for (let left = requests; left > 0; left -= ASKED_AT_ONCE) {
    const some = Math.min(left, ASKED_AT_ONCE)
    const firstId = FIRST_ID + trial.first
    trial.first += some * PER_BATCH
    const { perSecond } = await trial.batches.ask({
      origin: trial.server.url,
      path: BATCH_PATH,
      requests: some,
      timersPerRequest: PER_BATCH,
      inFlight: BATCHES_IN_FLIGHT,
      firstId,
      due: { afterDays: 2, days: 363 },
    })
    seconds += (some * PER_BATCH) / perSecond
  }
  return (requests * PER_BATCH) / seconds
}
