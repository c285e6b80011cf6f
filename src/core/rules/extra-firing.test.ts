import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, FAILED, GONE, KEY, MINUTE, NOW, timerOf, tryDecide } from './command.fixture.ts'
import type { Command } from './command.ts'
import type { DeliveryOutcome } from '../timer/delivery.ts'
import { deliveryId } from '../timer/ids.ts'
import { SINGLE_ATTEMPT } from './retry.ts'
import { parseSchedule } from '../time/schedule.ts'
import { settle } from './settle.ts'
import { assertTimerInvariants } from './timer-invariants.ts'
import { NEVER } from '../timer/timer.ts'
import type { Millis, Timer } from '../timer/timer.ts'

const HOUR = 60 * MINUTE
const TRIGGER: Command = { type: 'trigger', ...KEY }
const PAUSE: Command = { type: 'pause', ...KEY }
const RESUME: Command = { type: 'resume', ...KEY }
const toDuration = (schedule: string): Command => ({
  type: 'update',
  ...KEY,
  changes: { schedule: parseSchedule(schedule) },
  ifVersion: null,
  minLeadMs: 0,
})
const NEW_PAYLOAD: Command = { type: 'update', ...KEY, changes: { payload: null }, ifVersion: null, minLeadMs: 0 }

function after(timer: Timer, command: Command, now: Millis): Timer {
  const decision = tryDecide(timer, command, now)
  assert.ok(decision.type === 'write', `${command.type} wrote nothing`)
  assertTimerInvariants(decision.timer, timer)
  return decision.timer
}

function delivered(timer: Timer, outcome: DeliveryOutcome): Timer {
  const settled = settle(timer, { startedAt: timer.wakeAt, durationMs: 5, outcome }, at(timer.wakeAt + 5))
  assertTimerInvariants(settled, { ...timer, status: 'executing' })
  return settled
}

const callAgainAt = (nextAt: Millis): DeliveryOutcome => ({ type: 'rescheduled', nextAt, statusCode: 200 })
const hourly = (): Timer => timerOf('R/PT1H')
const pausedAndTriggered = (): Timer => after(after(hourly(), PAUSE, NOW), TRIGGER, NOW + MINUTE)
const movedTo = (nextAt: Millis): Timer => delivered(after(hourly(), TRIGGER, NOW + MINUTE), callAgainAt(nextAt))

test('a cycle that is resumed does not wait for an extra firing that the receiver has put off', () => {
  const moved = delivered(pausedAndTriggered(), callAgainAt(NOW + 72 * HOUR))
  assert.deepEqual([moved.status, moved.wakeAt], ['paused', NOW + 72 * HOUR])
  const resumed = after(moved, RESUME, NOW + 2 * MINUTE)
  assert.deepEqual([resumed.status, resumed.wakeAt, resumed.extra], ['pending', NOW + HOUR, null])
})

test('a schedule that is moved to before an extra firing that was put off is followed', () => {
  const now = NOW + 2 * MINUTE
  const failed = delivered(
    after(
      timerOf('R/PT1H', {
        retry: { ...SINGLE_ATTEMPT, maxAttempts: 2, initialIntervalMs: 50 * MINUTE, maxIntervalMs: 50 * MINUTE },
      }),
      TRIGGER,
      NOW + MINUTE,
    ),
    FAILED,
  )
  for (const putOff of [movedTo(NOW + 50 * MINUTE), failed, after(failed, NEW_PAYLOAD, now)]) {
    assert.ok(putOff.extra !== null)
    const updated = after(putOff, toDuration('PT5M'), now)
    assert.deepEqual([updated.wakeAt, updated.extra], [now + 5 * MINUTE, null])
  }
})

test('an extra firing that was put off and still comes first stays', () => {
  const resumed = after(delivered(pausedAndTriggered(), callAgainAt(NOW + 50 * MINUTE)), RESUME, NOW + 2 * MINUTE)
  assert.deepEqual([resumed.wakeAt, resumed.extra?.regular.wakeAt], [NOW + 50 * MINUTE, NOW + HOUR])
})

test('an extra firing that has not been tried is not lost to a regular one that is overdue', () => {
  const paused = after(hourly(), PAUSE, NOW)
  const resumed = after(after(paused, TRIGGER, NOW + 90 * MINUTE), RESUME, NOW + 90 * MINUTE)
  assert.deepEqual([resumed.wakeAt, resumed.extra?.regular.wakeAt], [NOW + 90 * MINUTE, NOW + HOUR])
})

test('a trigger brings an extra firing that the receiver has put off forward to now', () => {
  const moved = movedTo(NOW + 50 * MINUTE)
  const now = NOW + 2 * MINUTE
  const triggered = after(moved, TRIGGER, now)
  assert.deepEqual([triggered.wakeAt, triggered.extra?.dueAt, deliveryId(triggered)], [now, now, deliveryId(moved)])
  assert.deepEqual(tryDecide(triggered, TRIGGER, now), { type: 'keep', timer: triggered })
  // It is not put off any more: a resume that makes a regular firing overdue leaves it.
  const later = after(after(triggered, PAUSE, now), RESUME, NOW + 2 * HOUR)
  assert.equal(later.extra?.dueAt, now)
})

test('a final failure of an extra firing leaves the cycle as it was, running or paused, and is told', () => {
  const once = { retry: SINGLE_ATTEMPT }
  for (const [before, outcome] of [
    [hourly(), GONE],
    [timerOf('R/PT1H', once), FAILED],
  ] as const) {
    const ran = delivered(after(before, TRIGGER, NOW + MINUTE), outcome)
    assert.deepEqual(
      [ran.status, ran.dueAt, ran.wakeAt, ran.iteration, ran.extra],
      ['pending', before.dueAt, before.wakeAt, 1, null],
    )
    assert.deepEqual([ran.lastError, ran.attemptLog.length], [outcome.type === 'failed' && outcome.error, 1])
    const paused = delivered(after(after(before, PAUSE, NOW), TRIGGER, NOW + MINUTE), outcome)
    assert.deepEqual(
      [paused.status, paused.wakeAt, paused.dueAt, paused.attemptLog.length],
      ['paused', NEVER, before.dueAt, 1],
    )
  }
})
