// Plans in which the shards are split while nodes run. Of a reshard nothing else depends on: the requests and the other troubles of a seed
// are the same without it.

import { SeededRandom } from '../../test/support/seeded-random.ts'
import { LEASE_MS } from '../world/node.ts'
import { makePlan } from './plan.ts'
import type { Plan } from './plan.ts'
import { troubleOf } from './troubles.ts'
import type { PlannedTrouble } from './troubles.ts'

/** Shards are split for about as long, beginning a lease after the reshard. */
const SPLITTING_MS = 2_500
/** What may happen to those who do it. */
const COMPANY = ['crash', 'crashAtEffect', 'freeze', 'leave', 'stall', 'cutDatabase', 'failOver'] as const

/** What a hunt makes of a seed: in some of the worlds with several nodes there is a reshard, and often trouble in the middle of it. */
export function huntedPlan(seed: number): Plan {
  const plan = makePlan(seed)
  if (!plan.settings.shared || seed % 3 !== 0) return plan
  return seed % 2 === 0 ? withReshard(plan) : withTroubledReshard(plan)
}

/** At any time; it may go on after the troubles. */
export function withReshard(plan: Plan): Plan {
  const random = new SeededRandom(plan.seed * 2 + 2)
  const at = random.next() * plan.settings.activeMs * 0.7
  return withTroubles(plan, [{ kind: 'reshard', at, times: random.between(2, 3) }])
}

function withTroubledReshard(plan: Plan): Plan {
  const { settings, faults, seed } = plan
  const random = new SeededRandom(seed * 2 + 2)
  const at = random.next() * (settings.activeMs * 0.9 - LEASE_MS - SPLITTING_MS)
  const kinds = COMPANY.filter((kind) => faults.includes(kind))
  const company = kinds
    .filter(() => random.chance(2 / kinds.length))
    .map((kind) => ({ ...troubleOf(kind, random, settings), at: at + LEASE_MS + random.next() * SPLITTING_MS }))
  return withTroubles(plan, [{ kind: 'reshard', at, times: random.between(2, 3) }, ...company])
}

function withTroubles(plan: Plan, troubles: readonly PlannedTrouble[]): Plan {
  return { ...plan, troubles: [...plan.troubles, ...troubles].toSorted((a, b) => a.at - b.at) }
}
