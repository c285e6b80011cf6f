// Makes a failing plan as short as it can be while it still breaks the same promise: without the kinds of faults, the
// troubles, the timers and the requests that it does not take. Halves first, then single ones.

import type { Plan } from './plan/plan.ts'
import { simulate } from './simulate.ts'
import type { Simulation } from './simulate.ts'

const RUNS_MAX = 600

export async function shrink(failing: Simulation): Promise<Simulation> {
  const { promise } = failing.violations[0]!
  let shortest = failing
  let runs = 0
  const fails = async (plan: Plan): Promise<boolean> => {
    if (++runs > RUNS_MAX) return false
    const simulation = await simulate(plan)
    const isSame = simulation.violations.some((violation) => violation.promise === promise)
    if (isSame) shortest = simulation
    return isSame
  }
  await without(failing.plan.requests, (requests) => fails({ ...shortest.plan, requests }))
  await without(shortest.plan.troubles, (troubles) => fails({ ...shortest.plan, troubles }))
  await without(shortest.plan.faults, (faults) => fails({ ...shortest.plan, faults }))
  await without(shortest.plan.requests, (requests) => fails({ ...shortest.plan, requests }))
  return shortest
}

async function without<T>(all: readonly T[], fails: (rest: readonly T[]) => Promise<boolean>): Promise<void> {
  let items = all
  for (let size = Math.ceil(items.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < items.length;) {
      const rest = [...items.slice(0, at), ...items.slice(at + size)]
      if (await fails(rest)) items = rest
      else at += size
    }
  }
}
