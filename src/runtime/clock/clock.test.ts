import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sleep, systemClock, TIMEOUT_LIMIT_MS } from './clock.ts'
import { ManualClock } from './manual-clock.ts'

test('an aborted sleep rejects with the reason and leaves nothing behind', async () => {
  const clock = new ManualClock()
  const abort = new AbortController()
  const slept = assert.rejects(sleep(clock, 1_000, abort.signal), /stopping/)
  abort.abort(new Error('stopping'))
  await slept
  assert.equal(clock.waiting, 0)
})

test('a sleep under a signal that is aborted already does not begin', async () => {
  const clock = new ManualClock()
  await assert.rejects(sleep(clock, 1_000, AbortSignal.abort(new Error('stopped'))), /stopped/)
  assert.equal(clock.waiting, 0)
})

test('an abort after the sleep is over changes nothing', async () => {
  const clock = new ManualClock()
  const abort = new AbortController()
  const slept = sleep(clock, 10, abort.signal)
  await clock.advance(10)
  await slept
  abort.abort()
})

test('a wait longer than the platform can do does not end at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let calls = 0
  systemClock.after(2 ** 40, () => calls++)
  t.mock.timers.tick(TIMEOUT_LIMIT_MS - 1)
  assert.equal(calls, 0)
  t.mock.timers.tick(1)
  assert.equal(calls, 1)
})

test('a canceled wait does not call back', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let calls = 0
  systemClock.after(10, () => calls++)()
  systemClock.after(-1, () => (calls += 10))
  t.mock.timers.tick(10)
  assert.equal(calls, 10)
})

test('the monotonic clock never goes back and the wall clock is the system’s', () => {
  let last = systemClock.monotonic()
  for (let n = 0; n < 1_000; n++) {
    const next = systemClock.monotonic()
    assert.ok(next >= last)
    last = next
  }
  const before = Date.now()
  const now = systemClock.now()
  assert.ok(before <= now && now <= Date.now())
})
