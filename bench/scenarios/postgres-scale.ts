// The same figures with ten thousand, a million and five million timers stored: what is stored and not due must not cost
// whoever creates or waits for a timer. The stored ones are made by the database itself, see harness/postgres.ts.

import type { Bench, Scenario } from '../harness/bench.ts'
import { growthPicture } from '../report/growth-picture.ts'
import { measurement } from '../report/measurement.ts'
import type { Measurement, Target, Unit } from '../report/measurement.ts'
import { latenessRound } from './postgres-lateness.ts'
import { burstRound, createRound, postgresParts } from './postgres.ts'

export const postgresScale: Scenario = {
  name: 'postgres-scale',
  run,
  apart: { results: 'postgres-scale', picture: growthPicture },
}

const SIZES = [10_000, 1_000_000, 5_000_000]
const BURST = 5_000
const FLAT = 0.8 // of the rate with the fewest stored

type Sizes = { readonly stored: number; readonly creates: number[]; readonly fired: number[]; readonly late: number[] }

async function run(bench: Bench): Promise<Measurement[]> {
  const parts = await postgresParts(bench)
  const sizes: Sizes[] = []
  for (const full of SIZES) {
    const size: Sizes = { stored: bench.timers(full), creates: [], fired: [], late: [] }
    sizes.push(size)
    await parts.database.growTo(size.stored)
    const server = await bench.duetime({ databaseUrl: parts.database.url })
    for (let round = 0; round < bench.rounds; round++) {
      const name = (letter: string) => `${letter}${sizes.length}${round}-`
      size.creates.push((await createRound(bench, parts, server, name('s'))).perSecond)
      size.fired.push((await burstRound(parts, [server], { count: bench.timers(BURST), idPrefix: name('b') })).settled)
      size.late.push((await latenessRound(bench, parts, server, name('t'))).latenessMs!.p99)
    }
    await server.stop()
  }
  return sizes.flatMap((size) => figures(size, sizes[0]!))
}

function figures(size: Sizes, smallest: Sizes): Measurement[] {
  const stored = (one: Sizes) => `${one.stored.toLocaleString('en-US')} stored`
  const flat: Target | null = size === smallest ? null : { shareAtLeast: FLAT }
  const figure = (what: string, unit: Unit, key: Exclude<keyof Sizes, 'stored'>, target: Target | null) =>
    measurement({
      scenario: 'postgres-scale',
      what: `${what}, ${stored(size)}`,
      unit,
      rounds: size[key],
      ...(size !== smallest && { raw: { what: stored(smallest), rounds: smallest[key] } }),
      ...(target !== null && { target }),
    })
  return [
    figure('creates', '/s', 'creates', flat),
    figure('called and settled', '/s', 'fired', flat),
    figure('lateness p99 at 100/s', 'ms', 'late', { atMost: 5 }),
  ]
}
