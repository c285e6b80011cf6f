import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Millis } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { Driver } from './driver.ts'

const DAY = 86_400_000

/** An engine that is a list of due times. */
function setup(...due: Millis[]) {
  const clock = new ManualClock()
  const fired: { dueAt: Millis; at: Millis }[] = []
  let pending = due.map((ms) => clock.now() + ms)
  let wakes = 0
  const driver = new Driver(clock, (now) => {
    wakes++
    for (const dueAt of pending) if (dueAt <= now) fired.push({ dueAt, at: clock.now() })
    pending = pending.filter((dueAt) => dueAt > now)
    return Math.min(Infinity, ...pending)
  })
  const add = (dueAt: Millis): void => {
    pending.push(dueAt)
    driver.wakeBy(dueAt)
  }
  return { clock, driver, fired, add, wakes: () => wakes }
}

test('nothing wakes before the start or after the stop, and no waiter is left behind', async () => {
  const { clock, driver, fired, add, wakes } = setup(0)
  driver.stop()
  add(clock.now())
  await clock.advance(5_000)
  assert.deepEqual([wakes(), clock.waiting], [0, 0])
  driver.start()
  driver.start()
  assert.equal(clock.waiting, 1)
  await clock.advance(0)
  assert.equal(fired.length, 2)
  add(clock.now() + 10)
  assert.equal(clock.waiting, 1)
  driver.stop()
  driver.stop()
  assert.equal(clock.waiting, 0)
  add(clock.now() + 5)
  await clock.advance(5_000)
  assert.deepEqual([fired.length, clock.waiting], [2, 0])
})

test('a driver that is stopped while it wakes stays stopped', async () => {
  const clock = new ManualClock()
  const driver = new Driver(clock, (now) => {
    driver.stop()
    return now + 10
  })
  driver.start()
  await clock.advance(1_000)
  assert.equal(clock.waiting, 0)
})

test('an idle driver does not wake at all', async () => {
  const { clock, driver, wakes } = setup()
  driver.start()
  await clock.advance(DAY)
  assert.deepEqual([wakes(), clock.waiting], [1, 0])
})

test('every timer wakes at its millisecond, whenever it was added and whatever waits already', async () => {
  const { clock, driver, fired, add } = setup(1, 999, 1_000, 1_001, 2_500)
  driver.start()
  await clock.advance(1)
  add(clock.now() + 1_200)
  add(clock.now() + 7)
  add(clock.now() + 5_000)
  await clock.advance(6_000)
  assert.equal(fired.length, 8)
  for (const { dueAt, at } of fired) assert.equal(at, dueAt)
})

test('what is asked for while waking is not forgotten', async () => {
  const clock = new ManualClock()
  const wokenAt: Millis[] = []
  const start = clock.now()
  const driver = new Driver(clock, (now) => {
    wokenAt.push(now - start)
    // A part that was asked before gets something due after it has answered that it has nothing.
    if (now === start) for (const ms of [900, 40, 700]) driver.wakeBy(start + ms)
    return Infinity
  })
  driver.start()
  await clock.advance(5_000)
  assert.deepEqual(wokenAt, [0, 40])
})

test('an answer that lies in the past wakes again at once, without starving others', async () => {
  const clock = new ManualClock()
  let left = 5
  const driver = new Driver(clock, (now) => (--left > 0 ? now - 1_000 : Infinity))
  driver.start()
  await clock.advance(0)
  assert.equal(left, 0)
})

test('a clock that is set back makes nothing early', async () => {
  const { clock, driver, fired } = setup(1_500)
  const [dueAt] = [clock.now() + 1_500]
  driver.start()
  await clock.advance(1_000)
  clock.step(-3_600_000)
  await clock.advance(3_600_000)
  assert.deepEqual(fired, [])
  await clock.advance(500)
  assert.deepEqual(fired, [{ dueAt, at: dueAt }])
})

test('a clock that is set forward is noticed within a second', async () => {
  const { clock, driver, fired } = setup(30 * DAY)
  driver.start()
  await clock.advance(10)
  clock.step(31 * DAY)
  await clock.advance(1_000)
  assert.equal(fired.length, 1)
})

test('a wait of a hundred years survives, though no platform timer lasts so long', async () => {
  const { clock, driver, fired, wakes } = setup(100 * 365 * DAY)
  driver.start()
  await clock.advance(10_500)
  assert.ok(wakes() >= 10 && fired.length === 0)
  clock.step(100 * 365 * DAY - 12_000)
  await clock.advance(1_499)
  assert.equal(fired.length, 0)
  await clock.advance(1)
  assert.deepEqual(
    fired.map(({ dueAt, at }) => at - dueAt),
    [0],
  )
})

test('over any steps of the clock: never early, late by a second at most after a step, to the millisecond without', async () => {
  const move = fc.record({
    addMs: fc.nat(4_000),
    advanceMs: fc.nat(1_500),
    stepMs: fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 5_000 })),
  })
  const moves = fc.array(move, { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(moves, async (sequence) => {
      const { clock, driver, fired, add } = setup()
      driver.start()
      let stepped = 0
      for (const { addMs, advanceMs, stepMs } of sequence) {
        add(clock.now() + addMs)
        clock.step(stepMs)
        stepped += Math.max(stepMs, 0)
        await clock.advance(advanceMs)
      }
      await clock.advance(50_000)
      assert.equal(fired.length, sequence.length)
      for (const { dueAt, at } of fired) assert.ok(at >= dueAt && at - dueAt <= (stepped === 0 ? 0 : stepped + 1_000))
      driver.stop()
      assert.equal(clock.waiting, 0)
    }),
    { numRuns: 30 },
  )
})
