import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NOW, timerOf } from '../rules/command.fixture.ts'
import { settle } from '../rules/settle.ts'
import { SLOT_MS, STANDING, talliesOf } from './tallies.ts'
import { isFinished, NEVER, Status } from '../timer/timer.ts'
import type { Timer } from '../timer/timer.ts'

const at = (ms: number): number => NOW + ms

/** Due a minute after it was made. */
function aTimer(changes: Partial<Timer> = {}): Timer {
  return { ...timerOf('PT1M'), ...(changes.dueAt !== undefined && { wakeAt: changes.dueAt }), ...changes }
}

const CONTEXT = { now: at(60_003), retentionMs: 86_400_000 }
const DELIVERED = { startedAt: at(60_003), durationMs: 12, outcome: { type: 'delivered', statusCode: 200 } } as const

function happened(before: Timer | null, after: Timer): string[] {
  return talliesOf(before, after)
    .filter(({ slotAt }) => slotAt !== STANDING)
    .map(({ name, amount }) => `${name} ${amount}`)
}

function stands(before: Timer | null, after: Timer): string[] {
  return talliesOf(before, after)
    .filter(({ slotAt }) => slotAt === STANDING)
    .map(({ name, amount }) => `${name} ${amount}`)
}

test('a change that is no event adds nothing to what happened', () => {
  const timer = aTimer()
  assert.deepEqual(happened(timer, { ...timer, version: 2, status: Status.paused, wakeAt: NEVER }), [])
  assert.deepEqual(happened(timer, { ...timer, version: 2, status: Status.executing }), [])
})

test('a creation is counted with its delay, in the slot it happened in', () => {
  const timer = aTimer()
  assert.deepEqual(happened(null, timer), ['created 1', 'delay.1m_to_5m 1'])
  for (const { slotAt } of talliesOf(null, timer))
    assert.ok(slotAt === STANDING || (slotAt <= timer.updatedAt && timer.updatedAt < slotAt + SLOT_MS))
  assert.deepEqual(happened(null, aTimer({ schedule: 'R/PT1H', anchorAt: at(0), dueAt: at(3_600_000) })), [
    'created 1',
    'created.cycles 1',
    'delay.1h_to_24h 1',
  ])
  const again = { ...timer, version: 3, createdAt: at(5), updatedAt: at(5) }
  assert.deepEqual(happened({ ...timer, status: Status.canceled, wakeAt: at(9) }, again), [
    'created 1',
    'delay.under_1m 1',
  ])
})

test('a firing is counted at its first attempt, with its lateness', () => {
  const timer = aTimer()
  assert.deepEqual(happened(timer, settle(timer, DELIVERED, CONTEXT)), [
    'completed 1',
    'delivery.ms 12',
    'fired 1',
    'late.ms 3',
    'late.in.3 1',
  ])
  const refused = { type: 'failed', error: 'HTTP 500', statusCode: 500, retryAfterMs: null, final: false } as const
  const retried = settle(timer, { ...DELIVERED, outcome: refused }, CONTEXT)
  assert.deepEqual(happened(timer, retried), ['delivery.ms 12', 'fired 1', 'late.ms 3', 'late.in.3 1'])
  const failed = settle(retried, { ...DELIVERED, outcome: { ...refused, final: true } }, CONTEXT)
  assert.deepEqual(happened(retried, failed), ['failed 1', 'delivery.ms 12'])
})

test('a retry that somebody asked for is measured from when it was asked, not from the old due time', () => {
  const failed = { ...aTimer(), status: Status.failed, version: 5, finishedAt: at(1), wakeAt: at(9) }
  const retried = { ...failed, version: 6, status: Status.pending, finishedAt: null, wakeAt: at(900_000) }
  const done = settle(retried, { ...DELIVERED, startedAt: at(900_001) }, { ...CONTEXT, now: at(900_001) })
  assert.ok(happened(retried, done).includes('late.ms 1'))
})

test('a cycle counts its firings and its end', () => {
  const cycle = aTimer({ schedule: 'R2/PT1M', anchorAt: at(0) })
  const second = settle(cycle, DELIVERED, CONTEXT)
  assert.ok(happened(cycle, second).includes('fired.cycles 1'))
  const ended = settle(second, { ...DELIVERED, startedAt: at(120_000) }, { ...CONTEXT, now: at(120_000) })
  assert.ok(happened(second, ended).includes('ended.cycles 1'))
})

test('intervals are told in their largest unit, and odd ones all alike', () => {
  const cases: [schedule: string, name: string][] = [
    ['R/PT60S', 'PT1M'],
    ['R3/PT90M', 'PT90M'],
    ['R/PT24H', 'P1D'],
    ['R/P2W', 'P14D'],
    ['R/P12M', 'P1Y'],
    ['R/P1M', 'P1M'],
    ['R/PT1.5S', 'other'],
    ['R/P1M1D', 'other'],
    ['R/PT86401S', 'other'],
  ]
  for (const [schedule, name] of cases) {
    assert.ok(stands(null, aTimer({ schedule, anchorAt: at(0) })).includes(`interval.${name} 1`), schedule)
  }
})

test('what stands is what the rows say, whatever the series of changes was', () => {
  const change = fc.record({
    status: fc.constantFrom(...Object.values(Status)),
    dueMs: fc.constantFrom(1_000, 60_000, 7_200_000, 86_400_000 * 3),
    schedule: fc.constantFrom(null, 'R/PT1H', 'R3/PT1M'),
    updatedMs: fc.nat({ max: 86_400_000 }),
  })
  const series = fc.array(change, { minLength: 1, maxLength: 8 })
  const property = fc.property(series, (changes) => {
    const sums = new Map<string, number>()
    let before: Timer | null = null
    for (const { status, dueMs, schedule, updatedMs } of changes) {
      const wakeAt = status === Status.paused ? NEVER : at(dueMs)
      const after = aTimer({
        status,
        dueAt: at(dueMs),
        wakeAt,
        schedule,
        anchorAt: schedule === null ? null : at(0),
        updatedAt: at(updatedMs),
      })
      for (const { name, slotAt, amount } of talliesOf(before, after))
        if (slotAt === STANDING) sums.set(name, (sums.get(name) ?? 0) + amount)
      before = after
    }
    const left = [...sums].filter(([, amount]) => amount !== 0).map(([name, amount]) => `${name} ${amount}`)
    assert.deepEqual(left.toSorted(), stands(null, before!).toSorted())
    if (isFinished(before!)) assert.deepEqual(left, [])
  })
  fc.assert(property)
})
