import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { exactWakes } from './wake-at.ts'

/** A thread with a clock that passes only while it is blocked or `pass` is called. */
function setup({ startAt = 1_000.25 }: { startAt?: number } = {}) {
  let [wallMs, monoMs, blockedMs] = [startAt, 0, 0]
  const delays: number[] = []
  let due: (() => void) | null = null
  const pass = (ms: number): void => {
    wallMs += ms
    monoMs += ms
  }
  const wakeAt = exactWakes({
    now: () => Math.floor(wallMs),
    monotonic: () => monoMs,
    maxWaitMs: 1_000,
    after(delayMs, callback) {
      delays.push(delayMs)
      due = callback
      return () => (due = null)
    },
    block(ms) {
      blockedMs += ms
      pass(ms)
    },
  })
  return {
    wakeAt,
    delays,
    pass,
    step: (ms: number) => (wallMs += ms),
    /** The platform's timer ends. */
    ring: () => due?.(),
    now: () => wallMs,
    blockedMs: () => blockedMs,
  }
}

test('a clock that is set back does not hold the thread', () => {
  const { wakeAt, step, pass, ring, blockedMs } = setup()
  let calls = 0
  wakeAt(1_010, () => calls++)
  pass(9)
  step(-60_000)
  ring()
  assert.equal(calls, 1)
  assert.ok(blockedMs() < 3)
})

test('who wakes all the time sleeps for a tenth of it at most', () => {
  const { wakeAt, pass, ring, now, blockedMs } = setup()
  for (let n = 0; n < 1_000; n++) {
    wakeAt(Math.floor(now()) + 2, () => {})
    pass(1.2)
    ring()
  }
  assert.ok(blockedMs() <= (now() - 1_000) / 10 + 6, `${blockedMs()} ms of ${now() - 1_000}`)
  assert.ok(blockedMs() > 10)
})

test('a time that is far is looked at again after the longest wait', () => {
  const { wakeAt, delays } = setup()
  wakeAt(1_000_000, () => {})
  wakeAt(1_500, () => {})
  wakeAt(900, () => {})
  assert.deepEqual(delays, [1_000, 499, 0])
})

test('a wake comes within a step of its time, and not before', () => {
  const { wakeAt, pass, ring, now } = setup()
  let calledAt = 0
  wakeAt(1_010, () => (calledAt = now()))
  pass(9)
  ring()
  assert.ok(calledAt >= 1_010 && calledAt < 1_010.2, String(calledAt))
})

test('a timer of the platform that comes early is set again', () => {
  const { wakeAt, pass, ring, now, delays } = setup()
  let calledAt = 0
  wakeAt(1_010, () => (calledAt = now()))
  pass(5)
  ring()
  assert.equal(calledAt, 0)
  assert.deepEqual(delays, [9, 4])
  pass(4)
  ring()
  assert.ok(calledAt >= 1_010, String(calledAt))
})

test('a canceled wake does not call back, also when it had been set again', () => {
  const { wakeAt, pass, ring } = setup()
  let calls = 0
  wakeAt(1_010, () => calls++)()
  const cancel = wakeAt(1_020, () => calls++)
  pass(5)
  ring()
  cancel()
  pass(20)
  ring()
  assert.equal(calls, 0)
})

test('the system clock never wakes anybody early', async () => {
  for (let n = 0; n < 50; n++) {
    const at = systemClock.now() + (n % 7)
    const wokeAt = await new Promise<number>((resolve) => systemClock.wakeAt!(at, () => resolve(systemClock.now())))
    assert.ok(wokeAt >= at, `${wokeAt} is before ${at}`)
  }
})
