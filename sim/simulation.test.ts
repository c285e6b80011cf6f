import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePlan } from './plan/plan.ts'
import { huntedPlan, withReshard } from './plan/reshards.ts'
import type { Plan } from './plan/plan.ts'
import { shrink } from './shrink.ts'
import { simulate } from './simulate.ts'
import { tellStory } from './story.ts'

const FIXED_SEEDS = 60
const RANDOM_SEEDS = 20

/** Seeds that have shown a defect, of the service or of the simulator, with what it was. */
const KNOWN_SEEDS: readonly (readonly [number, string])[] = [
  [180, 'a delivery that ended, and whose end was not reported'],
  [862, 'a node alone whose claim fails'],
  [2140, 'a handover that a fail-over forgot, and a late message about it'],
  [1220, 'a handover whose claim had no answer'],
  [678, 'a node that dies while it leaves'],
  [98, 'a shard that goes to a frozen node and comes back'],
  [20, 'a node that was away while the database forgot who had its shards'],
  [78, 'a cycle that is first due after a clock was set back'],
  [7456, 'a node alone whose claim meets a late release'],
  [22448, 'a command that waits at a node that loses its shard meanwhile'],
  [22911, 'the same, at a node that was frozen'],
  [918, 'a cancel while an iteration is moved aside at the node before'],
  [6203, 'an iteration that runs at a node that stops, and has to keep its shard'],
  [24556, 'a command that changes nothing, at a node whose claim was forgotten'],
  [11258, 'a handover by an epoch that the next owner has had before'],
  [4208, 'a node that is frozen while its shard goes to another one, which the database forgets'],
  [11308, 'a message about a shard that comes a second time'],
  [28403, 'a flood in memory that has no room for all tenants'],
  [20973, 'a process that is started on a machine which was suspended'],
  [19652, 'a delivery that a leaving node gives up at the end of its grace'],
  [25031, 'iterations that take seconds to fail, two at a time'],
  [45132, 'an outcome whose write was in doubt, of a timer that was retried since'],
  [38066, 'a timer that is fired by hand while it waits for its next attempt'],
  [37453, 'slow targets in memory that has no room for all tenants'],
  [23862, 'a shard that is split by another epoch of its owner while a timer of it is delivered'],
  [16092, 'a fail-over after timers were moved a second time'],
  [21963, 'a flood in a shard that is split, in memory that has no room for all tenants then'],
  [2687, 'an iteration that runs, of a timer that has to leave memory'],
  [3485, 'a timer that is resumed while the clock is ahead'],
]

/** The same of worlds in which shards are split. */
const KNOWN_RESHARDS: readonly (readonly [number, string])[] = [
  [114, 'a command that reads where a timer was before its shard was split'],
  [341, 'deliveries in flight while their shard is split'],
  [3192, 'a shard that is split, and a delivery that failed long before'],
  [4241, 'a small window full of timers that the node before delivers'],
  [1437, 'a fail-over that forgets claims, and a move that it does not forget'],
  [34, 'a fail-over that forgets that shards were split at all'],
  [665, 'a fail-over that undoes moves to a shard that was empty'],
  [966, 'an outcome that cannot be stored for as long as the database is away'],
]

async function assertKept(planned: Plan): Promise<void> {
  const { seed } = planned
  const simulation = await simulate(planned)
  if (simulation.violations.length === 0) return
  const { plan, history, violations } = await shrink(simulation)
  assert.fail(`seed ${seed}\n${tellStory(plan, history, violations)}`)
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
  for (let seed = 1; seed <= FIXED_SEEDS; seed++) await assertKept(huntedPlan(seed))
})

for (const [seed, about] of KNOWN_SEEDS)
  test(`every promise is kept with ${about} (seed ${seed})`, () => assertKept(makePlan(seed)))

for (const [seed, about] of KNOWN_RESHARDS)
  test(`every promise is kept with ${about} (seed ${seed}, resharded)`, () => assertKept(withReshard(makePlan(seed))))

test('simulations that nobody has seen before keep every promise', async () => {
  const first = Date.now() % 1_000_000_000
  for (let seed = first; seed < first + RANDOM_SEEDS; seed++) await assertKept(huntedPlan(seed))
})
