import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { timerIdentity } from '../../timer/ids.ts'
import { NEVER, Status } from '../../timer/timer.ts'
import type { Namespace, Timer, TimerId } from '../../timer/timer.ts'
import { parseSchedule } from '../../time/schedule.ts'
import { stepAtDue } from './due-step.ts'
import { emptyTimer } from '../empty-timer.ts'
import { settle } from '../settle.ts'
import { dueFrom } from '../steps.ts'
import { assertTimerInvariants } from '../timer-invariants.ts'

const NOW = Date.parse('2027-01-04T09:00:00Z')
const HOUR = 3_600_000
const IDENTITY = timerIdentity('shop' as Namespace, 'order-1' as TimerId)

function timerOf(schedule: string, changes: Partial<Timer> = {}): Timer {
  return { ...emptyTimer(IDENTITY, NOW), ...dueFrom(parseSchedule(schedule), 0, { arrivedAt: NOW }), ...changes }
}

const step = (timer: Timer, now: number): Timer | null => {
  const after = stepAtDue(timer, { now, retentionMs: 1_000 })
  if (after !== null) assertTimerInvariants(after, timer)
  return after
}

test('a timer without rules about lateness is delivered, however late', () => {
  for (const catchUp of ['all', 'one'] as const)
    assert.equal(step(timerOf('R/PT1H', { catchUp }), NOW + 1_000 * HOUR), null)
})

test('with catchUp none, missed iterations are passed over and counted, and the next one comes in time', () => {
  for (const schedule of ['R/PT1H', '@hourly', 'FREQ=HOURLY']) {
    const timer = timerOf(schedule, { catchUp: 'none' })
    assert.equal(step(timer, timer.dueAt + 60_000), null)
    const after = step(timer, timer.dueAt + 5 * HOUR + 120_000)!
    assert.deepEqual([after.dueAt, after.skipped, after.status], [timer.dueAt + 6 * HOUR, 6, 'pending'], schedule)
  }
})

test('what is later than maxLateness is missed: a one-shot has failed and says so, a cycle that ends is completed', () => {
  const once = timerOf('PT1H', { maxLatenessMs: HOUR })
  assert.equal(step(once, once.dueAt + HOUR), null)
  const missed = step(once, once.dueAt + HOUR + 1)!
  assert.deepEqual([missed.status, missed.lastError, missed.skipped], ['failed', 'missed: it was 1h1ms late', 1])
  const cycle = timerOf('R2/PT1H', { maxLatenessMs: HOUR })
  assert.equal(step(cycle, NOW + 24 * HOUR)!.status, 'completed')
  assert.equal(step(cycle, cycle.dueAt + 1.5 * HOUR)!.iteration, 2)
})

test('with a maximum, the last so many of the missed ones fire', () => {
  const limits = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 30 }))
  fc.assert(
    fc.property(fc.constantFrom('R/PT1H', '@hourly', '0 */2 * * *'), limits, (schedule, [most, hours]) => {
      const timer = timerOf(schedule, { catchUp: most })
      const now = timer.dueAt + hours * HOUR + 1
      const interval = schedule === '0 */2 * * *' ? 2 : 1
      const missed = Math.floor(hours / interval) + 1
      const after = step(timer, now)
      const skipped = Math.max(0, missed - most)
      assert.equal(after?.skipped ?? 0, skipped)
      assert.equal((after ?? timer).dueAt, timer.dueAt + skipped * interval * HOUR)
    }),
  )
})

test('a million missed iterations are passed over at once', () => {
  for (const schedule of ['R/PT1S', '* * * * * *'])
    for (const catchUp of ['none', 3] as const) {
      const timer = timerOf(schedule, { catchUp })
      const after = step(timer, timer.dueAt + 1_000_000_000)!
      assert.ok(after.dueAt >= timer.dueAt + 1_000_000_000 - 60_000 && after.skipped > 0)
    }
})

test('what has been tried, or what somebody asked for, is not missed', () => {
  const timer = timerOf('R/PT1H', { catchUp: 'none' })
  assert.equal(step({ ...timer, attempts: 1, firstAttemptAt: NOW, executedAt: NOW }, NOW + 99 * HOUR), null)
  const regular = { status: Status.pending, wakeAt: timer.wakeAt, attempts: 0, firstAttemptAt: null } as const
  assert.equal(step({ ...timer, wakeAt: NOW, extra: { dueAt: NOW, number: 1, regular } }, NOW + 99 * HOUR), null)
})

test('a pause that is over ends by itself', () => {
  const paused = timerOf('R/PT1H', { status: Status.paused, wakeAt: NOW + 2.5 * HOUR })
  const after = step(paused, NOW + 2.5 * HOUR)!
  assert.deepEqual([after.status, after.iteration, after.wakeAt], ['pending', 2, NOW + 2 * HOUR])
  assert.notEqual(after.wakeAt, NEVER)
})

function delivered(timer: Timer, startedAt: number, now: number): Timer {
  const outcome = { type: 'delivered', statusCode: 200 } as const
  const after = settle(timer, { startedAt, durationMs: now - startedAt, outcome }, { now, retentionMs: 1_000 })
  assertTimerInvariants(after, { ...timer, status: Status.executing })
  return after
}

test('iterations that come due during a delivery are skipped, or one of them waits, as overlap says', () => {
  for (const schedule of ['R/PT1H', '0 * * * *']) {
    const timer = timerOf(schedule)
    const [from, to] = [timer.dueAt, timer.dueAt + 3.5 * HOUR]
    const next = (overlap: Timer['overlap']) => delivered({ ...timer, overlap }, from, to)
    assert.deepEqual([next(null).dueAt - from, next(null).skipped], [HOUR, 0])
    assert.deepEqual([next('skip').dueAt - from, next('skip').skipped], [4 * HOUR, 3])
    assert.deepEqual([next('queue').dueAt - from, next('queue').skipped], [3 * HOUR, 2])
  }
})

test('iterations that were missed before the delivery began are for catchUp, not for overlap', () => {
  const timer = timerOf('R/PT1H', { overlap: 'skip' })
  const after = delivered(timer, timer.dueAt + 5.5 * HOUR, timer.dueAt + 5.6 * HOUR)
  assert.deepEqual([after.dueAt - timer.dueAt, after.skipped], [HOUR, 0])
})
