// What will happen in a simulation, made from its seed before it begins: what clients ask for and when, and which troubles
// come when. A plan is a value, so a failing one can be made shorter and run again. Only what lies between (latencies, which
// of the calls fails) is chosen while it runs, by generators of the parts concerned.

import { SeededRandom } from '../test/support/seeded-random.ts'
import { FAULT_KINDS } from './faults.ts'
import type { FaultKind } from './faults.ts'
import type { Behaviour, OperationType, RetryWish } from './history.ts'
import { planTroubles } from './plan-troubles.ts'
import type { PlannedTrouble } from './plan-troubles.ts'

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

const NAMESPACES = ['default', 'calm', 'short'] as const
/** Of one tenant. */
const FLOOD_NAMESPACES = ['flood', 'flood2', 'flood3'] as const
export const ALL_NAMESPACES: readonly string[] = [...NAMESPACES, ...FLOOD_NAMESPACES]

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
  if (faults.includes('slowTargets')) requests.push(...clashesOf(random.fork(), settings))
  return requests.toSorted((a, b) => a.at - b.at).map((request, number) => ({ ...request, number: number + 1 }))
}

function requestsOf(
  timer: PlannedTimer,
  random: SeededRandom,
  { activeMs }: Settings,
  faults: readonly FaultKind[],
): PlannedRequest[] {
  const requests: PlannedRequest[] = []
  // Many clients want something of one timer at once.
  const isHot = random.chance(0.15)
  const count = isHot ? random.between(6, 14) : random.between(1, 7)
  let at = random.next() * activeMs * 0.6
  for (let index = 0; index < count && at < activeMs; index++) {
    const type = index === 0 ? 'create' : nextType(timer.contract, random)
    requests.push(requestOf({ timer, type, at }, random, faults))
    // Some come right behind the one before, and meet it on its way.
    at += random.chance(isHot ? 0.7 : 0.25) ? random.next() * (isHot ? 60 : 8) : random.next() * 6_000
  }
  return requests
}

function nextType(contract: ContractName, random: SeededRandom): OperationType {
  const all = { create: 2, update: 4, cancel: 3, trigger: 2, pause: 2, resume: 2, retry: 1, get: 2 }
  if (contract === 'v1') return random.weighted(all)
  if (contract === 'cycles') return random.weighted({ ...all, update: 0 })
  return random.weighted({ create: 2, update: 3, cancel: 3, get: 2 })
}

function requestOf(
  { timer, type, at }: { timer: PlannedTimer; type: OperationType; at: number },
  random: SeededRandom,
  faults: readonly FaultKind[],
): PlannedRequest {
  const isWrite = type === 'create' || type === 'update'
  const wish = isWrite ? chooseWish(timer.contract, random) : null
  const behaviour = chooseBehaviour(timer.contract, random, faults)
  // A cycle without an end whose receiver is slower than its grid would never catch up.
  const isEndless = wish?.type === 'cycle' && wish.repetitions === null
  // Nor in time one whose every iteration waits for several timeouts.
  const takesLong = wish?.type === 'cycle' && ['hang', 'late', 'slow'].includes(behaviour.type)
  const attempts = random.between(1, 4)
  return {
    number: 0,
    at,
    timer,
    type,
    wish,
    behaviour: isEndless ? { ...behaviour, type: 'ok', answerMs: 5 } : behaviour,
    retry: { maxAttempts: takesLong ? 1 : attempts, initialMs: random.between(200, 2_000) },
    timeoutMs: random.between(1, 4) * 1_000,
    onConflict: random.weighted({ replace: 4, keep: 1, reject: 1 }),
    node: random.between(0, 3),
    repeats: random.between(0, 2),
    ifVersion: (type === 'update' || type === 'cancel') && random.chance(0.2),
    revives: type === 'update' && random.chance(0.2),
  }
}

function chooseWish(contract: ContractName, random: SeededRandom): PlannedWish {
  if (contract === 'platform') return { type: 'instant', inMs: random.between(5_200, 12_000) }
  const kind = random.weighted({ instant: contract === 'cycles' ? 0 : 5, duration: 2, cycle: 3 })
  if (kind === 'instant') return { type: 'instant', inMs: random.between(1, random.chance(0.4) ? 300 : 9_000) }
  if (kind === 'duration') return { type: 'duration', ms: random.between(1, 8) * 1_000 }
  const repetitions = random.chance(0.2) ? null : random.between(1, 4)
  return {
    type: 'cycle',
    repetitions,
    intervalMs: random.between(1, 4) * 1_000,
    catchUp: contract === 'v1' && random.chance(0.4) ? 'one' : 'all',
  }
}

function chooseBehaviour(contract: ContractName, random: SeededRandom, faults: readonly FaultKind[]): Behaviour {
  const has = (kind: FaultKind): boolean => faults.includes(kind) && contract === 'v1'
  const type = random.weighted({
    ok: 6,
    slow: faults.includes('slowTargets') ? 2 : 0,
    fail: has('failingTargets') ? 2 : 0,
    gone: has('failingTargets') ? 0.4 : 0,
    hang: has('hangingTargets') ? 0.7 : 0,
    late: has('hangingTargets') ? 0.7 : 0,
    reschedule: has('reschedulingTargets') ? 1.5 : 0,
  })
  return {
    type,
    answerMs: type === 'slow' ? random.between(300, 3_500) : random.between(0, 20),
    failures: random.between(1, 4),
    byMs: random.between(1_100, 4_000),
  }
}

/** Many timers of one tenant at about the same time, at targets that are slow or do not answer; and some of another tenant. */
function floodOf(random: SeededRandom, { activeMs }: Settings): PlannedRequest[] {
  const count = random.between(20, 70)
  const at = random.next() * activeMs * 0.3
  const dueMs = random.between(500, 3_000)
  // Each at a host of its own: no host has so many that its own limit would hold them up.
  const isHanging = random.chance(0.5)
  const flood = Array.from({ length: count }, (_, index) => {
    const namespace = FLOOD_NAMESPACES[index % FLOOD_NAMESPACES.length]!
    const timer = oneOff(namespace, `f${index}`, `f${isHanging ? index : index % 5}`)
    const type = isHanging ? 'hang' : random.weighted({ ok: 2, slow: 2, hang: 1 })
    const answerMs = type === 'slow' ? 1_500 : 5
    return oneOffRequest(timer, { at: at + random.next() * 200, inMs: dueMs, type, answerMs }, random)
  })
  const others = Array.from({ length: random.between(4, 10) }, (_, index) => {
    const inMs = Math.round(dueMs + random.next() * 5_000)
    return oneOffRequest(oneOff('calm', `c${index}`, 'calm'), { at, inMs, type: 'ok', answerMs: 5 }, random)
  })
  return [...flood, ...others]
}

/** Timers that are made anew while they are being delivered. */
function clashesOf(random: SeededRandom, { activeMs }: Settings): PlannedRequest[] {
  return Array.from({ length: random.between(1, 4) }, (_, index) => {
    const timer = oneOff('default', `x${index}`, `x${index}`)
    const [at, inMs] = [random.next() * activeMs * 0.7, random.between(100, 1_500)]
    const answerMs = random.between(300, 1_500)
    const again = Array.from({ length: random.between(1, 3) }, () => at + inMs + random.next() * answerMs)
    return [at, ...again].map((when) => oneOffRequest(timer, { at: when, inMs, type: 'slow', answerMs }, random))
  }).flat()
}

/** Cycles that nobody touches: whoever fires one from old memory goes back to an iteration that was delivered. */
function steadyCyclesOf(random: SeededRandom, { activeMs }: Settings): PlannedRequest[] {
  const repetitions = Math.ceil(activeMs / 1_500)
  return Array.from({ length: random.between(2, 4) }, (_, index) => ({
    ...oneOffRequest(
      oneOff('default', `y${index}`, `y${index}`),
      { at: 500, inMs: 0, type: 'ok', answerMs: 5 },
      random,
    ),
    wish: { type: 'cycle', repetitions, intervalMs: 1_000 + 250 * index, catchUp: 'all' },
  }))
}

function oneOff(namespace: string, id: string, host: string): PlannedTimer {
  return { namespace, id, contract: 'v1', host }
}

function oneOffRequest(
  timer: PlannedTimer,
  { at, inMs, type, answerMs }: Pick<Behaviour, 'type' | 'answerMs'> & { at: number; inMs: number },
  random: SeededRandom,
): PlannedRequest {
  return {
    ...requestOf({ timer, type: 'create', at }, random, []),
    wish: { type: 'instant', inMs },
    behaviour: { type, answerMs, failures: 0, byMs: 0 },
    retry: { maxAttempts: 1, initialMs: 1_000 },
    timeoutMs: 2_000,
    onConflict: 'replace',
    ifVersion: false,
  }
}
