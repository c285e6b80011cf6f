import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePlan } from './plan.ts'
import { shrink } from './shrink.ts'
import { simulate } from './simulate.ts'
import { tellStory } from './story.ts'

const FIXED_SEEDS = 120
const RANDOM_SEEDS = 60

async function assertKept(seed: number): Promise<void> {
  const simulation = await simulate(makePlan(seed))
  if (simulation.violations.length === 0) return
  const { plan, history, violations } = await shrink(simulation)
  assert.fail(`npm run sim -- --seed ${seed}\n${tellStory(plan, history, violations)}`)
}

test('two runs of a seed are the same to the byte', async () => {
  for (const seed of [2, 3, 11]) {
    const [one, other] = [await simulate(makePlan(seed)), await simulate(makePlan(seed))]
    const text = ({ plan, history }: typeof one): string => JSON.stringify([plan, history, [...history.final.timers]])
    assert.equal(text(one), text(other))
    assert.ok(one.history.arrivals.length > 0)
  }
})

test('the same simulations as ever keep every promise', async () => {
  for (let seed = 1; seed <= FIXED_SEEDS; seed++) await assertKept(seed)
})

test('simulations that nobody has seen before keep every promise', async () => {
  const first = Date.now() % 1_000_000_000
  for (let seed = first; seed < first + RANDOM_SEEDS; seed++) await assertKept(seed)
})
