// What clients ask of a timer in a plan: one request after the other, each by the seed.

import type { SeededRandom } from '../../test/support/seeded-random.ts'
import type { FaultKind } from '../faults.ts'
import type { Behaviour, OperationType } from '../history.ts'
import type { ContractName, PlannedRequest, PlannedTimer, PlannedWish, Settings } from './plan.ts'

/** What clients want of one timer, from its create on. */
export function requestsOf(
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

export function requestOf(
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
