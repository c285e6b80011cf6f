// The troubles of a plan: which node dies, freezes or leaves when, when the database is away and when clocks are set. All
// of them are over when the active time of the simulation is.

import type { SeededRandom } from '../../test/support/seeded-random.ts'
import type { FaultKind } from '../faults.ts'
import type { Settings } from './plan.ts'
import { LEASE_MS } from '../world/node.ts'

type At = { readonly at: number }
type OfNode = At & { readonly node: number }
/** `forMs`: null is until the end of the troubles. */
type Lasting = { readonly forMs: number }

export type PlannedTrouble =
  | (OfNode & { readonly kind: 'crash'; readonly downMs: number })
  | (OfNode & { readonly kind: 'crashAtEffect'; readonly downMs: number; readonly effects: number })
  | (OfNode & Lasting & { readonly kind: 'freeze' | 'suspend' })
  | (OfNode & { readonly kind: 'leave'; readonly downMs: number })
  | (OfNode & { readonly kind: 'join' })
  | (OfNode & { readonly kind: 'clockStep'; readonly byMs: number })
  /** `node` null: for all. */
  | (At & Lasting & { readonly kind: 'stall' | 'cutDatabase'; readonly node: number | null })
  | (At & Lasting & { readonly kind: 'failOver'; readonly forgetsMs: number })
  | (At & Lasting & { readonly kind: 'cutLinks'; readonly from: number; readonly to: number })
  | PlannedReshard

/** Every shard is split into so many while nodes run. It is no fault, and explains none. */
export type PlannedReshard = At & { readonly kind: 'reshard'; readonly times: number }

type TroubleKind = Exclude<PlannedTrouble['kind'], 'reshard'>

/** How many of each kind there are in a simulation of 20 s, on average. */
const RATES: Readonly<Record<TroubleKind, number>> = {
  crash: 1.5,
  crashAtEffect: 1.5,
  freeze: 1,
  suspend: 0.7,
  leave: 1,
  join: 0,
  stall: 1,
  cutDatabase: 1,
  failOver: 0.8,
  cutLinks: 2,
  clockStep: 2.5,
}

export function planTroubles(
  random: SeededRandom,
  settings: Settings,
  faults: readonly FaultKind[],
): readonly PlannedTrouble[] {
  const troubles: PlannedTrouble[] = []
  for (const kind of Object.keys(RATES) as TroubleKind[]) {
    const own = random.fork()
    if (!faults.includes(kind)) continue
    const mean = (RATES[kind] * settings.activeMs) / 20_000
    for (let left = mean; left > 0; left--) {
      if (left < 1 && !own.chance(left)) continue
      troubles.push(...withCompany(troubleOf(kind, own, settings), troubles, own, settings))
    }
  }
  if (faults.includes('crash')) troubles.push(...restartOfAll(random.fork(), settings, faults))
  for (let node = settings.startedMachines; node < settings.machines.length; node++)
    troubles.push({ kind: 'join', node, at: random.next() * settings.activeMs * 0.8 })
  return troubles.toSorted((a, b) => a.at - b.at)
}

/**
 * Sometimes all are started again shortly before the troubles end, and the database is away when they read their first pages: what fails
 * then, nothing else makes up for.
 */
function restartOfAll(
  random: SeededRandom,
  { activeMs, machines }: Settings,
  faults: readonly FaultKind[],
): readonly PlannedTrouble[] {
  if (!random.chance(0.25)) return []
  const [at, downMs] = [activeMs - 500 - random.next() * 400, random.next() * 300]
  const crashes = machines.map((_, node): PlannedTrouble => ({ kind: 'crash', node, at, downMs }))
  if (!faults.includes('cutDatabase')) return crashes
  const startedMs = random.next() * (faults.includes('slowDatabase') ? 120 : 6)
  return [...crashes, { kind: 'cutDatabase', node: null, at: at + downMs + startedMs, forMs: 50 }]
}

/** Troubles seldom come alone: a clock is often set while its node is cut off, and the database fails over. */
function withCompany(
  trouble: PlannedTrouble,
  others: readonly PlannedTrouble[],
  random: SeededRandom,
  settings: Settings,
): readonly PlannedTrouble[] {
  if (trouble.kind === 'clockStep') return [duringAnother(trouble, others, random, settings.activeMs - 1)]
  return trouble.kind === 'failOver' && random.chance(0.5) ? whileAway(trouble, random, settings) : [trouble]
}

function duringAnother(
  step: Extract<PlannedTrouble, { kind: 'clockStep' }>,
  others: readonly PlannedTrouble[],
  random: SeededRandom,
  endAt: number,
): PlannedTrouble {
  const hosts = others.filter((other) => 'forMs' in other && 'node' in other && other.node !== null)
  const host = hosts[random.between(0, hosts.length - 1)]
  if (host === undefined || !random.chance(0.6)) return step
  const { at, forMs, node } = host as Extract<PlannedTrouble, { kind: 'freeze' }>
  return { ...step, node, at: Math.min(at + random.next() * Math.min(forMs, 5_000), endAt) }
}

/** A node is frozen, others take its shards, the database forgets that, and is back when the node is. */
function whileAway(
  failOver: Extract<PlannedTrouble, { kind: 'failOver' }>,
  random: SeededRandom,
  { activeMs, machines }: Settings,
): readonly PlannedTrouble[] {
  const awayMs = LEASE_MS * (1.35 + random.next() * 0.3)
  const at = random.next() * (activeMs - awayMs - 1)
  const forMs = 10 + random.next() * 600
  const failsAt = at + awayMs - forMs
  const node = random.between(0, machines.length - 1)
  return [
    { kind: 'freeze', at, node, forMs: awayMs },
    { ...failOver, at: failsAt, forMs, forgetsMs: failsAt - at - LEASE_MS * 0.8 },
  ]
}

export function troubleOf(kind: TroubleKind, random: SeededRandom, { activeMs, machines }: Settings): PlannedTrouble {
  const at = random.next() * activeMs * 0.9
  const node = random.between(0, machines.length - 1)
  // Shorter than a beat, about a lease, or longer.
  const forMs = random.chance(0.4) ? random.next() * 900 : random.next() * 11_000
  const downMs = random.chance(0.5) ? random.next() * 500 : random.next() * 9_000
  switch (kind) {
    case 'crash':
    case 'leave':
      return { kind, at, node, downMs }
    case 'crashAtEffect':
      return { kind, at, node, downMs, effects: random.between(1, 12) }
    case 'freeze':
    case 'suspend':
      return { kind, at, node, forMs }
    case 'join':
      return { kind, at, node }
    case 'clockStep':
      return { kind, at, node, byMs: (random.next() - 0.5) * (random.chance(0.5) ? 2_000 : 24_000) }
    case 'stall':
    case 'cutDatabase':
      return { kind, at, forMs, node: random.chance(0.5) ? node : null }
    case 'failOver':
      return { kind, at, forMs: random.next() * 3_000, forgetsMs: 20 + random.next() * 2_500 }
    case 'cutLinks':
      return { kind, at, forMs, from: node, to: random.between(0, machines.length - 1) }
  }
}
