// npm run sim -- --seed N         one simulation; if it breaks a promise, its story, shrunk (--whole: not shrunk)
// npm run sim -- --minutes M      a hunt on all cores; what was covered
// npm run sim -- --seeds A-B      the same for these seeds
// npm run sim -- --mutations      every deliberate bug, and how many seeds it takes to find it (--only TEXT: those with this in their names; --budget N seeds for each)
// npm run sim -- --threads T      with one of the last three

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { branchCoverage } from './branch-coverage.ts'
import { coverageText, hunt } from './hunt.ts'
import { runMutations } from './mutations/run.ts'
import { MUTATIONS } from './mutations/table.ts'
import { huntedPlan } from './plan/reshards.ts'
import { shrink } from './shrink.ts'
import { simulate } from './simulate.ts'
import { tellStory } from './story.ts'

const HELP = 'give --seed N, --minutes M, --seeds A-B or --mutations; sim/main.ts says what they do'

const COVERAGE_SEEDS = 150

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    whole: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    seeds: { type: 'string' },
    threads: { type: 'string' },
    mutations: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    budget: { type: 'string', default: '600' },
  },
})
const print = (text: string): void => console.log(text)

if (values.seed !== undefined) process.exitCode = await showSeed(number('seed', values.seed))
else if (values.seeds !== undefined || values.minutes !== undefined) process.exitCode = await huntSeeds()
else if (values.mutations) process.exitCode = await mutate()
else {
  print(HELP)
  process.exitCode = 2
}

async function showSeed(seed: number): Promise<number> {
  const simulation = await simulate(huntedPlan(seed))
  const isBroken = simulation.violations.length > 0
  const shown = isBroken && !values.whole ? await shrink(simulation) : simulation
  print(tellStory(shown.plan, shown.history, shown.violations))
  if (!isBroken) print('no promise was broken')
  return isBroken ? 1 : 0
}

async function huntSeeds(): Promise<number> {
  const [from, to] = (values.seeds ?? '').split('-').map((text) => number('seeds', text))
  const { failures, coverage } = await hunt({
    // A hunt without an end begins where nobody has been.
    firstSeed: values.seeds === undefined ? Date.now() % 1_000_000_000 : from!,
    seeds: values.seeds === undefined ? Infinity : to! - from! + 1,
    minutes: values.minutes === undefined ? Infinity : number('minutes', values.minutes),
    ...(values.threads !== undefined && { threads: number('threads', values.threads) }),
    print,
  })
  print(coverageText(coverage))
  print(`branches, reached by the first ${COVERAGE_SEEDS} seeds:`)
  for (const line of await branchCoverage(COVERAGE_SEEDS)) print(line)
  return failures.length > 0 ? 1 : 0
}

async function mutate(): Promise<number> {
  const mutations = MUTATIONS.filter(({ name }) => name.includes(values.only))
  const threads = values.threads === undefined ? availableParallelism() : number('threads', values.threads)
  const missed = await runMutations({ mutations, firstSeed: 1, seeds: number('budget', values.budget), threads, print })
  return missed > 0 ? 1 : 0
}

function number(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  throw new Error(`--${name} must be a number: '${text}'. ${HELP}`)
}
