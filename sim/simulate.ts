// One simulation from beginning to end: a plan in, a history and a verdict out.

import { check } from './checkers/check.ts'
import type { Violation } from './checkers/verdict.ts'
import { Coverage } from './coverage.ts'
import type { History } from './history.ts'
import type { Store } from '../src/store/store.ts'
import type { Plan } from './plan/plan.ts'
import { World } from './world/world.ts'

export type Simulation = { readonly plan: Plan; readonly history: History; readonly violations: readonly Violation[] }

/** `real`: a store to keep the timers in, empty and with the capabilities that the plan counts on. */
export async function simulate(plan: Plan, coverage = new Coverage(), real: Store | null = null): Promise<Simulation> {
  const world = await World.create(plan, coverage, real)
  const history = await world.run()
  coverage.take(history, world.counts.entries)
  return { plan, history, violations: check(history) }
}
