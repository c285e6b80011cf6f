import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DELIVERED, FAILED, GONE, MINUTE, NOW, RETENTION_MS, SECOND, at, timerOf } from './command.fixture.ts'
import { failedDelivery } from '../timer/delivery.ts'
import type { DeliveryOutcome } from '../timer/delivery.ts'
import { deliveryId } from '../timer/ids.ts'
import { ATTEMPTS_KEPT, ERROR_CHARS_KEPT } from '../limits.ts'
import { DEFAULT_RETRY } from './retry.ts'
import { firingOf } from '../time/firings.ts'
import { parseSchedule } from '../time/schedule.ts'
import { markExecuting, settle } from './settle.ts'
import { assertTimerInvariants } from './timer-invariants.ts'
import { NEVER, Status, isFinished } from '../timer/timer.ts'
import type { Timer } from '../timer/timer.ts'

/** One attempt, `lateMs` after its time and lasting `durationMs`, with the steps it makes checked. */
function attempt(timer: Timer, outcome: DeliveryOutcome, { lateMs = 0, durationMs = 5 } = {}): Timer {
  const startedAt = timer.wakeAt + lateMs
  const after = settle(timer, { startedAt, durationMs, outcome }, at(startedAt + durationMs))
  assertTimerInvariants(after, { ...timer, status: Status.executing })
  return after
}

test('410 Gone ends a timer at once, with attempts and iterations left', () => {
  for (const schedule of ['PT1M', 'R3/PT1M', 'R/PT1M']) {
    const after = attempt(timerOf(schedule), GONE)
    assert.deepEqual([after.status, after.lastError, after.attempts], ['failed', 'HTTP 410', 1])
  }
})

test('a timer whose attempts are used up has failed, and is kept for its retention time', () => {
  let timer = timerOf('PT1M')
  const ids = new Set<string>()
  for (let n = 1; n <= DEFAULT_RETRY.maxAttempts; n++) {
    ids.add(deliveryId(timer))
    assert.equal(timer.status, 'pending')
    timer = attempt(timer, FAILED)
    assert.equal(timer.attempts, n)
  }
  assert.deepEqual([timer.status, timer.dueAt, ids.size], ['failed', NOW + MINUTE, 1])
  assert.equal(timer.wakeAt, timer.finishedAt! + RETENTION_MS)
})

test('no attempt is made later than the policy allows after the first', () => {
  let timer = timerOf('PT1M', { retry: { ...DEFAULT_RETRY, maxAttempts: 100, maxDurationMs: 10 * MINUTE } })
  const firstAt = timer.wakeAt
  while (!isFinished(timer)) {
    assert.ok(timer.wakeAt - firstAt <= 10 * MINUTE)
    timer = attempt(timer, FAILED)
  }
  assert.ok(timer.attempts > 3 && timer.attempts < 10)
})

test('a retry that was planned before the clock was set back is not before the due time', () => {
  const timer = timerOf('PT1H')
  const after = settle(timer, { startedAt: timer.dueAt, durationMs: 5, outcome: FAILED }, at(NOW))
  assert.equal(after.wakeAt, timer.dueAt)
})

test('Retry-After that is longer than what is left of the policy means one more attempt at its end, and the record says so', () => {
  const timer = timerOf('PT1M', { retry: { ...DEFAULT_RETRY, maxDurationMs: 10 * MINUTE } })
  const asked = failedDelivery('HTTP 429', { statusCode: 429, retryAfterMs: 60 * MINUTE })
  const waiting = attempt(timer, asked)
  assert.deepEqual([waiting.status, waiting.wakeAt], ['pending', timer.wakeAt + 10 * MINUTE])
  assert.equal(
    waiting.attemptLog.at(-1)!.note,
    'Retry-After asks for 1h; the next attempt is at the end of the retry policy instead',
  )
  const after = attempt(waiting, asked)
  assert.deepEqual([after.status, after.attempts, after.attemptLog.at(-1)!.note], ['failed', 2, undefined])
})

test('a receiver that reschedules itself is called again after the floor at the earliest, and the record says so', () => {
  const timer = timerOf('PT1M')
  const rescheduled = (leadMs: number) =>
    ({ type: 'rescheduled', nextAt: timer.wakeAt + 5 + leadMs, statusCode: 200 }) as const
  const soon = attempt(timer, rescheduled(1))
  assert.deepEqual([soon.status, soon.dueAt], ['pending', timer.wakeAt + 5 + SECOND])
  assert.equal(soon.attemptLog.at(-1)!.note, 'asked to be called again in 1ms; 1s is the least')
  const later = attempt(timer, rescheduled(SECOND))
  assert.deepEqual([later.dueAt, later.attemptLog.at(-1)!.note], [timer.wakeAt + 5 + SECOND, undefined])
  const ended = { startedAt: timer.wakeAt, durationMs: 5, outcome: rescheduled(1) }
  assert.equal(
    settle(timer, ended, { ...at(timer.wakeAt + 5), rescheduleMinMs: 30 * SECOND }).dueAt,
    timer.wakeAt + 5 + 30 * SECOND,
  )
})

test('a failed delivery is tried again after the same floor at the earliest, whatever its policy says', () => {
  const retry = { ...DEFAULT_RETRY, maxAttempts: 101, initialIntervalMs: 1 }
  const timer = timerOf('PT1M', { retry })
  const waitMs = attempt(timer, FAILED).wakeAt - (timer.wakeAt + 5)
  assert.ok(waitMs >= SECOND && waitMs <= 1.1 * SECOND, `${waitMs}`)
  assert.equal(attempt(timer, FAILED).retry, retry)
  const ended = { startedAt: timer.wakeAt, durationMs: 5, outcome: FAILED }
  const soon = settle(timer, ended, { ...at(timer.wakeAt + 5), rescheduleMinMs: 1 }).wakeAt - (timer.wakeAt + 5)
  assert.ok(soon === 1 || soon === 2, `${soon}`)
  const cycle = attempt(timerOf('R/PT1S', { retry }), FAILED)
  assert.deepEqual([cycle.iteration, cycle.attempts], [2, 0], 'the next iteration takes over')
})

test('Retry-After makes the wait longer', () => {
  const retryAfterMs = 5 * MINUTE
  const after = attempt(timerOf('PT1M'), failedDelivery('HTTP 429', { statusCode: 429, retryAfterMs }))
  assert.equal(after.wakeAt, NOW + MINUTE + 5 + retryAfterMs)
})

test('the log keeps the last attempts over all firings, and long errors are cut without breaking a character', () => {
  let timer = timerOf('R/PT1H')
  for (let n = 0; n < ATTEMPTS_KEPT + 5; n++) timer = attempt(timer, DELIVERED)
  assert.equal(timer.attemptLog.length, ATTEMPTS_KEPT)
  assert.equal(timer.attemptLog.at(-1)!.at, timer.executedAt)
  assert.ok(timer.attemptLog.every((entry, index, log) => index === 0 || entry.at > log[index - 1]!.at))
  const { lastError } = attempt(timerOf('PT1M'), failedDelivery(`x${'😀'.repeat(ERROR_CHARS_KEPT)}`))
  assert.ok(lastError!.length <= ERROR_CHARS_KEPT && lastError!.isWellFormed())
})

test('a success clears the last error but not the log', () => {
  const after = attempt(attempt(timerOf('PT1M'), FAILED), DELIVERED)
  assert.deepEqual([after.status, after.lastError, after.attempts], ['completed', null, 2])
  const log = after.attemptLog.map(({ outcome, error, statusCode }) => [outcome, error, statusCode])
  assert.deepEqual(log, [
    ['failed', 'HTTP 500', 500],
    ['delivered', null, 200],
  ])
})

test('a receiver that reschedules gets a new firing at its time, and the timer remembers its first one', () => {
  const timer = timerOf(new Date(NOW + MINUTE).toISOString())
  const nextAt = NOW + 60 * MINUTE
  const moved = attempt(attempt(timer, FAILED), { type: 'rescheduled', nextAt, statusCode: 200 })
  assert.deepEqual(
    [moved.dueAt, moved.wakeAt, moved.attempts, moved.schedule],
    [nextAt, nextAt, 0, new Date(NOW + MINUTE).toISOString()],
  )
  assert.notEqual(deliveryId(moved), deliveryId(timer))
  assert.equal(attempt(moved, DELIVERED).status, 'completed')
})

test('an iteration that its receiver moved is followed by the next one on the grid', () => {
  const moved = attempt(timerOf('R3/PT10M'), { type: 'rescheduled', nextAt: NOW + 12 * MINUTE, statusCode: 200 })
  assert.equal(moved.iteration, 1)
  const second = attempt(moved, DELIVERED)
  assert.deepEqual([second.iteration, second.dueAt], [2, NOW + 20 * MINUTE])
})

test('a delivery marked as executing settles like any other', () => {
  const timer = timerOf('R2/PT1M')
  const marked = markExecuting(timer, timer.dueAt + SECOND)
  assertTimerInvariants(marked, timer)
  assert.deepEqual(marked, { ...timer, version: 2, status: 'executing', updatedAt: timer.dueAt + SECOND })
  assert.deepEqual(attempt(marked, DELIVERED), { ...attempt(timer, DELIVERED), version: 3 })
})

test('retries stop when the next iteration is due, which takes over', () => {
  const policy = { ...DEFAULT_RETRY, maxAttempts: 100, multiplier: 1 }
  let timer = timerOf('R3/PT2M', { retry: policy })
  while (timer.iteration === 1) {
    assert.ok(timer.wakeAt < NOW + 4 * MINUTE)
    timer = attempt(timer, FAILED)
  }
  assert.deepEqual([timer.iteration, timer.dueAt, timer.attempts, timer.status], [2, NOW + 4 * MINUTE, 0, 'pending'])
})

test('an iteration that fails for good does not end the cycle, but the last one does', () => {
  let timer = timerOf('R3/P1D')
  for (let n = 0; n < 2 * DEFAULT_RETRY.maxAttempts; n++) timer = attempt(timer, FAILED)
  assert.deepEqual([timer.iteration, timer.status, timer.lastError], [3, 'pending', 'HTTP 500'])
  for (let n = 0; n < DEFAULT_RETRY.maxAttempts; n++) timer = attempt(timer, FAILED)
  assert.deepEqual([timer.iteration, timer.status], [3, 'failed'])
})

test('a cycle fires exactly as often as it says, on its grid, however late and slow its deliveries are', () => {
  const runs = fc.array(fc.record({ lateMs: fc.nat(3 * 60 * MINUTE), durationMs: fc.nat(60 * MINUTE) }), {
    minLength: 10,
    maxLength: 10,
  })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.constantFrom('PT1S', 'PT10M', 'P1M', 'P1D'),
      runs,
      (repetitions, interval, delays) => {
        let timer = timerOf(`R${repetitions}/${interval}`)
        const schedule = parseSchedule(timer.schedule!)
        const ids = new Set<string>()
        for (let n = 1; n <= repetitions; n++) {
          assert.deepEqual(
            [timer.status, timer.iteration, timer.dueAt],
            ['pending', n, firingOf(schedule, timer.anchorAt, n)],
          )
          ids.add(deliveryId(timer))
          timer = attempt(timer, DELIVERED, delays[n - 1])
        }
        assert.deepEqual([timer.status, ids.size], ['completed', repetitions])
      },
    ),
  )
})

test('with catchUp one the iterations that were missed are skipped, the next one is on the grid', () => {
  fc.assert(
    fc.property(fc.nat(20 * MINUTE), fc.nat(5 * MINUTE), (lateMs, durationMs) => {
      const timer = timerOf('R10/PT1M', { catchUp: 'one' })
      const after = attempt(timer, DELIVERED, { lateMs, durationMs })
      const endedAt = timer.wakeAt + lateMs + durationMs
      if (endedAt > NOW + 10 * MINUTE) return assert.equal(after.status, 'completed')
      assert.ok(after.dueAt >= endedAt && after.dueAt - MINUTE < Math.max(endedAt, NOW + MINUTE + 1))
      assert.deepEqual(
        [after.iteration, after.dueAt],
        [Math.max(2, Math.ceil((endedAt - NOW) / MINUTE)), NOW + after.iteration * MINUTE],
      )
    }),
  )
})

test('with catchUp all every missed iteration is delivered, one after the other', () => {
  let timer = timerOf('R5/PT1M')
  timer = attempt(timer, DELIVERED, { lateMs: 60 * MINUTE })
  for (let n = 2; n <= 5; n++) {
    assert.deepEqual([timer.iteration, timer.wakeAt], [n, NOW + n * MINUTE])
    timer = attempt(timer, DELIVERED, { lateMs: 60 * MINUTE })
  }
  assert.equal(timer.status, 'completed')
})

test('an outcome that comes after a pause counts, and does not end the pause', () => {
  const paused = (timer: Timer): Timer => ({
    ...timer,
    version: timer.version + 1,
    status: Status.paused,
    wakeAt: NEVER,
  })
  const late = (timer: Timer, outcome: DeliveryOutcome) =>
    settle(paused(timer), { startedAt: NOW, durationMs: 5, outcome }, at(NOW + MINUTE))
  const failed = late(timerOf('PT1M'), FAILED)
  assert.deepEqual([failed.status, failed.wakeAt, failed.attempts], ['paused', NEVER, 1])
  const next = late(timerOf('R3/PT1M'), DELIVERED)
  assert.deepEqual([next.status, next.wakeAt, next.iteration], ['paused', NEVER, timerOf('R3/PT1M').iteration + 1])
  assert.equal(late(timerOf('PT1M'), DELIVERED).status, 'completed')
})

test('an error with characters that not every store can keep is kept without them', () => {
  const timer = timerOf('PT10M')
  const ended = { startedAt: NOW, durationMs: 1, outcome: failedDelivery('a\0b\ud800c') }
  assert.equal(settle(timer, ended, { now: NOW, retentionMs: 1 }).lastError, 'a\ufffdb\ufffdc')
})
