// Requests that are made to meet certain troubles: a flood of one tenant, timers that are made anew while they are being
// delivered, timers that are changed all the time, and cycles that nobody touches.

import type { SeededRandom } from '../../test/support/seeded-random.ts'
import type { FaultKind } from '../faults.ts'
import type { Behaviour } from '../history.ts'
import { FLOOD_NAMESPACES } from './namespaces.ts'
import type { PlannedRequest, PlannedTimer, PlannedWish, Settings } from './plan.ts'
import { requestOf } from './requests.ts'

/** Many timers of one tenant at about the same time, at targets that are slow or do not answer; and some of another tenant. */
export function floodOf(random: SeededRandom, { activeMs }: Settings): PlannedRequest[] {
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

/** Timers that are made anew while they are being delivered; more of them where nobody may know whether they have been. */
export function clashesOf(
  random: SeededRandom,
  { activeMs }: Settings,
  faults: readonly FaultKind[],
): PlannedRequest[] {
  const [timers, times] = faults.includes('lostAnswers') ? [random.between(8, 16), 6] : [random.between(1, 4), 3]
  return Array.from({ length: timers }, (_, index) => {
    const timer = oneOff('default', `x${index}`, `x${index}`)
    const [at, inMs] = [random.next() * activeMs * 0.7, random.between(100, 1_500)]
    const answerMs = random.between(300, 1_500)
    const again = Array.from({ length: random.between(1, times) }, () => at + inMs + random.next() * answerMs)
    return [at, ...again].map((when) => oneOffRequest(timer, { at: when, inMs, type: 'slow', answerMs }, random))
  }).flat()
}

/** Timers that are changed again and again before they are due: of some of these changes nobody knows what became. */
export function restlessOf(
  random: SeededRandom,
  { activeMs }: Settings,
  faults: readonly FaultKind[],
): PlannedRequest[] {
  return Array.from({ length: random.between(1, 2) }, (_, index) => {
    const timer = oneOff('default', `z${index}`, `z${index}`)
    const wish: PlannedWish = { type: 'duration', ms: 12_000 }
    let at = random.next() * activeMs * 0.4
    return Array.from({ length: random.between(5, 10) }, (__, turn) => {
      const type = turn === 0 ? 'create' : random.weighted({ update: 4, pause: 2, resume: 2, cancel: 0.3 })
      const request = requestOf({ timer, type, at }, random, faults)
      at += random.next() * 1_000
      return { ...request, wish: request.wish && wish, revives: false }
    })
  }).flat()
}

/** Cycles that nobody touches: whoever fires one from old memory goes back to an iteration that was delivered. */
export function steadyCyclesOf(random: SeededRandom, { activeMs }: Settings): PlannedRequest[] {
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

/**
 * Cycles whose iterations run beside each other: their receivers are slower than the grid, or fail first. Some are canceled in the
 * middle of it. All end well before the faults do, so that every iteration has its time.
 */
export function overlappingOf(random: SeededRandom, { activeMs }: Settings): PlannedRequest[] {
  return Array.from({ length: random.between(1, 3) }, (_, index) => {
    const timer = oneOff('default', `o${index}`, `o${index}`)
    const repetitions = random.between(3, Math.max(4, Math.floor(activeMs / 2_500)))
    // A target that hangs gets one slot, and would not be through before the end.
    const type = random.weighted({ slow: 1, fail: 1 })
    const create: PlannedRequest = {
      ...oneOffRequest(
        timer,
        { at: 300 + random.next() * 1_000, inMs: 0, type, answerMs: random.between(500, 4_000) },
        random,
      ),
      wish: { type: 'cycle', repetitions, intervalMs: random.between(1, 2) * 1_000, catchUp: 'all', overlap: 'allow' },
      behaviour: { type, answerMs: random.between(500, 4_000), failures: random.between(1, 2), byMs: 0 },
      retry: { maxAttempts: 3, initialMs: random.between(200, 2_000) },
      timeoutMs: 5_000,
    }
    if (!random.chance(0.3)) return [create]
    return [
      create,
      { ...requestOf({ timer, type: 'cancel', at: random.next() * activeMs }, random, []), ifVersion: false },
    ]
  }).flat()
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
