// What will happen in a simulation, made from its seed before it begins: what clients ask for and when, and which troubles
// come when. A plan is a value, so a failing one can be made shorter and run again. Only what lies between (latencies, which
// of the calls fails) is chosen while it runs, by generators of the parts concerned.

import { SeededRandom } from '../../test/support/seeded-random.ts'
import { FAULT_KINDS } from '../faults.ts'
import type { FaultKind } from '../faults.ts'
import type { Behaviour, OperationType, RetryWish } from '../history.ts'
import { NAMESPACES } from './namespaces.ts'
import { requestsOf } from './requests.ts'
import { planTroubles } from './troubles.ts'
import type { PlannedTrouble } from './troubles.ts'
import { clashesOf, floodOf, overlappingOf, restlessOf, steadyCyclesOf } from './workloads.ts'

export type ContractName = 'v1' | 'cycles' | 'platform'

export type PlannedTimer = {
  readonly namespace: string
  readonly id: string
  readonly contract: ContractName
  readonly host: string
}

export type PlannedWish =
  | { readonly type: 'instant'; readonly inMs: number }
  | { readonly type: 'duration'; readonly ms: number }
  | {
      readonly type: 'cycle'
      readonly repetitions: number | null
      readonly intervalMs: number
      readonly catchUp: 'all' | 'one'
      readonly overlap?: 'allow'
    }

export type PlannedRequest = {
  readonly number: number
  readonly at: number
  readonly timer: PlannedTimer
  readonly type: OperationType
  readonly wish: PlannedWish | null
  readonly behaviour: Behaviour
  readonly retry: RetryWish
  readonly timeoutMs: number
  readonly onConflict: 'replace' | 'keep' | 'reject'
  /** Which of the nodes is asked first. */
  readonly node: number
  /** How often it is sent again when the outcome is not known. */
  readonly repeats: number
  /** Only if the version is the one that the client has seen last. */
  readonly ifVersion: boolean
  /** The failed timer is brought back by the update. */
  readonly revives: boolean
}

export type Machine = { readonly rate: number; readonly skewMs: number }

export type Settings = {
  readonly shards: number
  /** Several nodes on one database; else one node on a database of its own. */
  readonly shared: boolean
  readonly machines: readonly Machine[]
  /** The first of them run from the beginning. */
  readonly startedMachines: number
  readonly window: { readonly timersMax: number; readonly bytesMax: number; readonly pageSize: number }
  readonly deliveries: { readonly total: number; readonly perNamespace: number; readonly perTarget: number }
  readonly commitQueue: { readonly lengthMax: number; readonly batchMax: number }
  readonly withEvents: boolean
  /** Faults end then, and so do requests. */
  readonly activeMs: number
  readonly shortRetentionMs: number
}

export type Plan = {
  readonly seed: number
  readonly faults: readonly FaultKind[]
  readonly settings: Settings
  readonly requests: readonly PlannedRequest[]
  readonly troubles: readonly PlannedTrouble[]
}

const CALM_SHARE = 0.06
const FLOOD_SHARE = 0.06 // nothing but a tenant that asks for much
const ALL_FAULTS_SHARE = 0.3

/** `only`: no other kinds of faults than these. */
export function makePlan(seed: number, only: readonly FaultKind[] = FAULT_KINDS): Plan {
  const random = new SeededRandom(seed * 2 + 1)
  const chosen = chooseFaults(random).filter((kind) => only.includes(kind))
  const settings = chooseSettings(random, chosen)
  // A database that is for one node is a file: there is no standby.
  const faults = chosen.filter((kind) => settings.shared || kind !== 'failOver')
  return {
    seed,
    faults,
    settings,
    requests: planRequests(random.fork(), settings, faults),
    troubles: planTroubles(random.fork(), settings, faults),
  }
}

function chooseFaults(random: SeededRandom): FaultKind[] {
  const chosen = random.next()
  if (chosen < CALM_SHARE) return []
  if (chosen < CALM_SHARE + FLOOD_SHARE) return ['flood']
  if (chosen < CALM_SHARE + FLOOD_SHARE + ALL_FAULTS_SHARE) return [...FAULT_KINDS]
  const share = 0.15 + random.next() * 0.6
  return FAULT_KINDS.filter(() => random.chance(share))
}

function chooseSettings(random: SeededRandom, faults: readonly FaultKind[]): Settings {
  const shared = random.chance(0.85)
  const machineCount = shared ? random.between(1, 4) : 1
  const isSkewed = faults.includes('clockSkew')
  const machines = Array.from({ length: machineCount }, () => ({
    rate: 1 + (random.next() - 0.5) * 0.002,
    skewMs: (random.next() - 0.5) * (isSkewed ? 6_000 : 20),
  }))
  const isTight = random.chance(0.5)
  const pick = <T>(...choices: readonly T[]): T => choices[random.between(0, choices.length - 1)]!
  return {
    shards: shared ? pick(1, 2, 4, 8) : 1,
    shared,
    machines,
    startedMachines: faults.includes('join') ? random.between(1, machineCount) : machineCount,
    window: { timersMax: isTight ? pick(4, 8, 16) : 200, bytesMax: 2 ** 26, pageSize: isTight ? pick(2, 4, 8) : 100 },
    deliveries: isTight
      ? { total: pick(5, 10, 20), perNamespace: pick(4, 8), perTarget: pick(2, 4) }
      : { total: 100, perNamespace: 50, perTarget: 25 },
    commitQueue: isTight ? { lengthMax: pick(6, 50), batchMax: pick(2, 5) } : { lengthMax: 1_000, batchMax: 100 },
    withEvents: random.chance(0.4),
    activeMs: random.between(12_000, 26_000),
    shortRetentionMs: pick(2_000, 5_000, 12_000),
  }
}

function planRequests(random: SeededRandom, settings: Settings, faults: readonly FaultKind[]): PlannedRequest[] {
  const requests: PlannedRequest[] = []
  const timers = random.between(4, random.chance(0.5) ? 12 : 36)
  for (let index = 0; index < timers; index++) {
    const contract = random.weighted({ v1: 6, cycles: 1.5, platform: 1.5 })
    const namespace = contract === 'platform' ? 'default' : NAMESPACES[random.between(0, 2)]!
    const timer: PlannedTimer = { namespace, id: `t${index}`, contract, host: `h${random.between(1, 4)}` }
    requests.push(...requestsOf(timer, random.fork(), settings, faults))
  }
  if (faults.includes('flood')) requests.push(...floodOf(random.fork(), settings))
  if (faults.includes('failOver')) requests.push(...steadyCyclesOf(random.fork(), settings))
  if (faults.includes('lostAnswers')) requests.push(...restlessOf(random.fork(), settings, faults))
  if (faults.includes('slowTargets')) requests.push(...clashesOf(random.fork(), settings, faults))
  if (!faults.includes('flood')) requests.push(...overlappingOf(random.fork(), settings))
  return requests.toSorted((a, b) => a.at - b.at).map((request, number) => ({ ...request, number: number + 1 }))
}
