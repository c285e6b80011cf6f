import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachEnd, wheelUsage } from './wheel-usage.ts'
import type { WakeCount, WheelLoad } from './wheel-usage.ts'
import { WHEEL_LEVELS, wheelPosition } from './wheel-levels.ts'

const NOW = Date.UTC(2030, 0, 1, 12, 5, 7, 300)
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNKNOWN = WHEEL_LEVELS.map(() => null)

/** As a store counts them: exactly up to each reach, and by the hour or the day. */
function loadOf(wakes: readonly number[]): WheelLoad {
  const counted = WHEEL_LEVELS.map(({ slotMs }, level) => {
    const end = reachEnd(level, NOW)
    return end === Infinity ? null : wakes.filter((at) => at < end).map((at) => stretch(at, slotMs, end))
  })
  return { counted, coarse: wakes.map((at) => stretch(at, DAY)), total: wakes.length }
}

function stretch(at: number, lengthMs: number, end = Infinity): WakeCount {
  const from = Math.floor(at / lengthMs) * lengthMs
  return { from, lengthMs: Math.min(lengthMs, end - from), count: 1 }
}

test('without timers no slot is used', () => {
  assert.deepEqual(wheelUsage(loadOf([]), NOW), { levels: [0, 0, 0, 0, 0], usedSlots: 0, totalSlots: 609 })
})

test('overdue timers are on the first level, in one slot', () => {
  const { levels, usedSlots } = wheelUsage(loadOf([NOW - 2 * DAY, NOW - DAY, NOW - MINUTE, NOW]), NOW)
  assert.deepEqual([levels, usedSlots], [[4, 0, 0, 0, 0], 1])
})

test('each timer is counted on the level it is on, the end of a reach included, and slots are those of the levels', () => {
  const delays = [
    SECOND,
    SECOND,
    30 * SECOND,
    MINUTE,
    MINUTE + SECOND,
    10 * MINUTE,
    HOUR,
    HOUR + SECOND,
    5 * HOUR,
    DAY,
    DAY + SECOND,
    9 * DAY,
  ]
  const wakes = [...delays, 365 * DAY, 365 * DAY + SECOND, 1_000 * DAY, 36_000 * DAY].map((delay) => NOW + delay)
  const expected = [0, 0, 0, 0, 0]
  const slots = new Set<string>()
  for (const wake of wakes) {
    const { level, slot } = wheelPosition(wake, NOW)
    expected[level]!++
    slots.add(`${level}:${slot}`)
  }
  const { levels, usedSlots } = wheelUsage(loadOf(wakes), NOW)
  assert.deepEqual(levels, expected)
  assert.equal(usedSlots, slots.size)
})

test('where timers were too many to be counted, an hour or a day that a reach ends in is split by its share', () => {
  const hour = Math.floor(NOW / HOUR) * HOUR
  const busy = { counted: UNKNOWN, coarse: [{ from: hour, lengthMs: HOUR, count: 60_000 }], total: 60_000 }
  const { levels } = wheelUsage(busy, NOW)
  assert.equal(
    levels.reduce((sum, count) => sum + count),
    60_000,
  )
  assert.ok(levels[0]! > 1_000 && levels[0]! < 1_200, String(levels))
  const tomorrow = Math.floor(NOW / DAY) * DAY + DAY
  const far = wheelUsage(
    { counted: UNKNOWN, coarse: [{ from: tomorrow, lengthMs: DAY, count: 24_000 }], total: 24_000 },
    NOW,
  ).levels
  const [, , second = 0, third = 0] = far
  assert.ok(second > 12_000 && second < 12_200 && third + second === 24_000, String(far))
})
