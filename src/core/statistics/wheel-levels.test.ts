import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WHEEL_LEVELS, wheelPosition } from './wheel-levels.ts'

const NOW = Date.UTC(2030, 0, 1, 12, 0, 0, 250)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test('what is due already is in the current second', () => {
  const current = { level: 0, slot: Math.floor(NOW / 1_000) % 60 }
  assert.deepEqual(wheelPosition(NOW, NOW), current)
  assert.deepEqual(wheelPosition(NOW - DAY, NOW), current)
})

test('a timer is on the first level whose reach covers its delay, the end of the reach included', () => {
  const cases: [delayMs: number, level: number][] = [
    [1_000, 0],
    [MINUTE, 0],
    [MINUTE + 1_000, 1],
    [HOUR, 1],
    [HOUR + 1_000, 2],
    [DAY, 2],
    [DAY + 1_000, 3],
    [365 * DAY, 3],
    [365 * DAY + 1_000, 4],
    [100 * 365 * DAY, 4],
    [100 * 365.25 * DAY, 4],
  ]
  for (const [delayMs, level] of cases) assert.equal(wheelPosition(NOW + delayMs, NOW).level, level, String(delayMs))
})

test('a slot is one of its level, and timers of one slot are in the same place', () => {
  for (const delayMs of [0, 59_000, 61_000, 2 * HOUR, 3 * DAY, 400 * DAY, 200 * 365 * DAY]) {
    const { level, slot } = wheelPosition(NOW + delayMs, NOW)
    assert.ok(slot >= 0 && slot < WHEEL_LEVELS[level]!.slots && Number.isInteger(slot))
    assert.deepEqual(wheelPosition(NOW + delayMs + 1, NOW), { level, slot })
  }
})
