// One simulation from beginning to end: a plan in, a history and a verdict out.

import { check } from './checkers/check.ts'
import type { Violation } from './checkers/verdict.ts'
import { Coverage } from './coverage.ts'
import type { History } from './history.ts'
import type { Plan } from './plan.ts'
import { World } from './world/world.ts'

export type Simulation = { readonly plan: Plan; readonly history: History; readonly violations: readonly Violation[] }

export async function simulate(plan: Plan, coverage = new Coverage()): Promise<Simulation> {
  const world = await World.create(plan, coverage)
  const history = await world.run()
  coverage.take(history, world.counts.entries)
  return { plan, history, violations: check(history) }
}
