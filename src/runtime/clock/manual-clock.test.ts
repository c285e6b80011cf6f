import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sleep } from './clock.ts'
import { ManualClock } from './manual-clock.ts'

test('nothing happens before its time, and nothing happens by itself', async () => {
  const clock = new ManualClock()
  let calls = 0
  clock.after(100, () => calls++)
  await clock.advance(99)
  assert.equal(calls, 0)
  await clock.advance(1)
  assert.equal(calls, 1)
  await clock.advance(1_000)
  assert.equal(calls, 1)
})

test('a canceled callback is never called and no longer waits', async () => {
  const clock = new ManualClock()
  let called = false
  const cancel = clock.after(10, () => (called = true))
  assert.equal(clock.waiting, 1)
  cancel()
  cancel()
  assert.equal(clock.waiting, 0)
  await clock.advance(10)
  assert.equal(called, false)
})

test('callbacks run in the order of their times, then of their making, each at its own time', async () => {
  const clock = new ManualClock(1_000)
  const calls: [string, number][] = []
  const note = (name: string) => () => calls.push([name, clock.now()])
  clock.after(20, note('late'))
  clock.after(10, note('first of two'))
  clock.after(10, note('second of two'))
  clock.after(-5, note('overdue'))
  await clock.advance(30)
  assert.deepEqual(calls, [
    ['overdue', 1_000],
    ['first of two', 1_010],
    ['second of two', 1_010],
    ['late', 1_020],
  ])
  assert.equal(clock.now(), 1_030)
})

test('work that a callback starts settles, and what it schedules within the span runs too', async () => {
  const clock = new ManualClock(0)
  const times: number[] = []
  clock.after(10, () => {
    void Promise.resolve()
      .then(() => new Promise((resolve) => setImmediate(resolve)))
      .then(() => clock.after(10, () => times.push(clock.now())))
  })
  await clock.advance(25)
  assert.deepEqual(times, [20])
})

test('a step of the wall clock moves neither the monotonic clock nor what waits', async () => {
  const clock = new ManualClock(0)
  let firedAt: number | null = null
  clock.after(10, () => (firedAt = clock.now()))
  clock.step(-3_600_000)
  await clock.advance(9)
  assert.equal(firedAt, null)
  assert.equal(clock.monotonic(), 9)
  await clock.advance(1)
  assert.equal(firedAt, -3_600_000 + 10)
})

test('a sleeper wakes when the time has come', async () => {
  const clock = new ManualClock()
  let awake = false
  const slept = sleep(clock, 1_000).then(() => (awake = true))
  await clock.advance(999)
  assert.equal(awake, false)
  await clock.advance(1)
  await slept
  assert.equal(clock.waiting, 0)
})
