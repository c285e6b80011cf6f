import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { elapsedTime } from './elapsed-time.ts'

function setup() {
  const time = { wall: 1_000_000, mono: 5 }
  const elapsed = elapsedTime({ now: () => time.wall, monotonic: () => time.mono })
  let last = elapsed()
  /** How much has passed since the last look. */
  const passed = (wallMs: number, monoMs: number) => {
    time.wall += wallMs
    time.mono += monoMs
    const before = last
    last = elapsed()
    return last - before
  }
  return { passed }
}

test('the time in which a machine was suspended has passed', () => {
  const { passed } = setup()
  assert.equal(passed(1_000, 1_000), 1_000)
  assert.equal(passed(60_000, 3), 60_000)
  assert.equal(passed(10, 10), 10)
  assert.equal(passed(30_000, 0), 30_000)
})

test('a clock that is set back takes nothing away, and hides no later suspension', () => {
  const { passed } = setup()
  assert.equal(passed(-3_600_000, 20), 20)
  assert.equal(passed(20, 20), 20)
  assert.equal(passed(5_000, 0), 5_000)
})

test('readings that differ by a little do not add up', () => {
  const { passed } = setup()
  let sum = 0
  for (let look = 0; look < 10_000; look++) sum += passed(look % 2 === 0 ? 2 : 0, 1)
  assert.equal(sum, 10_000)
})

test('the clock of the system counts on', () => {
  const first = systemClock.elapsed()
  assert.ok(systemClock.elapsed() >= first)
})
