// What the thread that decides can carry by itself: creates one by one and in batches, and firings, with the doors and the store
// replaced by ones in memory. On many cores everything else is in other threads, and this is the limit of a node.

import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import { picture } from '../report/picture.ts'
import type { DecidingQuestion, DecidingResult } from '../programs/deciding-thread.ts'

export const deciding: Scenario = { name: 'deciding', apart: { results: 'deciding', picture }, run }

const WORK: readonly (DecidingQuestion & { readonly what: string })[] = [
  { what: 'creates, 64 in flight', work: 'creates', inFlight: 64, count: 60_000 },
  { what: 'creates, 1,024 in flight', work: 'creates', inFlight: 1_024, count: 60_000 },
  { what: 'creates, 1,000 a batch', work: 'batches', inFlight: 1_000, count: 60_000 },
  { what: 'firings, all due at once', work: 'firings', inFlight: 1_000, count: 18_000 }, // what the window holds, and a little room
]
const GOAL = { atLeast: 60_000 }

async function run(bench: Bench): Promise<Measurement[]> {
  const { helper: thread } = await bench.helper<DecidingQuestion, DecidingResult>(
    new URL('../programs/deciding-thread.ts', import.meta.url),
  )
  const results = new Map<string, DecidingResult[]>(WORK.map(({ what }) => [what, []]))
  for (let round = 0; round < bench.rounds; round++)
    for (const { what, count, ...work } of WORK)
      results.get(what)!.push(await thread.ask({ ...work, count: bench.timers(count) }))
  return [...results].flatMap(([what, rounds]) => figures(what, rounds))
}

function figures(what: string, rounds: readonly DecidingResult[]): Measurement[] {
  const [perSecond, micros] = [rounds.map((round) => round.perSecond), rounds.map(({ cpuMicros }) => cpuMicros)]
  return [
    measurement({ scenario: 'deciding', what, unit: '/s', rounds: perSecond, target: GOAL }),
    measurement({ scenario: 'deciding', what: `CPU of the thread: ${what}`, unit: 'µs', rounds: micros }),
  ]
}
